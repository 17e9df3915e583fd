#!/usr/bin/env python3
"""The objective of --method online against that of whole passes, with a third of the codings.

    bench/online.py FOLDER [--build build/release] [--signals 20000] [--atoms 500] [--passes 15] [--batch 2000 ...]

FOLDER has recordings, of which windows of 160 samples are drawn. `idl --schedule batch` makes the passes, `online` a third
of them, in batches; both code by OMP with 8 atoms, from the same initial dictionary. The objective is ||X - DC||^2 +
gamma ||D'D - I||^2 with the codes of the dictionary written, so that a bound that the result satisfies is included. Exits
with 1 if one of the objectives is more than 1 % higher.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

CASES = {"no penalty": ["--gamma", "0"], "gamma relative 0.02": ["--gamma-relative", "0.02"],
         "gamma relative 0.1": ["--gamma-relative", "0.1"],
         "bound 0.8, gamma relative 0.02": ["--max-coherence", "0.8", "--gamma-relative", "0.02"],
         "bound 0.5, gamma relative 0.02": ["--max-coherence", "0.5", "--gamma-relative", "0.02"]}


def learn(given, folder, *words):
    out = f"{folder}/D.npy"
    shape = ["--window", "160", "--signals", str(given.signals), "--atoms", str(given.atoms), "--coder", "omp", "--sparsity",
             "8", "--precision", "f32", "--threads", "1", "--quiet", "--json", "-o", out]
    done = subprocess.run([given.build / "inco", "learn", given.folder, *shape, *words], stdout=subprocess.PIPE, check=True)
    found, atoms = json.loads(done.stdout), np.load(out).astype("f8")
    penalty = np.sum((atoms @ atoms.T - np.eye(len(atoms))) ** 2)
    return {"objective": found["weight"] * found["relative_error"] ** 2 + found["gamma"] * penalty,
            "error": found["relative_error"], "rms": found["coherence"]["rms"], "max": found["coherence"]["max"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--signals", type=int, default=20000)
    parser.add_argument("--atoms", type=int, default=500)
    parser.add_argument("--passes", type=int, default=15)
    parser.add_argument("--batch", type=int, nargs="+", default=[512, 2000])
    given = parser.parse_args()
    good = True
    print("| | method | passes | objective | of whole passes | error | coherence rms, max |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, words in CASES.items():
            runs = [(f"{given.passes}", "idl", ["--schedule", "batch", "--iterations", str(given.passes)])]
            runs += [(f"{given.passes // 3}", f"online, B = {batch}",
                      ["--method", "online", "--batch", str(batch), "--iterations", str(given.passes // 3)])
                     for batch in given.batch]
            whole = None
            for passes, method, more in runs:
                r = learn(given, folder, *words, *more)
                whole = whole or r["objective"]
                good = good and r["objective"] <= 1.01 * whole
                print(f"| {name} | {method} | {passes} | {r['objective']:.1f} | {r['objective'] / whole:.4f} | "
                      f"{r['error']:.4f} | {r['rms']:.4f}, {r['max']:.3f} |", flush=True)
    sys.exit(not good)


if __name__ == "__main__":
    main()
