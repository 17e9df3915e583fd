#!/usr/bin/env python3
"""Time, memory and traffic of inco and inco-mpi over signals, atoms and ranks, and a model of clusters fitted to them.

    bench/scaling.py [--build build/release] [--folder /var/tmp] [--largest 10000000] [--limit 1e9] [--skip signals|atoms|ranks]...
                     [--nodes 64] [--cores 32] [--network 1.25e9] [--total 1e9]

The signals are windows of 160 samples, in float32, of coloured noise of 10,000,019 samples that is repeated without a gap:
no two of the first 10 million windows are equal. Every run makes one iteration, by OMP with 8 atoms, and the final coding,
with one thread per process. Processor time is measured, since it suffers least from other load, and the peak memory of
the largest process. Three tables:

    signals   up to the largest number (6.4 GB for 10 million, checked first), 256 atoms, the largest run with default
              options and `encode` as well, in a memory cgroup of --limit bytes if that is permitted; --dry-run before it
    atoms     to 8,192, 32,768 signals
    ranks     1, 2 and 4 of 200,000 signals, 1000 atoms, beside inco with two threads

The model, fitted to the runs of one thread by least squares of the relative errors, without negative coefficients:

    processor time = passes N (a + b L) + updates (c L^2 + d L^3) + e
    one iteration on P nodes = N (a + b L) / (P cores) + update on one core + (log2 P + messages) size / network

with size = 8 (L (L + 1) / 2 + D L) bytes for a partial sum. It stops scaling where the nodes wait for the update and the
exchange as long as they code. Exits with 1 if the largest runs take more than the limit, or learning more than a third
above the estimate.
"""
import argparse
import contextlib
import itertools
import json
import math
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# NumPy is imported where it is needed, and signals are made in another process: the peak of a process that is started
# here includes the memory of this one.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_plm="isolated",
                   OMPI_MCA_hwloc_base_binding_policy="none")
DIM, PERIOD, GROUP, CODED = 160, 10000019, 4096, 2
BATCH = ["--schedule", "batch"]


# ---- Signals ----

def write_windows(path, count):
    """PERIOD is prime, so that window n begins at another place of the period for every n < PERIOD."""
    import numpy as np
    decay = np.arange(64)
    color = (0.9 ** decay * np.cos(0.8 * decay)).astype("f4")
    noise = np.convolve(np.random.default_rng(0).standard_normal(PERIOD + 63, dtype="f4"), color, "valid")
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (count, DIM)})
        for first in range(0, count * DIM, PERIOD):
            noise[:count * DIM - first].tofile(file)


def write_signals(path, count):
    process = multiprocessing.Process(target=write_windows, args=(path, count))
    process.start()
    process.join()
    if process.exitcode:
        sys.exit(f"bench/scaling.py: {path} could not be written")


# ---- Runs ----

@contextlib.contextmanager
def memory_cgroup(limit):
    """A folder of processes that together get at most this memory, page cache included; None if that is not permitted.
    Below the group of this process, by the first version of the interface or the second."""
    place = None
    try:
        for line in open("/proc/self/cgroup"):
            _, names, path = line.strip().split(":", 2)
            for root, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
                if place is None and names == ("memory" if "limit" in name else "") and os.path.isdir(root + path):
                    os.mkdir(f"{root}{path}/inco-{os.getpid()}")
                    place = f"{root}{path}/inco-{os.getpid()}"
                    pathlib.Path(place, name).write_text(str(limit))
    except OSError:
        if place:
            os.rmdir(place)
        place = None
    try:
        yield place
    finally:
        if place:
            os.rmdir(place)


def run(program, words, group=None):
    """Processor seconds of all processes, peak bytes of the largest, wall seconds, results, and messages."""
    enter = (lambda: pathlib.Path(group, "cgroup.procs").write_text(str(os.getpid()))) if group else None
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as text:
        job = subprocess.Popen(program + words + ["--json"], env=ENVIRONMENT, stdout=out, stderr=text, preexec_fn=enter)
        _, status, used = os.wait4(job.pid, 0)
        job.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text.seek(0)
        said = text.read().decode()
        if job.returncode:
            sys.exit(f"bench/scaling.py: {' '.join(words)}: exit status {job.returncode}\n{said}")
        return {"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * 1024, "wall": time.monotonic() - began,
                "json": json.load(out), "said": said}


def learn_words(path, atoms, *more):
    return ["learn", path, "--atoms", str(atoms), "--iterations", "1", "--threads", "1", "-o", path + ".out.npy", *more]


def needed(one):
    """Bytes, as they are printed before a run."""
    return float(re.search(r"memory needed: about (\d+) MB", one["said"]).group(1)) * 1e6


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def head(*cells):
    print()
    row(*cells)
    row(*["---"] * len(cells))


# ---- Tables ----

def measure_signals(inco, folder, largest, limit):
    """Returns the runs of one thread as (signals, atoms, processor seconds), and whether the limits were kept."""
    found, good = [], True
    if shutil.disk_usage(folder).free < 4.2 * DIM * largest + 2e9:
        sys.exit(f"bench/scaling.py: {folder} has not enough space for {4 * DIM * largest / 1e9:.1f} GB of signals")
    head("signals", "atoms", "processor s", "wall s", "peak MB", "estimated MB")
    for count in (largest // 100, largest // 10, largest):
        path = os.path.join(folder, f"{count}.npy")
        write_signals(path, count)
        one = run(inco, learn_words(path, 256, *BATCH))
        found.append((count, 256, one["cpu"]))
        row(count, 256, f"{one['cpu']:.2f}", f"{one['wall']:.2f}", f"{one['peak'] / 1e6:.0f}", f"{needed(one) / 1e6:.0f}")
        if count < largest:
            os.remove(path)
    with memory_cgroup(int(limit)) as group:
        print(f"\nmemory cgroup of {limit / 1e9:g} GB: {'yes' if group else 'not permitted'}", flush=True)
        dry = run(inco, learn_words(path, 256, "--dry-run"), group)
        one = run(inco, learn_words(path, 256), group)
        code = run(inco, ["encode", "-D", path + ".out.npy", path, "-o", path + ".npz", "--threads", "1", "--sparsity", "2"],
                   group)
    print(f"dry run of {largest} signals: {dry['json']['memory_bytes'] / 1e6:.0f} MB, "
          f"{dry['json']['estimated_seconds']:.0f} s; took {dry['wall']:.1f} s")
    for name, this in ("learn, default options", one), ("encode --sparsity 2", code):
        print(f"{name}: peak {this['peak'] / 1e6:.0f} MB, {this['wall']:.0f} s, processor {this['cpu']:.0f} s")
        good = good and this["peak"] < limit
    good = good and one["peak"] < 4 / 3 * dry["json"]["memory_bytes"]
    for name in path, path + ".npz":
        os.remove(name)
    print("below the limit, and within a third of the estimate" if good else "TOO MUCH MEMORY", flush=True)
    return found, good


def measure_atoms(inco, folder):
    path, found = os.path.join(folder, "atoms.npy"), []
    write_signals(path, 32768)
    head("signals", "atoms", "processor s", "wall s", "of it coding, update", "peak MB", "estimated MB")
    for atoms in 256, 512, 1024, 2048, 4096, 8192:
        one = run(inco, learn_words(path, atoms, *BATCH))
        seconds = one["json"]["seconds"]
        found.append((32768, atoms, one["cpu"]))
        row(32768, atoms, f"{one['cpu']:.2f}", f"{one['wall']:.2f}", f"{seconds['code']:.2f}, {seconds['update']:.2f}",
            f"{one['peak'] / 1e6:.0f}", f"{needed(one) / 1e6:.0f}")
    os.remove(path)
    return found


def measure_ranks(inco, mpi, folder):
    path, found = os.path.join(folder, "ranks.npy"), []
    write_signals(path, 200000)
    head("signals", "atoms", "ranks x threads", "processor s", "wall s", "peak MB of a rank", "MB per update")
    for ranks, threads in (0, 2), (1, 1), (2, 1), (4, 1):
        program = ["mpirun", "-n", str(ranks), *mpi] if ranks else inco
        one = run(program, learn_words(path, 1000, *BATCH, "--threads", str(threads)))
        if (ranks, threads) == (1, 1):
            found.append((200000, 1000, one["cpu"]))
        traffic = one["json"].get("cluster", {}).get("bytes_per_update", 0) / 1e6
        row(200000, 1000, f"{ranks} x {threads}" if ranks else f"inco, {threads} threads", f"{one['cpu']:.2f}",
            f"{one['wall']:.2f}", f"{one['peak'] / 1e6:.0f}", f"{traffic:.1f}")
    os.remove(path)
    return found


# ---- The model ----

def fit(found):
    """a, b, c, d, e of the model: least squares of the relative errors over the sets of terms with positive factors."""
    import numpy as np
    n, atoms, seconds = np.array(found).T
    terms = np.stack([CODED * n, CODED * n * atoms, atoms ** 2, atoms ** 3, np.ones_like(n)], 1) / seconds[:, None]
    best = None
    for size in range(1, 6):
        for chosen in itertools.combinations(range(5), size):
            factors = np.zeros(5)
            factors[list(chosen)] = np.linalg.lstsq(terms[:, chosen], np.ones_like(n), rcond=None)[0]
            error = np.sqrt(np.mean((terms @ factors - 1) ** 2))
            if (factors >= 0).all() and (best is None or error < best[1]):
                best = factors, error
    a, b, c, d, e = best[0]
    print(f"\nmodel: a = {a * 1e6:.3g} us, b = {b * 1e9:.3g} ns, c = {c * 1e9:.3g} ns, d = {d * 1e12:.3g} ps, e = {e:.2g} s; "
          f"rms of the relative error {best[1]:.1%}, {len(found)} runs")
    return best[0]


def predict(factors, given, atoms):
    size = 8 * (atoms * (atoms + 1) / 2 + DIM * atoms)
    exchange = size * (math.log2(given.nodes) + math.log2(given.total / GROUP / given.nodes)) / given.network
    work = given.total * (factors[0] + factors[1] * atoms)
    update = factors[2] * atoms ** 2 + factors[3] * atoms ** 3
    print(f"{given.total:g} signals, {atoms} atoms, {given.nodes} nodes of {given.cores} cores: an iteration takes "
          f"{work / given.nodes / given.cores:.3g} s of coding, at most {update:.3g} s of update on one core, "
          f"{exchange:.2g} s of exchange; coding takes as long as the rest on "
          f"{work / given.cores / (update + exchange):.0f} nodes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--folder", default="/var/tmp", help="of the signals")
    parser.add_argument("--largest", type=int, default=10**7)
    parser.add_argument("--limit", type=float, default=1e9, help="bytes of memory of the largest runs")
    parser.add_argument("--skip", action="append", default=[], choices=["signals", "atoms", "ranks"])
    parser.add_argument("--nodes", type=int, default=64)
    parser.add_argument("--cores", type=int, default=32)
    parser.add_argument("--network", type=float, default=1.25e9, help="bytes per second between two nodes")
    parser.add_argument("--total", type=float, default=1e9, help="signals of the prediction")
    given = parser.parse_args()
    inco, mpi = ([str(given.build / name)] for name in ("inco", "inco-mpi"))
    found, good = [], True
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        if "atoms" not in given.skip:
            found += measure_atoms(inco, folder)
        if "ranks" not in given.skip:
            found += measure_ranks(inco, mpi, folder)
        if "signals" not in given.skip:
            more, good = measure_signals(inco, folder, given.largest, given.limit)
            found += more
    if len(found) > 5:
        factors = fit(found)
        for atoms in 1000, 8192:
            predict(factors, given, atoms)
    sys.exit(not good)


if __name__ == "__main__":
    main()
