#!/usr/bin/env python3
"""Coherence of the frames that inco designs, and the time it takes.

    bench/frames.py --inco build/release/inco

runs "inco frame" on the sizes for which we know a published or measured figure, and on sizes with an equiangular tight
frame, and prints a table in Markdown. The coherence is computed here, from the file; seconds are those of all processors
together, which a busy machine does not change much. Other sizes: --size 16x40, as
often as wanted; what follows -- goes to inco, such as -- --starts 200.

    bench/frames.py --inco build/release/inco --size 20x50 -- --tight
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np

# size: the lowest coherence known before: of an equiangular tight frame, or by accelerated alternating projection or
# L-BFGS on a hinge or a p-norm
KNOWN = {(3, 6): 5 ** -0.5, (6, 16): 1 / 3, (7, 28): 1 / 3, (20, 50): .1927, (50, 100): .1085, (64, 128): .0958,
         (64, 192): .1239, (64, 256): .1278, (160, 1000): .0955}


def size(text):
    dim, atoms = text.split("x")
    return int(dim), int(atoms)


def coherence(path):
    atoms = np.load(path)
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    gram = np.abs(atoms @ atoms.T)
    np.fill_diagonal(gram, 0)
    return gram.max(), np.abs(atoms.T @ atoms - len(atoms) / atoms.shape[1] * np.eye(atoms.shape[1])).max()


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def design(inco, dim, atoms, more):
    """Results of the program, coherence and tightness of its output, and processor time."""
    before = processor_seconds()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "F.npy")
        done = subprocess.run([inco, "frame", "--dim", str(dim), "--atoms", str(atoms), "-o", path, "--json", "--quiet"]
                              + more, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit(done.returncode)
        return json.loads(done.stdout), *coherence(path), processor_seconds() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inco", default="inco")
    parser.add_argument("--size", type=size, action="append", metavar="DxL")
    parser.add_argument("more", nargs="*", help="options for inco frame, after --")
    arguments = parser.parse_args()
    print("| size | coherence | lower bound | ratio | known before | tight to | starts | seconds | of processors |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    missed = 0
    for dim, atoms in arguments.size or KNOWN:
        found, largest, tight, seconds = design(arguments.inco, dim, atoms, arguments.more)
        if abs(largest - found["coherence"]["max"]) > 1e-12:
            raise SystemExit("the program says %.15f, the file has %.15f" % (found["coherence"]["max"], largest))
        bound, known = found["coherence"]["welch"], KNOWN.get((dim, atoms))
        missed += known is not None and largest > known + 1e-9
        print("| %dx%d | %.6f | %.6f | %s | %s | %.0e | %d | %.1f | %.1f |" % (
            dim, atoms, largest, bound, "%.4f" % (largest / bound) if bound else "", "%.4f" % known if known else "",
            tight, found["starts"], found["seconds"]["total"], seconds), flush=True)
    return 1 if missed and "--tight" not in arguments.more else 0


if __name__ == "__main__":
    sys.exit(main())
