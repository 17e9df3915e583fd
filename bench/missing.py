#!/usr/bin/env python3
"""What is learned and filled when entries of the signals are missing.

Planted dictionaries: Gaussian atoms of unit norm, signals of K atoms each with Gaussian coefficients, white noise; a
share of the entries, drawn at random, is missing. An atom is found if |d'e| > 0.99 for a learned atom e.

    bench/missing.py --inco build/release/inco --trials 5

With images: their patches, half of the pixels missing at random. A dictionary is learned from the patches with gaps,
which are then filled by encode and decode. The table has the PSNR (dB) of the filled pixels, and that of two simple
fills: the mean of the observed pixels of the patch, and the mean of the image.

    bench/missing.py --inco build/release/inco --images barbara.png boat.png
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np


def planted(rng, a):
    """Signals in rows, and their dictionary."""
    truth = rng.standard_normal((a.atoms, a.dim))
    truth /= np.linalg.norm(truth, axis=1, keepdims=True)
    signals = np.zeros((a.signals, a.dim))
    for signal in signals:
        signal += rng.standard_normal(a.sparsity) @ truth[rng.choice(a.atoms, a.sparsity, replace=False)]
    white = rng.standard_normal(signals.shape)
    signals += white * (np.linalg.norm(signals) / np.linalg.norm(white) * 10 ** (-a.noise / 20))
    return signals.astype(np.float32), truth


def run(a, folder, *words):
    subprocess.run([a.inco, *words, "--quiet", "--threads", str(a.threads)], cwd=folder, check=True)


def run_planted(a, trial):
    """Atoms found per share of missing entries."""
    rng = np.random.default_rng([a.seed, trial])
    signals, truth = planted(rng, a)
    order, found = rng.random(signals.shape), []
    for share in a.missing:
        with tempfile.TemporaryDirectory() as folder:
            np.save(os.path.join(folder, "X.npy"), np.where(order < share, np.float32(np.nan), signals))
            run(a, folder, "learn", "X.npy", "-o", "D.npy", "--atoms", str(a.atoms), "--sparsity", str(a.sparsity),
                "--missing", "nan", "--seed", str(trial), *a.options.split())
            learned = np.load(os.path.join(folder, "D.npy")).astype(float)
        found.append(int((np.abs(truth @ learned.T).max(1) > 0.99).sum()))
    return found


def table_planted(a):
    print("| trial | " + " | ".join("%g %% missing" % (100 * share) for share in a.missing) + " |")
    print("| --- |" + " --- |" * len(a.missing))
    found = []
    for trial in range(a.trials):
        found.append(run_planted(a, trial))
        print("| %d | " % trial + " | ".join(map(str, found[-1])) + " |", flush=True)
    found = np.array(found)
    print("| all, relative to the first column | " + " | ".join("%.1f %%" % (100 * x) for x in found.sum(0) / found[:, 0].sum())
          + " |")
    return found


def read_image(path):
    from PIL import Image  # Debian: python3-pil
    return np.asarray(Image.open(path).convert("L"), np.float32)


def patches_of(image, side, hop):
    windows = np.lib.stride_tricks.sliding_window_view(image, (side, side))[::hop, ::hop]
    return np.ascontiguousarray(windows.reshape(-1, side * side))


def psnr(error):
    return 10 * np.log10(255 ** 2 / np.mean(error.astype(float) ** 2))


def fill_image(a, path):
    """PSNR of the missing pixels: by the dictionary, by the mean of the patch, by that of the image."""
    image = read_image(path)
    gone = np.random.default_rng(a.seed).random(image.shape) < a.share
    holes = np.where(gone, np.float32(np.nan), image)
    complete, given = patches_of(image, a.patch, a.hop), patches_of(holes, a.patch, a.hop)
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "X.npy"), given)
        run(a, folder, "learn", "X.npy", "-o", "D.npy", "--atoms", "256", "--missing", "nan", *a.options.split())
        run(a, folder, "encode", "-D", "D.npy", "X.npy", "-o", "C.npz", "--missing", "nan", *a.options.split())
        run_decode = [a.inco, "decode", "-D", "D.npy", "C.npz", "-o", "Y.npy", "--quiet"]
        subprocess.run(run_decode, cwd=folder, check=True)
        filled = np.load(os.path.join(folder, "Y.npy"))
    lost = np.isnan(given)
    means = np.broadcast_to(np.nanmean(given, 1, keepdims=True), given.shape)
    return [psnr((fill - complete)[lost]) for fill in (filled, means, np.full_like(complete, np.nanmean(holes)))]


def table_images(a):
    print("| image | dictionary | mean of the patch | mean of the image |\n| --- | --- | --- | --- |")
    for path in a.images:
        print("| %s | %.2f | %.2f | %.2f |" % (os.path.basename(path), *fill_image(a, path)), flush=True)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inco", default="inco", help="the program (default: %(default)s)")
    parser.add_argument("--missing", nargs="+", type=float, default=[0, 0.3, 0.5], help="shares (default: 0 0.3 0.5)")
    parser.add_argument("--noise", type=float, default=30, help="in dB (default: %(default)s)")
    parser.add_argument("--options", default="", help="more options of learn (with images, of encode too)")
    parser.add_argument("--images", nargs="+", help="files of grey images")
    parser.add_argument("--share", type=float, default=0.5, help="of the pixels of an image (default: %(default)s)")
    for name, default in (("dim", 64), ("atoms", 96), ("signals", 20000), ("sparsity", 4), ("trials", 3), ("seed", 1),
                          ("patch", 8), ("hop", 4), ("threads", 0)):
        parser.add_argument("--" + name, type=int, default=default, help="default: %(default)s")
    a = parser.parse_args()
    if os.path.sep in a.inco:
        a.inco = os.path.abspath(a.inco)
    return a


def main():
    a = read_arguments()
    table_images(a) if a.images else table_planted(a)


if __name__ == "__main__":
    main()
