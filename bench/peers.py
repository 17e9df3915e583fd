"""Compares the speed of inco, scikit-learn and, if installed, SPAMS, on the same data with one thread.

    python3 bench/peers.py build/release/inco [CASE...] [--precision f64|f32] [--peer scikit-learn|SPAMS]

Prints microseconds per signal, medians over the repeats, which are made in turns; without CASE all of them. A ratio is printed
only when the results agree: the same supports but for a share of ties, the same coefficients on equal supports. inco and SPAMS
code all signals; scikit-learn, which is slow, a sample. All times include the Gram matrix and D'X.

What is compared: SPAMS's `omp` chooses the atom that leaves the smallest residual, which is OLS; its `lasso` that stops at 40
atoms is the path of the LASSO, so inco's lasso stands beside it, not its lars. LARS is left out: scikit-learn's takes another
path once a coefficient changes its sign. SPAMS's thresholds L, eps and lambda1 are always passed together: with one alone its
Python package reads a default that is not there.

inco starts itself anew when OpenBLAS does not know the CPU; for the peers to have the same kernels, set OPENBLAS_CORETYPE to
the one that inco's --json names in "blas". Needs numpy, scipy and scikit-learn, Debian's python3-sklearn. SPAMS (`spams` on
PyPI) should be compiled from source with CFLAGS="-O3 -march=native" and linked with the same BLAS.
"""
import argparse
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.sparse
from sklearn.linear_model import lars_path_gram, orthogonal_mp

try:
    import spams
except ImportError:
    spams = None

TYPES = {"f64": np.float64, "f32": np.float32}
Case = collections.namedtuple("Case", "inco scikit spams", defaults=[None, None])


def speech_like(count, dim, rng):
    """Sums of partials with a decreasing spectrum and noise, of unit norm."""
    t, x = np.arange(dim), 0.02 * rng.standard_normal((count, dim))
    for _ in range(8):
        f = 0.3 * rng.random((count, 1)) ** 2
        x += rng.standard_normal((count, 1)) * np.exp(-3 * f) * np.cos(2 * np.pi * (f * t + rng.random((count, 1))))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def inco(program, folder, dtype, arguments):
    """Seconds of coding and the codes."""
    command = [program, "encode", "-D", f"{folder}/D-{dtype}.npy", f"{folder}/X-{dtype}.npy", "--threads", "1",
               "--json", "-q", "-o", f"{folder}/C.npz", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["seconds"]["code"], scipy.sparse.load_npz(f"{folder}/C.npz")


def timed(function, d, x):
    """Seconds and the codes; signals and atoms are columns, as the peers expect."""
    columns, atoms = np.asfortranarray(x.T), np.asfortranarray(d.T)
    start = time.perf_counter()
    codes = function(atoms, columns)
    return time.perf_counter() - start, codes.T


def agreement(ours, theirs):
    """Share of signals with the same support, and the largest difference of coefficients on those."""
    ours, theirs = ours.toarray(), theirs.toarray() if scipy.sparse.issparse(theirs) else np.asarray(theirs)
    same = ((ours != 0) == (theirs != 0)).all(1)
    return same.mean(), np.abs(ours - theirs)[same].max() if same.any() else np.inf


# ---- The peers: functions of the atoms and the signals ----

def scikit_omp(**stop):
    return lambda d, x: orthogonal_mp(d, x, precompute=True, **stop)


def scikit_lasso(level):
    def run(d, x):
        gram = d.T @ d
        return np.stack([lars_path_gram(d.T @ one, gram, n_samples=len(d), alpha_min=level / len(d), method="lasso",
                                        return_path=False)[2] for one in x.T], axis=1)
    return run


def spams_ols(count, residual=0.0):
    return lambda d, x: spams.omp(x, d, L=count or d.shape[0], eps=residual, lambda1=0.0, numThreads=1)


def spams_lasso(count, level):
    return lambda d, x: spams.lasso(x, d, L=count or d.shape[0], lambda1=level, lambda2=0.0, mode=2, numThreads=1)


def cases(level):
    """Cases by name. Signals have unit norm: a relative residual of 0.1 is a squared residual of 0.01."""
    return {
        "omp-10": Case("omp --sparsity 10", scikit_omp(n_nonzero_coefs=10)),
        "omp-40": Case("omp --sparsity 40", scikit_omp(n_nonzero_coefs=40)),
        "omp-20db": Case("omp --tolerance 0.1", scikit_omp(tol=0.01)),
        "ols-10": Case("ols --sparsity 10", None, spams_ols(10)),
        "ols-40": Case("ols --sparsity 40", None, spams_ols(40)),
        "ols-20db": Case("ols --tolerance 0.1", None, spams_ols(None, 0.01)),
        "lasso-10": Case(f"lasso --lambda {level!r}", scikit_lasso(level), spams_lasso(None, level)),
        "lasso-0.1": Case("lasso --lambda 0.1", scikit_lasso(0.1), spams_lasso(None, 0.1)),
        "lasso-40": Case("lasso --sparsity 40", None, spams_lasso(40, 0.0)),
    }


def report(name, dtype, peer, ours, theirs, agree):
    share, difference = agree
    good = share > 0.98 and difference < (1e-8 if dtype == "f64" else 1e-3)
    ratio = f"{theirs / ours:.1f}" if good else "results differ"
    print(f"| {name} | {dtype} | {1e6 * ours:.1f} | {peer} | {1e6 * theirs:.1f} | {ratio} | {100 * share:.1f} % | "
          f"{difference:.0e} |", flush=True)


def compare(given, folder, name, dtype, case, peer, function, data):
    """One row of the table."""
    d, x = (a.astype(TYPES[dtype]) for a in data)
    x = x[:given.sample] if peer == "scikit-learn" else x
    ours, theirs = [], []
    for _ in range(given.repeats):
        seconds, codes = inco(given.program, folder, dtype, ["--coder", *case.inco.split()])
        ours.append(seconds / codes.shape[0])
        seconds, found = timed(function, d, x)
        theirs.append(seconds / len(x))
    few = min(given.sample, len(x))
    report(name, dtype, peer, statistics.median(ours), statistics.median(theirs), agreement(codes[:few], found[:few]))


def find_level(program, folder, wanted):
    """The lambda with `wanted` atoms per signal, by bisection."""
    low, high = 1e-3, 1.0
    for _ in range(12):
        level = float(np.sqrt(low * high))
        codes = inco(program, folder, "f64", ["--coder", "lasso", "--lambda", repr(level)])[1]
        low, high = (level, high) if codes.nnz > wanted * codes.shape[0] else (low, level)
    return high


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("case", nargs="*", help="of " + ", ".join(cases(0)))
    parser.add_argument("--precision", choices=TYPES)
    parser.add_argument("--peer", choices=["scikit-learn", "SPAMS"])
    for name, value in (("signals", 30000), ("sample", 500), ("dim", 160), ("atoms", 1000), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_intermixed_args()
    unknown = set(given.case) - set(cases(0))
    if unknown:
        parser.error("unknown case: " + ", ".join(unknown))
    rng = np.random.default_rng(0)
    data = speech_like(given.atoms, given.dim, rng), speech_like(given.signals, given.dim, rng)
    with tempfile.TemporaryDirectory() as folder:
        for dtype, kind in TYPES.items():
            np.save(f"{folder}/D-{dtype}.npy", data[0].astype(kind))
            np.save(f"{folder}/X-{dtype}.npy", data[1].astype(kind))
        level = find_level(given.program, folder, 10) if not given.case or "lasso-10" in given.case else 0.0
        print("| case | type | inco | peer | of peer | ratio | same support | coefficients to |")
        print("| --- | --- | ---: | --- | ---: | ---: | ---: | ---: |")
        for dtype in [given.precision] if given.precision else TYPES:
            for name, case in cases(level).items():
                if given.case and name not in given.case:
                    continue
                for peer, function in (("scikit-learn", case.scikit), ("SPAMS", spams and case.spams)):
                    if function and given.peer in (None, peer):
                        compare(given, folder, name, dtype, case, peer, function, data)


main()
