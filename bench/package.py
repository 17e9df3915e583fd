#!/usr/bin/env python3
"""Times calls of the Python package beside the same ones of the program.

    INCO=build/release/inco INCO_LIBRARY=build/release/libinco.so PYTHONPATH=bindings/python python3 bench/package.py
        [--signals N] [--dim D] [--atoms L] [--repeats R]

Prints processor seconds, so that other work on the machine disturbs them little, medians of runs in turns with one thread, the
median of the ratios of each turn (the program's time over the package's: 1 or more is no slower) and between which quartiles
they scatter. The package learns from an array that is loaded, and its time does not include the start of Python; that of the
program includes start, reading and writing. The results must have the same bits.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import tempfile
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

import inco

PROGRAM = os.environ.get("INCO", "inco")


def program_seconds(*words):
    """Processor seconds of a run of the program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([PROGRAM, *words, "--threads", "1", "--quiet"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def package_seconds(function, *arguments, **options):
    """Processor seconds and the result of a call of the package."""
    start = time.process_time()
    result = function(*arguments, threads=1, **options)
    return time.process_time() - start, result


def flags(options):
    return [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]


def learn(folder, x, options):
    seconds, result = package_seconds(inco.learn, x, **options)
    theirs = program_seconds("learn", f"{folder}/X.npy", "-o", f"{folder}/D.npy", *flags(options))
    assert np.array_equal(result.dictionary, np.load(f"{folder}/D.npy"))
    return theirs, seconds


def encode(folder, x, options):
    d = np.load(f"{folder}/D.npy")
    seconds, codes = package_seconds(inco.encode, d, x, **options)
    theirs = program_seconds("encode", "-D", f"{folder}/D.npy", f"{folder}/X.npy", "-o", f"{folder}/C.npz", *flags(options))
    with np.load(f"{folder}/C.npz") as file:
        assert np.array_equal(codes.data, file["data"])
    return theirs, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("signals", 30000), ("dim", 160), ("atoms", 500), ("repeats", 7)):
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()
    x = np.random.default_rng(0).standard_normal((given.signals, given.dim)).astype(np.float32)
    learning = {"coder": "omp", "sparsity": 10, "atoms": given.atoms, "iterations": 4}
    coding = {"coder": "omp", "sparsity": 10}
    print("| call | program | package | ratio | quartiles |\n| --- | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory() as folder:
        np.save(pathlib.Path(folder, "X.npy"), x)
        for call, options in ((learn, learning), (encode, coding)):
            theirs, ours = np.array([call(folder, x, options) for _ in range(given.repeats)]).T
            low, ratio, high = np.quantile(theirs / ours, (0.25, 0.5, 0.75))
            seconds = f"{np.median(theirs):.3f} | {np.median(ours):.3f}"
            print(f"| {call.__name__} | {seconds} | {ratio:.3f} | {low:.3f} to {high:.3f} |", flush=True)


if __name__ == "__main__":
    main()
