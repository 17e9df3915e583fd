#!/usr/bin/env python3
"""K-SVD's synthetic test: the share of atoms of a planted dictionary that a method recovers.

A dictionary of uniform random entries, its atoms scaled to unit norm; signals of K atoms each with uniform random
coefficients; white noise. Learning starts from the first L signals. An atom counts as found when 1 - |d'e| < 0.01 for
some learned atom e; "one to one" allows every learned atom once.

    bench/recovery.py --inco build/release/inco --trials 50 --noise 10 20 30 inf

prints a table of the share found, with its standard error over the trials. A method is what follows "inco learn", such as
--method "ksvd --replace 0.99"; it may be given more than once. idl learns from whole passes here, without --exchange unless
it is given, since there is an initial dictionary.
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np
from scipy.optimize import linear_sum_assignment

METHODS = ["mod", "aksvd", "ksvd", "idl --gamma 0", "idl --gamma-relative 0.01", "online",
           "ksvd --min-uses 4 --replace 0.99", "aksvd --min-uses 4 --replace 0.99", "ksvd --replace 0.8",
           "mod --exchange", "aksvd --exchange", "ksvd --exchange", "idl --gamma 0 --exchange",
           "idl --gamma-relative 0.01 --exchange", "online --exchange"]


def planted(rng, arguments, noise):
    """Signals in rows, and their dictionary."""
    truth = rng.uniform(-1, 1, (arguments.atoms, arguments.dim))
    truth /= np.linalg.norm(truth, axis=1, keepdims=True)
    signals = np.zeros((arguments.signals, arguments.dim))
    for signal in signals:
        chosen = rng.choice(arguments.atoms, arguments.sparsity, replace=False)
        signal += rng.uniform(-1, 1, arguments.sparsity) @ truth[chosen]
    white = rng.standard_normal(signals.shape)
    if np.isfinite(noise):
        white *= np.linalg.norm(signals) / np.linalg.norm(white) * 10 ** (-noise / 20)
        signals += white
    return signals, truth


def found(truth, learned):
    """Share of true atoms recovered, by any learned atom and one to one."""
    close = 1 - np.abs(truth @ learned.T) < 0.01
    rows, columns = linear_sum_assignment(~close)
    return close.any(1).mean(), close[rows, columns].sum() / len(truth)


def learn(arguments, method, folder):
    # the original test does not normalise signals: weak signals count less
    command = [arguments.inco, "learn", "X.npy", "-o", "D.npy", "--init", "start.npy", "--coder", "omp", "--sparsity",
               str(arguments.sparsity), "--iterations", str(arguments.iterations), "--normalize", arguments.normalize,
               "--threads", "1", "--quiet", "--method"] + method.split()
    done = subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):  # 3: written, but a target was missed
        raise SystemExit(done.stderr)
    return np.load(os.path.join(folder, "D.npy"))


def run_trials(arguments, noise):
    """Shares per method: trials x 2 each."""
    shares = {method: [] for method in arguments.method}
    for trial in range(arguments.trials):
        signals, truth = planted(np.random.default_rng([arguments.seed, trial]), arguments, noise)
        with tempfile.TemporaryDirectory() as folder:
            np.save(os.path.join(folder, "X.npy"), signals)
            np.save(os.path.join(folder, "start.npy"), signals[:arguments.atoms])
            for method in arguments.method:
                shares[method].append(found(truth, learn(arguments, method, folder)))
    return shares


def describe(values):
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return "%5.1f +- %3.1f" % (100 * np.mean(values), 100 * error)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inco", default="inco", help="the program (default: %(default)s)")
    parser.add_argument("--method", action="append", help="with its options; may be repeated")
    parser.add_argument("--noise", nargs="+", type=float, default=[10, 20, 30, float("inf")], help="in dB; inf: none")
    parser.add_argument("--normalize", choices=["none", "unit"], default="none")
    for name, default in (("dim", 20), ("atoms", 50), ("signals", 1500), ("sparsity", 3), ("iterations", 80),
                          ("trials", 10), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=default, help="default: %(default)s")
    arguments = parser.parse_args()
    arguments.method = arguments.method or METHODS
    if os.path.sep in arguments.inco:
        arguments.inco = os.path.abspath(arguments.inco)
    return arguments


def main():
    arguments = read_arguments()
    print("| method | noise (dB) | found (%) | one to one (%) |\n| --- | --- | --- | --- |")
    for noise in arguments.noise:
        for method, shares in run_trials(arguments, noise).items():
            any_atom, one_to_one = np.transpose(shares)
            print("| `%s` | %g | %s | %s |" % (method, noise, describe(any_atom), describe(one_to_one)), flush=True)


if __name__ == "__main__":
    main()
