#!/usr/bin/env python3
"""The cost of a coherence bound: `inco learn --max-coherence` compared with all methods that have such a target.

    bench/bound.py --patches FOLDER -o OUT    train.npy, test.npy and dct-64x256.npy of 8x8 image patches
    bench/bound.py --speech FOLDER -o OUT     audio files of one speaker; every 45th is kept for the test
    bench/bound.py --images FOLDER -o OUT     8x8 patches of all images but the last, which is kept for the test
    bench/bound.py ... --rivals NAME...       other methods than all of them; none: inco's bound alone

Prints a table, and leaves it in OUT as .md, .csv and, where matplotlib is installed, as a figure in .svg. Runs that are in OUT already are
not made again. $INCO names the program. A run counts when it ends within .002 of the bound, and of the ways that a method is run in the
best. With --split K, speech is split in another way and drawn from with another seed: to see whether settings that were chosen on
one split hold on others.
"""
import argparse
import csv
import glob
import json
import os
import subprocess
import sys

import numpy as np

INCO = os.environ.get("INCO", "inco")
RIVALS = ["inksvd", "ipr", "idb"]
WAYS = [[], ["--exchange"], ["--unused", "keep"]]  # every method is run in each of these ways; the best counts
NEAR = 0.002
PATCHES = {"bounds": [0.8, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15], "tests": [10],
           "learn": ["--coder", "omp", "--sparsity", "10", "--iterations", "8"], "ours": ["--gamma", "0"],
           "plain": ["--gamma", "0"], "ways": WAYS}
SPEECH = {"bounds": [0.7, 0.5, 0.3, 0.2, 0.15], "tests": [10, 40],
          "learn": ["--window", "160", "--signals", "30000", "--atoms", "1000", "--iterations", "25", "--coder", "larc",
                    "--residual-coherence", "0.2"],
          "ours": ["--gamma", "5"], "plain": ["--gamma", "5", "--schedule", "batch"], "ways": WAYS[:1]}
SPLITS = 45  # every 45th recording is a test recording
QUICK = ["--signals", "3000", "--atoms", "200", "--iterations", "5"]


def inco(*words):
    done = subprocess.run([INCO] + list(words) + ["--json", "--quiet"], capture_output=True, text=True)
    if done.returncode not in (0, 3):  # 3: written, but a target was missed
        sys.exit("inco %s: %s" % (words[0], done.stderr.strip()))
    return json.loads(done.stdout)


def residuals(dictionary, signals, sparsity, out):
    """Relative residual of every signal, coded by OMP with this number of atoms."""
    codes, back = os.path.join(out, "codes.npz"), os.path.join(out, "back.npy")
    inco("encode", "-D", dictionary, signals, "--coder", "omp", "--sparsity", str(sparsity), "-o", codes)
    inco("decode", "-D", dictionary, codes, "-o", back)
    x = np.load(signals).astype(float)
    rest = np.linalg.norm(x - np.load(back), axis=1) / np.linalg.norm(x, axis=1)
    os.remove(codes)
    os.remove(back)
    return rest


def one_run(case, name, more):
    """Learns, measures on the test signals, and stores the results."""
    out = case["out"]
    kept, dictionary = os.path.join(out, name + ".json"), os.path.join(out, name + ".npy")
    if os.path.exists(kept):
        with open(kept) as file:
            return json.load(file)
    learned = inco("learn", *case["train"], *case["learn"], *more, "-o", dictionary)
    row = {"train_error": learned["relative_error"], "cardinality": learned["mean_cardinality"],
           "coherence": learned["coherence"]["max"], "rms": learned["coherence"]["rms"],
           "singular_max": learned["singular_values"]["max"], "singular_min": learned["singular_values"]["min"],
           "seconds": learned["seconds"]["code"] + learned["seconds"]["update"]}
    for sparsity in case["tests"]:
        rest = residuals(dictionary, case["test"], sparsity, out)
        row["test_error_%d" % sparsity] = float(np.sqrt(np.mean(rest ** 2)))
        row["test_median_%d" % sparsity] = float(np.median(rest))
    with open(kept, "w") as file:
        json.dump(row, file)
    print("%-16s %s" % (name, "  ".join("%s %.4g" % item for item in row.items())), file=sys.stderr, flush=True)
    return row


def all_runs(case):
    rows = [dict(one_run(case, "plain", case["plain"]), method="idl", bound="")]
    methods = [("bound", case["ours"])] + [(rival, ["--method", rival]) for rival in case["rivals"]]
    for bound in case["bounds"]:
        for method, words in methods:
            for way in case["ways"]:
                row = one_run(case, "%s-%g" % ("".join([method] + way), bound), words + ["--max-coherence", "%g" % bound] + way)
                rows.append(dict(row, method=" ".join([method] + way), bound=bound))
    return rows


# ---- Data ----

def patches(folder, out):
    train, test, start = (os.path.join(folder, name) for name in ("train.npy", "test.npy", "dct-64x256.npy"))
    return dict(PATCHES, train=[train, "--init", start], test=test, out=out, shown=["train_error", "test_error_10"])


def test_signals(files, dim, cut, out):
    """All windows or patches of the files, normalised, decoded from their codes in the unit vectors."""
    path, unit, codes = (os.path.join(out, name) for name in ("test.npy", "unit.npy", "samples.npz"))
    if os.path.exists(path):
        return path
    np.save(unit, np.eye(dim, dtype=np.float32))
    inco("encode", "-D", unit, *files, *cut, "--coder", "omp", "--sparsity", str(dim), "-o", codes)
    inco("decode", "-D", unit, codes, "-o", path)
    x = np.load(path)
    if "--center" in cut:  # decoding adds the means
        x -= x.mean(axis=1, keepdims=True)
    norm = np.linalg.norm(x, axis=1, keepdims=True)
    np.save(path, (x / np.where(norm > 0, norm, 1))[norm[:, 0] > 0])
    return path


def speech(folder, out, split):
    files = sorted(glob.glob(os.path.join(folder, "*.flac")) + glob.glob(os.path.join(folder, "*.wav")))
    if len(files) < SPLITS:
        sys.exit("%s: there are fewer than %d .flac or .wav files" % (folder, SPLITS))
    held = SPLITS - 1 - split
    train = [path for n, path in enumerate(files) if n % SPLITS != held]
    test = test_signals(files[held::SPLITS], 160, ["--window", "160"], out)
    return dict(SPEECH, train=train + ["--seed", str(split)], test=test, out=out, shown=["test_median_10", "test_median_40"])


def images(folder, out):
    files = sorted(glob.glob(os.path.join(folder, "*.png")) + glob.glob(os.path.join(folder, "*.pgm")))
    if len(files) < 2:
        sys.exit("%s: there are fewer than two .png or .pgm images" % folder)
    cut = ["--patch", "8x8", "--center", "signal"]
    test = test_signals(files[-1:], 64, cut, out)
    start = ["--signals", "4000", "--atoms", "256", "--init", "dct"]
    return dict(PATCHES, train=files[:-1] + cut + start, test=test, out=out, shown=["train_error", "test_error_10"])


# ---- Results ----

def counts(row):
    return row["bound"] != "" and row["coherence"] <= row["bound"] + NEAR


def ours(row):
    return row["method"].split()[0] == "bound"


def verdicts(case, rows):
    """One line per bound and figure: our best, and the best rival that reaches the bound."""
    for bound in case["bounds"]:
        here = [row for row in rows if row["bound"] == bound and counts(row)]
        for field in case["shown"]:
            sides = [[row for row in here if ours(row) == mine] for mine in (True, False)]
            yield (bound, field) + tuple(min(side, key=lambda row: row[field], default=None) for side in sides)


def write_table(rows, file, fields):
    print("| method | bound | " + " | ".join(fields) + " |", file=file)
    print("|" + " --- |" * (len(fields) + 2), file=file)
    for row in rows:
        missed = "" if row["bound"] == "" or counts(row) else " (missed)"
        cells = ["%.4g" % row[field] if field in ("seconds", "cardinality") else "%.4f" % row[field] for field in fields]
        print("| %s%s | %s | %s |" % (row["method"], missed, row["bound"], " | ".join(cells)), file=file)


def write_verdicts(case, rows, file):
    for bound, field, mine, best in verdicts(case, rows):
        against = "no rival reaches it" if best is None else "best rival %s %.4f" % (best["method"], best[field])
        word = "" if best is None else ", better" if mine[field] <= best[field] else ", WORSE"
        print("%-5g %-16s %s %.4f (coherence %.6f), %s%s"
              % (bound, field, mine["method"], mine[field], mine["coherence"], against, word), file=file)


def draw(case, rows, path):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "inco"
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, len(case["shown"]), figsize=(5 * len(case["shown"]), 3.6), layout="constrained")
    for axis, field in zip(axes, case["shown"]):
        for method in ["bound"] + RIVALS:
            best = {}
            for row in rows:
                if row["method"].split()[0] == method and counts(row):
                    best[row["bound"]] = min(row[field], best.get(row["bound"], np.inf))
            if best:
                axis.plot(*zip(*sorted(best.items())), marker="o", markersize=4, label=method,
                          linewidth=2.2 if method == "bound" else 1.2)
        axis.axhline(rows[0][field], color="grey", linewidth=0.8, linestyle=":")
        axis.set(xlabel="bound on the coherence", ylabel=field.replace("_", " "))
        axis.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parse.add_mutually_exclusive_group(required=True)
    which.add_argument("--patches", metavar="FOLDER")
    which.add_argument("--speech", metavar="FOLDER")
    which.add_argument("--images", metavar="FOLDER")
    parse.add_argument("-o", "--out", required=True)
    parse.add_argument("--quick", action="store_true", help="speech: fewer signals, atoms and iterations")
    parse.add_argument("--rivals", nargs="*", default=RIVALS, choices=RIVALS, metavar="NAME", help="other methods to run")
    parse.add_argument("--split", type=int, default=0, choices=range(SPLITS), metavar="K", help="speech: another split")
    asked = parse.parse_args()
    os.makedirs(asked.out, exist_ok=True)
    if asked.patches:
        case = patches(asked.patches, asked.out)
    elif asked.images:
        case = images(asked.images, asked.out)
    else:
        case = speech(asked.speech, asked.out, asked.split)
    case["rivals"] = asked.rivals
    if asked.quick and asked.speech:
        case["learn"] = case["learn"] + QUICK
    rows = all_runs(case)
    fields = [name for name in rows[0] if name not in ("method", "bound")]
    with open(os.path.join(asked.out, "bound.csv"), "w", newline="") as file:
        out = csv.DictWriter(file, ["method", "bound"] + fields, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    with open(os.path.join(asked.out, "bound.md"), "w") as file:
        write_table(rows, file, fields)
    write_table(rows, sys.stdout, fields)
    print()
    write_verdicts(case, rows, sys.stdout)
    try:
        draw(case, rows, os.path.join(asked.out, "bound.svg"))
    except ImportError:
        print("no figure: python3-matplotlib is not installed", file=sys.stderr)


if __name__ == "__main__":
    main()
