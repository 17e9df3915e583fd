#!/usr/bin/env python3
"""The quality of every method of `inco learn`, as a table: error on training and on unseen signals, coherence, spectrum, time.

    bench/quality.py --patches FOLDER            train.npy, test.npy and dct-64x256.npy of 8x8 image patches
    bench/quality.py --small                     a small synthetic case
    bench/quality.py --small --check FILE.csv    compares with the table kept in git
    bench/quality.py --small --write FILE.csv    recomputes that table

The methods are read from the program, so that new ones take part; those with a bound on coherence get
0.5. $INCO names the program.
"""
import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

INCO = os.environ.get("INCO", "inco")
FIELDS = ["train_error", "test_error", "coherence_max", "coherence_rms", "singular_max", "singular_min"]
# Relative to the stored value; for the smallest singular value, which may be near 0, relative to the largest. Another CPU
# or BLAS rounds differently, and a pursuit that then chooses another atom continues differently.
TOLERANCE = {"train_error": 0.02, "test_error": 0.02, "coherence_max": 0.05, "coherence_rms": 0.02, "singular_max": 0.03,
             "singular_min": 0.05}
VARIANTS = {"online": [["--gamma-relative", "0.1"]], "idl": [["--norms", "rescale"], ["--max-coherence", "0.5", "--code-updates", "0"]],
            "ksvd": [["--exchange"]]}


def inco(*words):
    done = subprocess.run([INCO] + list(words) + ["--json", "--quiet", "--threads", "1"], capture_output=True, text=True)
    written = done.returncode in (0, 3)  # 3: written, but a target was missed
    return (json.loads(done.stdout), "") if written else (None, done.stderr.strip())


def methods():
    text = subprocess.run([INCO, "learn", "--help"], capture_output=True, text=True, check=True).stdout
    return re.search(r"^  --method (\S+)", text, re.M).group(1).split("|")


def small_case(folder):
    """Noisy signals of 3 of 40 random atoms in 16 dimensions, from the legacy generator, whose numbers never change."""
    random = np.random.RandomState(1)
    atoms = random.standard_normal((40, 16))
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    for name, count in ("train", 1200), ("test", 600):
        codes = np.zeros((count, 40))
        for row in codes:
            row[random.permutation(40)[:3]] = random.standard_normal(3)
        np.save(os.path.join(folder, name + ".npy"), codes @ atoms + 0.02 * random.standard_normal((count, 16)))
    start = random.standard_normal((40, 16))
    np.save(os.path.join(folder, "start.npy"), start / np.linalg.norm(start, axis=1, keepdims=True))
    return [os.path.join(folder, name + ".npy") for name in ("train", "test", "start")] + ["3", "10"]


def measure(case, method, more, folder):
    train, test, start, sparsity, iterations = case
    coding = ["--coder", "omp", "--sparsity", sparsity]
    out, codes = os.path.join(folder, "D.npy"), os.path.join(folder, "C.npz")
    words = ["learn", train, "--init", start, "--iterations", iterations, "-o", out, "--method", method] + coding + more
    learned, why = inco(*words)
    if not learned and "--max-coherence" in why:
        more = more + ["--max-coherence", "0.5"]
        learned, why = inco(*words, *more[-2:])
    if not learned and "takes no data" in why:
        return None  # a design has no error
    if not learned:
        sys.exit("%s: %s" % (method, why))
    coded, why = inco("encode", "-D", out, test, "-o", codes, *coding)
    if not coded:
        sys.exit("%s: %s" % (method, why))
    return {"method": " ".join([method] + more), "train_error": learned["relative_error"],
            "test_error": coded["relative_error"], "coherence_max": learned["coherence"]["max"],
            "coherence_rms": learned["coherence"]["rms"], "singular_max": learned["singular_values"]["max"],
            "singular_min": learned["singular_values"]["min"],
            "seconds": learned["seconds"]["code"] + learned["seconds"]["update"]}


def table(case, folder):
    rows = [measure(case, method, more, folder) for method in methods() for more in [[]] + VARIANTS.get(method, [])]
    return [row for row in rows if row]


def write(rows, file, fields):
    out = csv.DictWriter(file, ["method"] + fields, lineterminator="\n", extrasaction="ignore")
    out.writeheader()
    for row in rows:
        out.writerow({k: "%.4f" % v if isinstance(v, float) else v for k, v in row.items()})


def check(rows, path):
    """Differences from the stored table, one line each."""
    with open(path, newline="") as file:
        kept = {row["method"]: row for row in csv.DictReader(file)}
    found = {row["method"]: row for row in rows}
    wrong = ["%s: not in the table" % name for name in found if name not in kept]
    wrong += ["%s: in the table, but no longer there" % name for name in kept if name not in found]
    for name in sorted(set(found) & set(kept)):
        for field in FIELDS:
            old, new = float(kept[name][field]), found[name][field]
            scale = float(kept[name]["singular_max"]) if field == "singular_min" else old
            if abs(new - old) > TOLERANCE[field] * scale:
                wrong.append("%s: %s was %.4f and is %.4f" % (name, field, old, new))
    return wrong


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parse.add_mutually_exclusive_group(required=True)
    which.add_argument("--patches", metavar="FOLDER")
    which.add_argument("--small", action="store_true")
    parse.add_argument("--check", metavar="FILE")
    parse.add_argument("--write", metavar="FILE")
    asked = parse.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.small:
            case = small_case(folder)
        else:
            case = [os.path.join(asked.patches, n) for n in ("train.npy", "test.npy", "dct-64x256.npy")] + ["10", "8"]
        rows = table(case, folder)
    if asked.write:
        with open(asked.write, "w", newline="") as file:
            write(rows, file, FIELDS)
    elif not asked.check:
        write(rows, sys.stdout, FIELDS + ["seconds"])
    if asked.check:
        wrong = check(rows, asked.check) if rows else ["there are no methods"]
        if wrong:
            sys.exit("\n".join(wrong + ["If this is meant, say so in CHANGELOG.md and run: bench/quality.py --small "
                                        "--write tests/regression/results.csv"]))
        print("%d methods as in the table" % len(rows))


if __name__ == "__main__":
    main()
