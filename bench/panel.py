#!/usr/bin/env python3
"""Settings of `inco learn` on eight kinds of data, beside scikit-learn's MiniBatchDictionaryLearning.

    INCO_LIBRARY=build/release/libinco.so PYTHONPATH=bindings/python python3 bench/panel.py --data FOLDER choose [SET...]
        [--settings "NAME;..."] [--no-scikit] [--cache FILE]

Half of the sets, `choose`, is for choosing settings; the other half, `judge`, is for comparing what was chosen, once. Every set
has training and test signals, of different recordings or images where there are files. A row is a setting; its errors are
those of the test signals coded by OMP with each number of atoms, so that all are compared at equal sparsity. `scikit-learn`
is the best, for each number, over alpha in .03, .1, .3, 1 and 5 or 20 epochs, by coordinate descent, which gives the same
codes as its least angle regression in a fifth of the time; --cache keeps its results in a file. FOLDER has grid-s1/*.flac
and images/*.png; music is Debian's asterisk-moh-opsound-wav, digits are scikit-learn's.
"""
import argparse
import glob
import json
import os
import time
import warnings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

import inco

MUSIC = "/usr/share/asterisk/moh/*.wav"


# ---- Data: functions of the folder that return training and test signals in rows ----

def unit(x):
    norm = np.linalg.norm(x, axis=1)
    x = x[norm > 1e-3 * norm.max()]
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


def split(x, count, test=1000):
    x = unit(x[np.random.RandomState(0).permutation(len(x))])
    return x[:count], x[count:count + test]


def samples(path):
    """The samples of a recording: codes of very short windows in the unit vectors."""
    return inco.encode(np.eye(8), path, window=8, hop=8, coder="omp", sparsity=8).toarray().ravel()


def windows(paths, count, size=160):
    random, parts = np.random.RandomState(0), [samples(path) for path in paths]
    cuts = [p[i:i + size] for p in parts for i in random.randint(0, len(p) - size, 2 * count // len(parts))]
    return unit(np.array(cuts)[random.permutation(len(cuts))])[:count]


def recordings(pattern, every):
    paths = sorted(glob.glob(pattern))[::every]
    return windows(paths[1:], 3000), windows(paths[:1] if len(paths) < 10 else paths[:3], 1000)


def speech(folder):
    return recordings(folder + "/grid-s1/*.flac", 30)


def music(folder):
    return recordings(MUSIC, 1)


def patches(folder, images, center):
    def draw(names, count):
        x = np.vstack([inco.encode(np.eye(64), f"{folder}/images/{name}.png", patch="8x8", hop=5, coder="omp",
                                   sparsity=64).toarray() for name in names])
        x = unit(x - x.mean(1, keepdims=True) * center)
        return x[np.random.RandomState(0).permutation(len(x))[:count]]
    return draw(images[:-1], 3000), draw(images[-1:], 1000)


def centred(folder):
    return patches(folder, ["barbara", "cameraman", "boat"], 1)


def uncentred(folder):
    return patches(folder, ["boat", "cameraman", "barbara"], 0)


def digits(folder):
    from sklearn.datasets import load_digits
    return split(load_digits().data, 1348, 449)


def spectra(folder):
    """Magnitudes of the short-time spectra of speech."""
    paths = sorted(glob.glob(folder + "/grid-s1/*.flac"))
    parts = [windows(paths[first::60], count, 256) for first, count in ((7, 3000), (37, 1000))]
    return [unit(np.abs(np.fft.rfft(p * np.hanning(256)))[:, 1:]) for p in parts]


def planted(folder):
    random = np.random.RandomState(0)
    atoms = unit(random.standard_normal((128, 64)))
    codes = np.zeros((5000, 128))
    for row in codes:
        row[random.permutation(128)[:5]] = random.standard_normal(5)
    return split(codes @ atoms + 0.02 * random.standard_normal((5000, 64)), 3000)


def noise(folder):
    return split(np.random.RandomState(0).standard_normal((5000, 64)), 3000)


# Half of the kinds choose, the other half judges.
PANEL = {"choose": {"speech": speech, "centred": centred, "digits": digits, "planted": planted},
         "judge": {"music": music, "uncentred": uncentred, "spectra": spectra, "random": noise}}
ATOMS = {160: 256}
OTHER_ATOMS = 128


# ---- Settings ----

def settings(dim):
    twelfth = {"coder": "omp", "sparsity": max(2, round(dim / 12))}
    lasso = {"coder": "lasso", "lambda_": .1}
    return {"defaults": {}, "no exchange": {"exchange": False}, "100 iterations": {"iterations": 100},
            "gamma relative .05": {"gamma_relative": .05}, "gamma relative .1": {"gamma_relative": .1},
            "gamma 0": {"gamma": 0}, "omp, D/12": twelfth, "larc": {"coder": "larc"},
            "larc, gamma relative .1": {"coder": "larc", "gamma_relative": .1}, "lasso .1": lasso,
            "lasso .1, gamma relative .01": lasso | {"gamma_relative": .01}, "bound .5": {"max_coherence": .5}}


def errors(d, x, cardinalities):
    d = np.ascontiguousarray(d / np.linalg.norm(d, axis=1, keepdims=True), dtype=np.float32)
    left = [x - inco.encode(d, x, coder="omp", sparsity=k) @ d for k in cardinalities]
    found = inco.inspect(d)
    return np.array([np.linalg.norm(r) / np.linalg.norm(x) for r in left]), found.coherence_rms, found.coherence_max


def fit(train, atoms, alpha, epochs):
    from sklearn.decomposition import MiniBatchDictionaryLearning
    model = MiniBatchDictionaryLearning(atoms, alpha=alpha, max_iter=epochs, batch_size=256, random_state=0,
                                        max_no_improvement=None, tol=0.0, fit_algorithm="cd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        d = model.fit(train).components_
    return d[np.linalg.norm(d, axis=1) > 0]


def remembered(cache, key, make):
    """The result of make(), kept in a file of JSON."""
    known = {}
    if cache and os.path.exists(cache):
        with open(cache) as file:
            known = json.load(file)
    if key not in known:
        start = time.perf_counter()
        found, rms, largest = make()
        known[key] = [list(map(float, found)), float(rms), float(largest), time.perf_counter() - start]
        if cache:
            with open(cache, "w") as file:
                json.dump(known, file)
    return known[key]


def scikit(name, train, test, atoms, cardinalities, cache):
    """The lowest error for each number of atoms, the coherence of the lowest mean error, all seconds."""
    found = [remembered(cache, f"{name},{alpha},{epochs}",
                        lambda: errors(fit(train, atoms, alpha, epochs), test, cardinalities))
             for epochs in (5, 20) for alpha in (.03, .1, .3, 1)]
    best = min(found, key=lambda result: sum(result[0]))
    return np.min([f[0] for f in found], axis=0), best[1], best[2], sum(f[3] for f in found)


def show(name, result, cardinality=""):
    found, rms, largest, seconds = result
    print(f"| {name} | " + " / ".join(f"{e:.4f}" for e in found) + f" | {cardinality} | {rms:.3f} | {largest:.3f} | {seconds:.1f} |",
          flush=True)


def run(name, make, wanted):
    train, test = make(wanted.data)
    dim = train.shape[1]
    atoms, cardinalities = ATOMS.get(dim, OTHER_ATOMS), [max(2, round(dim / k)) for k in (20, 12, 6)]
    print(f"\n{name}: {len(train)} signals of {dim}, {len(test)} to test, {atoms} atoms; "
          f"errors with {cardinalities[0]} / {cardinalities[1]} / {cardinalities[2]} atoms\n")
    print("| | error | atoms | rms | max | s |\n| --- | --- | --- | --- | --- | --- |")
    for setting, options in settings(dim).items():
        if wanted.settings and setting not in wanted.settings:
            continue
        start = time.perf_counter()
        learned = inco.learn(train, atoms=atoms, threads=1, **options)
        seconds = time.perf_counter() - start
        show(setting, errors(learned.dictionary, test, cardinalities) + (seconds,), f"{learned.mean_cardinality:.1f}")
    if not wanted.no_scikit:
        show("scikit-learn", scikit(name, train, test, atoms, cardinalities, wanted.cache))


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("half", choices=list(PANEL))
    parse.add_argument("sets", nargs="*", metavar="SET")
    parse.add_argument("--data", metavar="FOLDER", default=os.environ.get("INCO_TEST_DATA", ""))
    parse.add_argument("--settings", type=lambda text: text.split(";"), help="names of rows, separated by ;")
    parse.add_argument("--no-scikit", action="store_true")
    parse.add_argument("--cache", metavar="FILE", help="results of scikit-learn, which do not depend on inco")
    wanted = parse.parse_args()
    for name, make in PANEL[wanted.half].items():
        if not wanted.sets or name in wanted.sets:
            run(name, make, wanted)


if __name__ == "__main__":
    main()
