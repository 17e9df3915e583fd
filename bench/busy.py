#!/usr/bin/env python3
"""Speed of runs with two threads on two processors under other load.

    bench/busy.py --inco build/release/inco
    bench/busy.py --inco build/release/inco --before OLD/inco --ways alone --repeats 15 idl ksvd

Prints, for each case, the seconds of a run alone; the seconds of a run beside two busy loops, and until the last of two and of
eight equal runs at once has ended, each as a multiple of the first; medians over the repeats, which are made in turns. With
--before also the time alone as a multiple of that of another build. Everything runs on the first two processors that this
process may use; nothing else should. A case takes about a minute.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np

LEARN = ["learn", "B.npy", "--atoms", "128", "--coder", "omp", "--sparsity", "4", "--iterations"]
CASES = {"idl": LEARN + ["5"], "ksvd": LEARN + ["3", "--method", "ksvd"], "aksvd": LEARN + ["4", "--method", "aksvd"],
         "bound": LEARN + ["2", "--max-coherence", "0.4"],
         "frame": ["frame", "--dim", "24", "--atoms", "96", "--starts", "2"],
         "large-frame": ["frame", "--dim", "100", "--atoms", "500", "--starts", "1", "--steps", "10"]}
WAYS = {"alone": (1, 0), "beside": (1, 2), "two": (2, 0), "eight": (8, 0)}  # runs at once, busy loops
MOST = {"beside": 2.5, "two": 2.5, "eight": 10}


def make_signals():
    """60000 x 64: sums of four of 128 atoms, with noise."""
    rng = np.random.default_rng(1)
    atoms = rng.standard_normal((128, 64)) / 8
    signals = 0.1 * rng.standard_normal((60000, 64))
    for _ in range(4):
        signals += atoms[rng.integers(0, 128, 60000)] * rng.standard_normal((60000, 1))
    np.save("B.npy", signals)


def seconds(program, case, runs, loops):
    """Seconds until the last run has ended."""
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(loops)]
    try:
        begin = time.monotonic()
        started = [subprocess.Popen([program, *CASES[case], "--threads", "2", "--quiet", "-o", f"D{i}.npy"])
                   for i in range(runs)]
        failed = [run.args for run in started if run.wait()]
        if failed:
            raise SystemExit("failed: " + " ".join(failed[0]))
        return time.monotonic() - begin
    finally:
        for loop in busy:
            loop.kill()
            loop.wait()


def medians(measure, ways, repeats):
    times = {way: [] for way in ways}
    for _ in range(repeats):
        for way in ways:
            times[way].append(measure(way))
    return {way: statistics.median(times[way]) for way in ways}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*", help="of " + ", ".join(CASES) + " (default: all)")
    parser.add_argument("--inco", default="inco", type=os.path.abspath, help="the program")
    parser.add_argument("--before", type=os.path.abspath, help="another build of it")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--ways", default=",".join(WAYS), help="which to measure (default: all)")
    arguments = parser.parse_args()
    unknown = set(arguments.case) - set(CASES)
    if unknown:
        parser.error("unknown case: " + ", ".join(unknown))
    ways = ["alone"] + [way for way in WAYS if way in arguments.ways.split(",") and way != "alone"]
    programs = {"before": arguments.before} if arguments.before else {}
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_signals()
        print("| | alone |" + "".join(f" {way} (limit {MOST[way]}) |" for way in ways[1:])
              + (" alone, to before |" if arguments.before else ""))
        print("| --- |" + " ---: |" * (len(ways) + bool(arguments.before)))
        for case in arguments.case or CASES:
            time_of = medians(lambda way: seconds(programs.get(way, arguments.inco), case, *WAYS.get(way, WAYS["alone"])),
                              [*programs, *ways], arguments.repeats)
            cells = [f"{time_of['alone']:.2f} s"] + [f"{time_of[way] / time_of['alone']:.2f}" for way in ways[1:]]
            cells += [f"{time_of['alone'] / time_of[way]:.2f}" for way in programs]
            print("| " + " | ".join([case] + cells) + " |", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
