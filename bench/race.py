#!/usr/bin/env python3
"""The error of unseen signals over the time of learning: inco and the installed ones of SPAMS and scikit-learn.

    INCO_LIBRARY=build/release/libinco.so PYTHONPATH=bindings/python python3 bench/race.py --data FOLDER [SET...]
        [--atoms L] [--seconds 2,5,12] [--csv FILE] [--figure FILE.svg] [--option NAME=VALUE...]

Sets: speech (FOLDER/grid-s1), patches (FOLDER/images, mean removed) and music (Debian's asterisk-moh-opsound-wav); training
and test signals come from different files and have unit norm. All use one thread, float32 where they have it, and learn from
the same signals. Each point of a curve is a run of its own: inco with more and more iterations (before the first one, on the
first signals only), SPAMS and scikit-learn with more and more batches of 512. The error is that of codes with 10, 20 and 40
atoms (patches: 5 too) by the same OMP. Seconds are those of the processor, so that other work on the machine disturbs
them little. For each time T, the table compares what a rival has after T seconds with what inco has after T / 3, between
two points of a curve by linear interpolation over the logarithm of the time. --csv has a line per point and number of atoms;
--figure, which needs matplotlib, has the curves of 10 and 40 atoms. inco runs with its defaults unless --option is given.
"""
import argparse
import csv
import glob
import os
import sys
import time
import warnings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

import inco

np.bool = bool  # SPAMS 2.6.5.4 still uses the old name
try:
    import spams
except ImportError:
    spams = None
try:
    from sklearn.decomposition import MiniBatchDictionaryLearning
except ImportError:
    MiniBatchDictionaryLearning = None

BATCH = 512
MUSIC = "/usr/share/asterisk/moh"


def unit(x, count):
    norm = np.linalg.norm(x, axis=1)
    x = x[norm > 1e-3 * norm.max()][:count]
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


def samples(path):
    """The samples of a recording: codes of very short windows in the unit vectors."""
    return inco.encode(np.eye(8), path, window=8, hop=8, coder="omp", sparsity=8).toarray().ravel()


def windows(paths, count, size=160):
    random, parts = np.random.RandomState(0), [samples(path) for path in paths]
    cuts = [p[i:i + size] for p in parts for i in random.randint(0, len(p) - size, 2 * count // len(parts))]
    return unit(np.array(cuts)[random.permutation(len(cuts))], count)


def audio(paths):
    if not paths:
        sys.exit("there are no recordings: give the folder with --data, or install asterisk-moh-opsound-wav for music")
    test = paths[::5]
    return [windows(part, count) for part, count in (([p for p in paths if p not in test], 30000), (test, 4000))]


def speech(folder):
    return audio(sorted(glob.glob(folder + "/grid-s1/*.flac"))[::6])


def music(folder):
    return audio(sorted(glob.glob(MUSIC + "/*.wav")))


def patches(folder):
    def cut(name):
        x = inco.encode(np.eye(64), f"{folder}/images/{name}.png", patch="8x8", hop=3, coder="omp", sparsity=64).toarray()
        return x - x.mean(1, keepdims=True)

    def draw(names, count):
        x = np.vstack([cut(name) for name in names])
        return unit(x[np.random.RandomState(0).permutation(len(x))], count)
    return draw(["barbara", "boat"], 30000), draw(["cameraman"], 4000)


# The signals, atoms learned, atoms of the test codes.
SETS = {"speech": (speech, 500, (10, 20, 40)), "patches": (patches, 256, (5, 10, 20, 40)), "music": (music, 500, (10, 20, 40))}


def errors(d, x, cardinalities):
    d = np.ascontiguousarray(d / np.linalg.norm(d, axis=1, keepdims=True), dtype=np.float32)
    left = [x - inco.encode(d, x, coder="omp", sparsity=k) @ d for k in cardinalities]
    return [float(np.linalg.norm(r) / np.linalg.norm(x)) for r in left] + [inco.inspect(d).coherence_rms]


# ---- Learners: pairs of a name and a function of the effort that returns atoms in rows ----

def learn_inco(x, atoms, options):
    def run(effort):
        part, rounds = (x, effort) if effort >= 1 else (x[:int(effort * len(x))], 1)
        return inco.learn(part, atoms=atoms, iterations=int(rounds), threads=1, **options).dictionary
    return "inco", [0.15, 0.3, 0.45, 0.6, 0.8, 1, 2, 4, 8, 16, 32, 64], run


def learn_spams(x, atoms, level):
    columns = np.asfortranarray(x.T)

    def run(effort):
        return spams.trainDL(columns, K=atoms, lambda1=level, lambda2=0.0, iter=effort, batchsize=BATCH, mode=2, modeD=0,
                             numThreads=1, verbose=False).T
    return f"SPAMS, λ = {level}", [10, 20, 40, 60, 120, 240, 480], run


def learn_scikit(x, atoms, level):
    def run(effort):
        model = MiniBatchDictionaryLearning(atoms, alpha=level, batch_size=BATCH, random_state=0, **rounds(effort))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(x).components_

    def rounds(effort):  # scikit-learn 1.2 still has n_iter beside max_iter
        return {"max_iter": effort, "max_no_improvement": None, "tol": 0.0}
    return f"scikit-learn, α = {level}", [1, 2], run


def curve(learner, limit, test, cardinalities):
    """Seconds, errors and rms coherence of runs, until one takes longer than the limit."""
    name, efforts, run = learner
    points = []
    for effort in efforts:
        start = time.process_time()
        d = run(effort)
        seconds = time.process_time() - start
        points.append([seconds] + errors(d, test, cardinalities))
        print(f"  {name:22} {effort:6} {seconds:7.2f} s  " + " ".join(f"{e:.4f}" for e in points[-1][1:]), flush=True)
        if seconds > limit:
            break
    return points


def after(points, seconds):
    """Seconds, errors and coherence after so many seconds; None: before the first point. A finished curve stays as it is."""
    if seconds < points[0][0]:
        return None
    times = np.log([p[0] for p in points])
    return [seconds] + [float(np.interp(np.log(seconds), times, values)) for values in list(zip(*points))[1:]]


def compare(ours, theirs, name, times):
    for limit in times:
        mine, other = after(ours, limit / 3), after(theirs, limit)
        if mine and other:
            ratio = " ".join(f"{a / b:.3f}" for a, b in zip(mine[1:], other[1:]))
            print(f"  {name}, {limit} s; inco, {limit / 3:.2f} s: errors inco / rival, then rms coherence: {ratio}")


def race(name, folder, wanted):
    make, atoms, cardinalities = SETS[name]
    train, test = make(folder)
    atoms = wanted.atoms or atoms
    print(f"{name}: {len(train)} x {train.shape[1]}, {atoms} atoms; errors with {cardinalities} atoms, rms coherence", flush=True)
    learners = [learn_inco(train, atoms, wanted.options)]
    if spams:
        learners += [learn_spams(train, atoms, level) for level in (0.05, 0.1)]
    if MiniBatchDictionaryLearning and not wanted.no_scikit:
        learners += [learn_scikit(train, atoms, 0.1)]
    curves = {one[0]: curve(one, max(wanted.seconds), test, cardinalities) for one in learners}
    for rival in list(curves)[1:]:
        compare(curves["inco"], curves[rival], rival, wanted.seconds)
    return [[name, learner, point[0], number, error, point[-1]] for learner, points in curves.items() for point in points
            for number, error in zip(cardinalities, point[1:])]


DRAWN = (10, 40)  # atoms of the codes


def draw(rows, path):
    """A column per set, a row per number of atoms."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "race", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot, ticker
    sets, learners = list(dict.fromkeys(row[0] for row in rows)), list(dict.fromkeys(row[1] for row in rows))
    figure, axes = pyplot.subplots(len(DRAWN), len(sets), figsize=(3.2 * len(sets), 5), squeeze=False, sharex="col")
    for (down, atoms), (across, name) in [(d, a) for d in enumerate(DRAWN) for a in enumerate(sets)]:
        at = axes[down][across]
        for learner, mark in zip(learners, "osd^v<>"):
            points = [(row[2], row[4]) for row in rows if row[:2] == [name, learner] and row[3] == atoms]
            if points:
                at.semilogx(*zip(*points), marker=mark, markersize=3, linewidth=2 if learner == "inco" else 1, label=learner)
        at.set(title=f"{name}, {atoms} atoms", ylim=(0, None) if atoms == DRAWN[-1] else None)
        at.grid(True, linewidth=0.3)
        at.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
    for at in axes[-1]:
        at.set_xlabel("seconds")
    for at in axes[:, 0]:
        at.set_ylabel("error of unseen signals")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncol=len(learners), frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, metadata={"Date": None})


def option(text):
    name, value = text.split("=", 1)
    try:
        return name, float(value) if "." in value else int(value)
    except ValueError:
        return name, value


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("sets", nargs="*", metavar="SET")
    parse.add_argument("--data", metavar="FOLDER", default=os.environ.get("INCO_TEST_DATA", ""))
    parse.add_argument("--atoms", type=int)
    parse.add_argument("--seconds", type=lambda text: [float(t) for t in text.split(",")], default=[2, 5, 12])
    parse.add_argument("--no-scikit", action="store_true", help="leave scikit-learn out, which is slow")
    parse.add_argument("--csv", metavar="FILE")
    parse.add_argument("--figure", metavar="FILE.svg")
    parse.add_argument("--option", dest="options", type=option, action="append", default=[], metavar="NAME=VALUE",
                       help="an option of inco.learn")
    wanted = parse.parse_args()
    wanted.options = dict(wanted.options)
    rows = [row for name in wanted.sets or SETS for row in race(name, wanted.data, wanted)]
    if wanted.csv:
        with open(wanted.csv, "w", newline="") as file:
            csv.writer(file).writerows([["set", "learner", "seconds", "atoms", "error", "rms"]] + rows)
    if wanted.figure:
        draw(rows, wanted.figure)


if __name__ == "__main__":
    main()
