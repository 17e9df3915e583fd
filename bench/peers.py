"""Times inco beside scikit-learn and, where it is installed, SPAMS, on the same data with one thread.

    python3 bench/peers.py build/release/inco [--signals 30000] [--sample 500] [--dim 160] [--atoms 1000]

A ratio is printed only when the results agree: the same supports but for a share of ties, the same coefficients on equal
supports. The slow peers code a sample of the signals; times are per signal. inco's time includes the Gram matrix and
D'X, as the peers' do. LARS is left out: scikit-learn's takes another path once a coefficient changes its sign. inco
starts itself anew when OpenBLAS does not know the CPU; for the peers to have the same kernels, set OPENBLAS_CORETYPE to
the one that inco's --json names in "blas". Needs numpy, scipy and scikit-learn, Debian's python3-sklearn.
"""
import argparse
import json
import os
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


def speech_like(count, dim, rng):
    """Sums of partials with a falling spectrum and some noise, of unit norm."""
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


def agreement(ours, theirs):
    """Share of signals with the same support, and the largest difference of coefficients on those."""
    ours, theirs = ours.toarray(), np.asarray(theirs)
    same = ((ours != 0) == (theirs != 0)).all(1)
    return same.mean(), np.abs(ours - theirs)[same].max() if same.any() else np.inf


def sklearn_omp(d, x, k):
    return orthogonal_mp(d.T, x.T, n_nonzero_coefs=k, precompute=True).T


def sklearn_omp_to(d, x, level):
    """To a relative residual; the signals have unit norm."""
    return orthogonal_mp(d.T, x.T, tol=level ** 2, precompute=True).T


def sklearn_lasso(d, x, level):
    gram = d @ d.T
    return np.stack([lars_path_gram(d @ one, gram, n_samples=d.shape[1], alpha_min=level / d.shape[1],
                                    method="lasso", return_path=False)[2] for one in x])


def spams_run(task, d, x, value):
    columns, atoms = np.asfortranarray(x.T), np.asfortranarray(d.T)
    if task == "ols":
        return spams.omp(columns, atoms, L=int(value), numThreads=1).T
    return spams.lasso(columns, atoms, lambda1=value, mode=2, numThreads=1).T


def cases(level):
    """name, inco's arguments, scikit-learn's function, SPAMS's task, the value."""
    yield "omp-10", ["--coder", "omp", "--sparsity", "10"], sklearn_omp, None, 10
    yield "omp-40", ["--coder", "omp", "--sparsity", "40"], sklearn_omp, None, 40
    yield "omp-20db", ["--coder", "omp", "--tolerance", "0.1"], sklearn_omp_to, None, 0.1
    yield "ols-10", ["--coder", "ols", "--sparsity", "10"], None, "ols", 10
    yield "ols-40", ["--coder", "ols", "--sparsity", "40"], None, "ols", 40
    yield "lasso-10", ["--coder", "lasso", "--lambda", repr(level)], sklearn_lasso, "lasso", level


def report(name, dtype, peer, ours, theirs, agree):
    share, difference = agree
    good = share > 0.98 and difference < (1e-8 if dtype == "f64" else 1e-3)
    ratio = f"{theirs / ours:8.1f}" if good else "  results differ"
    print(f"{name:10} {dtype} {1e6 * ours:10.1f} {peer:13} {1e6 * theirs:10.1f} {ratio}   "
          f"(same support {100 * share:.1f} %, coefficients to {difference:.0e})", flush=True)


def find_level(program, folder, wanted):
    """The lambda that leaves `wanted` atoms per signal, by bisection."""
    low, high = 1e-3, 1.0
    for _ in range(12):
        level = float(np.sqrt(low * high))
        codes = inco(program, folder, "f64", ["--coder", "lasso", "--lambda", repr(level)])[1]
        low, high = (level, high) if codes.nnz > wanted * codes.shape[0] else (low, level)
    return high


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    for name, value in (("signals", 30000), ("sample", 500), ("dim", 160), ("atoms", 1000)):
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    d, x = speech_like(given.atoms, given.dim, rng), speech_like(given.signals, given.dim, rng)
    with tempfile.TemporaryDirectory() as folder:
        for dtype, kind in (("f64", np.float64), ("f32", np.float32)):
            np.save(f"{folder}/D-{dtype}.npy", d.astype(kind))
            np.save(f"{folder}/X-{dtype}.npy", x.astype(kind))
        level = find_level(given.program, folder, 10)
        print(f"{'case':10} type  inco us/x {'peer':13} {'peer us/x':>10}    ratio")
        for dtype, kind in (("f64", np.float64), ("f32", np.float32)):
            few = x[:given.sample].astype(kind)
            for name, arguments, sklearn_function, spams_task, value in cases(level):
                seconds, codes = inco(given.program, folder, dtype, arguments)
                peers = [("scikit-learn", sklearn_function)] if sklearn_function else []
                if spams and spams_task:
                    peers.append(("SPAMS", lambda a, b, v, task=spams_task: spams_run(task, a, b, v)))
                for peer, function in peers:
                    start = time.perf_counter()
                    theirs = function(d.astype(kind), few, value)
                    theirs_seconds = (time.perf_counter() - start) / len(few)
                    theirs = theirs.toarray() if scipy.sparse.issparse(theirs) else theirs
                    report(name, dtype, peer, seconds / given.signals, theirs_seconds,
                           agreement(codes[:given.sample], theirs))


main()
