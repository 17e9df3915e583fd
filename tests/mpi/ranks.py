#!/usr/bin/env python3
"""inco-mpi on 1 to 4 ranks: the results of inco, bit for bit; failures; ranks and jobs that are killed, and continued by
another number of ranks, with the same bits at the end and no other files.

    INCO=.../inco INCO_MPI=.../inco-mpi MPIRUN=mpirun ranks.py [--kills N]

--kills N: the number of kills at random moments, of one rank or of all (default 2).
"""
import argparse
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

INCO, INCO_MPI, MPIRUN = os.environ["INCO"], os.environ["INCO_MPI"], os.environ["MPIRUN"]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_plm="isolated",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl="self,vader",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_hwloc_base_binding_policy="none")
DIM, SIGNALS = 12, 30000  # eight groups of a pass
LEARN = ["learn", "x.npy", "--atoms", "30", "--coder", "omp", "--sparsity", "3", "--threads", "1", "--quiet"]


def write_signals(path):
    """Signals of three of forty planted atoms each, as float32."""
    draw = random.Random(1)
    atoms = [[draw.gauss(0, 1) for _ in range(DIM)] for _ in range(40)]
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (SIGNALS, DIM)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for _ in range(SIGNALS):
            x = [0.0] * DIM
            for _ in range(3):
                c, atom = draw.gauss(0, 1), draw.choice(atoms)
                x = [a + c * b for a, b in zip(x, atom)]
            out.write(struct.pack("<%df" % DIM, *x))


def write_mask(path):
    """0 for 30 % of the entries."""
    draw = random.Random(2)
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }" % (SIGNALS, DIM)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        out.write(bytes(draw.random() > 0.3 for _ in range(SIGNALS * DIM)))


def ranks_command(ranks, *words):
    return [MPIRUN, "-n", str(ranks), INCO_MPI, *words]


def run(command, code=0):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def has_codes():
    """Whether this build writes files of codes."""
    return "npz" in re.search("^built with:(.*)$", run([INCO, "--version"])[0], re.M).group(1).split()


def same_bits(ranks, name, *options):
    kinds = ["npy", "npz"] if has_codes() else ["npy"]
    outputs = lambda stem: [w for flag, kind in zip(("-o", "--codes"), kinds) for w in (flag, stem + "." + kind)]
    run([INCO, *LEARN, *options, *outputs("alone")])
    for number in ranks:
        run(ranks_command(number, *LEARN, *options, *outputs("many")))
        for kind in kinds:
            assert pathlib.Path("many." + kind).read_bytes() == pathlib.Path("alone." + kind).read_bytes(), (name, number)
    print("same bits:", name, ranks)


def check_encode():
    words = ["encode", "-D", "alone.npy", "x.npy", "--coder", "omp", "--sparsity", "3", "--quiet", "--json"]
    alone = run([INCO, *words, "-o", "alone.npz"])[0]
    for number in 1, 3:
        many = run(ranks_command(number, *words, "-o", "many.npz"))[0]
        assert pathlib.Path("many.npz").read_bytes() == pathlib.Path("alone.npz").read_bytes(), number
        assert '"nonzeros"' in many and many.count("{") == alone.count("{"), many  # rank 0 alone prints
    print("same codes")


def check_refusals():
    _, text = run(ranks_command(2, *LEARN, "--method", "ksvd", "-o", "d.npy"), 2)
    assert text.count("holds the codes of all signals") == 1, text
    _, text = run(ranks_command(2, *LEARN, "--resume", "x.npy", "-o", "d.npy"), 1)
    assert text.count("not a checkpoint") == 1, text
    _, text = run(ranks_command(2, "learn", "missing.npy", "--atoms", "3", "-o", "d.npy"), 1)
    assert text.count("missing.npy") == 1, text
    assert not os.path.exists("d.npy")
    print("refusals")


def ranks_of(job):
    """Processes of inco-mpi below a job that have not ended, by /proc; in the order of their numbers."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and "inco-mpi" in open(f"/proc/{entry}/comm").read():
                state, parent = open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()[:2]
                if int(parent) == job and state != "Z":
                    found.append(int(entry))
        except OSError:
            pass
    return sorted(found)


def kill(job, draw):
    """Kills one rank, or all; the others end within seconds, and the job with a message. Returns the number of ranks killed,
    0 if the job has ended or its ranks have not begun; the seconds until all ranks had ended; and whether mpirun hung: that
    of OpenMPI 4.1 sometimes waits for a lock for ever in PMIx_server_finalize, after all of its ranks have ended."""
    victims = ranks_of(job.pid)
    if not victims:
        return 0, 0, 0
    if draw.random() < 0.5:
        victims = [draw.choice(victims)]
    for victim in victims:
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
    began = time.monotonic()
    while ranks_of(job.pid):
        assert time.monotonic() - began < 30, "the other ranks did not end"
        time.sleep(.02)
    seconds = time.monotonic() - began
    try:
        _, text = job.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        job.kill()
        job.communicate()
        return len(victims), seconds, 1
    assert job.returncode == 0 or b"signal 9" in text or b"exit" in text, text
    return len(victims), seconds, 0


def start_run(draw, options):
    """A job on some ranks with some threads, from the checkpoint if there is one."""
    resume = ["--resume", "run.ck"] if os.path.exists("run.ck") else []
    words = [*LEARN, *options, *resume, "--threads", str(draw.randint(1, 2)), "-o", "d.npy"]
    return subprocess.Popen(ranks_command(draw.randint(1, 3), *words), env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE)


def check_kills(count):
    """Runs are killed again and again, and continue with other numbers of ranks and threads."""
    options = ["--iterations", "12", "--schedule", "batch", "--checkpoint", "run.ck"]
    run([INCO, *LEARN, *options[:4], "-o", "whole.npy"])
    draw, before = random.Random(5), set(os.listdir("."))
    began = time.monotonic()
    start_run(draw, options).communicate()
    length = time.monotonic() - began
    kills = ranks = ends = slowest = hung = 0
    while kills < count or not os.path.exists("d.npy"):
        if os.path.exists("d.npy"):  # that run is complete: another one begins
            os.remove("d.npy")
            os.remove("run.ck")
        job = start_run(draw, options)
        killed = 0
        if kills < count:
            time.sleep(draw.random() * length)
            killed, seconds, hangs = kill(job, draw)
            slowest, hung = max(slowest, seconds), hung + hangs
        _, text = (b"", b"") if job.returncode is not None else job.communicate(timeout=300)
        assert killed or job.returncode == 0, text
        kills, ranks = kills + (killed > 0), ranks + killed
        if os.path.exists("d.npy"):
            assert pathlib.Path("d.npy").read_bytes() == pathlib.Path("whole.npy").read_bytes(), kills
        if not killed:  # what a killed process was writing stays until the next run removes it
            ends += 1
            assert set(os.listdir(".")) - before == {"run.ck", "d.npy"}, os.listdir(".")
    print(f"{kills} kills of {ranks} ranks, {ends} runs completed on other ranks and threads: same bits, no other files; "
          f"all ranks ended at most {slowest:.1f} s after a kill; mpirun itself hung {hung} times")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_signals("x.npy")
        write_mask("m.npy")
        same_bits([1, 2, 3, 4], "idl, growing", "--iterations", "2")
        same_bits([3], "bound", "--iterations", "2", "--max-coherence", "0.8")
        center = "feature" if has_codes() else "signal"  # the mean of the features is saved in an .npz file
        same_bits([2], "online", "--iterations", "1", "--method", "online", "--batch", "9000", "--gamma-relative", "0.1",
                  "--center", center)
        same_bits([3], "mocod", "--iterations", "1", "--method", "mocod")
        same_bits([2], "gamma auto", "--iterations", "1", "--gamma", "auto")
        same_bits([2, 3], "missing entries", "--iterations", "2", "--mask", "m.npy")
        if has_codes():
            check_encode()
        else:
            print("skipped: codes of ranks: this build lacks npz")
        check_refusals()
        check_kills(given.kills)
        os.chdir("/")


if __name__ == "__main__":
    sys.exit(main())
