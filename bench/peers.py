"""Times inco and the installed ones of scikit-learn, SPAMS and dictlearn in one process on the same data.

    INCO_LIBRARY=build/release/libinco.so PYTHONPATH=bindings/python python3 bench/peers.py [CASE...]
        [--precision f64|f32] [--peer scikit-learn|SPAMS|dictlearn]

Without CASE all of them. All use one thread. Cases of coding print microseconds per signal, medians over the repeats, which are
made in turns, the median of the ratios of each turn, and between which quartiles these ratios scatter. A ratio is printed only when the results agree: the same supports but for a share of ties, the same coefficients
on equal supports. inco and SPAMS code all signals; scikit-learn, which is slow, a sample. All times include the Gram matrix and
D'X.

The case fit prints seconds of learning. The peer learns; then inco learns, by its method online, with as few passes over the
data as lead to the same error on test signals, all coded by the same OMP.

The comparisons: SPAMS's `omp` chooses the atom that leaves the smallest residual, which is OLS; its `lasso` that stops at 40
atoms is the path of the LASSO, so inco's lasso stands beside it, not its lars. LARS is left out: scikit-learn's takes another
path once a coefficient changes its sign. SPAMS's thresholds L, eps and lambda1 are always passed together: with one alone its
Python package reads a default that is not there.

If OpenBLAS does not know the CPU, inco warns and names the value of OPENBLAS_CORETYPE that gives all of them fast kernels.
Needs numpy, scipy and scikit-learn, Debian's python3-sklearn or PyPI's newest. SPAMS (`spams` on PyPI) should be compiled from source
with CFLAGS="-O3 -march=native" and linked with the same BLAS; `spams-bin` is compiled for any CPU.
"""
import argparse
import collections
import os
import statistics
import sys
import time
import warnings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.sparse
from sklearn.decomposition import MiniBatchDictionaryLearning
from sklearn.linear_model import lars_path_gram, orthogonal_mp

import inco

try:
    import spams
except ImportError:
    spams = None
try:
    import dictlearn
except ImportError:
    dictlearn = None

TYPES = {"f64": np.float64, "f32": np.float32}
PEERS = ("scikit-learn", "SPAMS", "dictlearn")
Case = collections.namedtuple("Case", "inco scikit spams", defaults=[None, None])


def speech_like(count, dim, rng):
    """Sums of partials with a falling spectrum and some noise, of unit norm."""
    t, x = np.arange(dim), 0.02 * rng.standard_normal((count, dim))
    for _ in range(8):
        f = 0.3 * rng.random((count, 1)) ** 2
        x += rng.standard_normal((count, 1)) * np.exp(-3 * f) * np.cos(2 * np.pi * (f * t + rng.random((count, 1))))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def seconds_of(function, *arguments):
    """Seconds and the result."""
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, result


def agreement(ours, theirs):
    """Share of signals with the same support, and the largest difference of coefficients on those."""
    ours, theirs = ours.toarray(), theirs.toarray() if scipy.sparse.issparse(theirs) else np.asarray(theirs)
    same = ((ours != 0) == (theirs != 0)).all(1)
    return same.mean(), np.abs(ours - theirs)[same].max() if same.any() else np.inf


# ---- Coding: functions of the atoms and the signals, both in columns ----

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
    """By name. The signals have unit norm, so that a relative residual of 0.1 is one of 0.01 squared."""
    omp, ols, lasso = ({"coder": name} for name in ("omp", "ols", "lasso"))
    return {
        "omp-10": Case(dict(omp, sparsity=10), scikit_omp(n_nonzero_coefs=10)),
        "omp-40": Case(dict(omp, sparsity=40), scikit_omp(n_nonzero_coefs=40)),
        "omp-20db": Case(dict(omp, tolerance=0.1), scikit_omp(tol=0.01)),
        "ols-10": Case(dict(ols, sparsity=10), None, spams_ols(10)),
        "ols-40": Case(dict(ols, sparsity=40), None, spams_ols(40)),
        "ols-20db": Case(dict(ols, tolerance=0.1), None, spams_ols(None, 0.01)),
        "lasso-10": Case(dict(lasso, lambda_=level), scikit_lasso(level), spams_lasso(None, level)),
        "lasso-0.1": Case(dict(lasso, lambda_=0.1), scikit_lasso(0.1), spams_lasso(None, 0.1)),
        "lasso-40": Case(dict(lasso, sparsity=40), None, spams_lasso(40, 0.0)),
    }


def report(name, dtype, peer, ours, theirs, agree):
    share, difference = agree
    good = share > 0.98 and difference < (1e-8 if dtype == "f64" else 1e-3)
    low, ratio, high = np.quantile(np.divide(theirs, ours), (0.25, 0.5, 0.75))
    ratios = f"{ratio:.1f} | {low:.1f} to {high:.1f}" if good else "results differ |"
    print(f"| {name} | {dtype} | {1e6 * statistics.median(ours):.1f} | {peer} | {1e6 * statistics.median(theirs):.1f} | {ratios} | "
          f"{100 * share:.1f} % | {difference:.0e} |", flush=True)


def compare(given, name, dtype, options, peer, function, data):
    """One row of the table."""
    d, x = (a.astype(TYPES[dtype]) for a in data)
    y = x[:given.sample] if peer == "scikit-learn" else x
    columns, atoms = np.asfortranarray(y.T), np.asfortranarray(d.T)
    ours, theirs = [], []
    for _ in range(given.repeats):
        seconds, codes = seconds_of(lambda: inco.encode(d, x, threads=1, **options))
        ours.append(seconds / len(x))
        seconds, found = seconds_of(function, atoms, columns)
        theirs.append(seconds / len(y))
    few = min(given.sample, len(y))
    report(name, dtype, peer, ours, theirs, agreement(codes[:few], found.T[:few]))


def find_level(data, wanted):
    """The lambda that leaves `wanted` atoms per signal, by bisection."""
    d, x = data
    low, high = 1e-3, 1.0
    for _ in range(12):
        level = float(np.sqrt(low * high))
        codes = inco.encode(d, x[:2000], threads=1, coder="lasso", lambda_=level)
        low, high = (level, high) if codes.nnz > wanted * codes.shape[0] else (low, level)
    return high


# ---- Learning ----

FIT_DIM, FIT_ATOMS, FIT_SPARSITY = 64, 256, 8


def learn_scikit(x):
    return MiniBatchDictionaryLearning(FIT_ATOMS, alpha=0.1, batch_size=512, max_iter=3, fit_algorithm="cd",
                                       random_state=0).fit(x).components_


def learn_spams(x):
    rounds = 3 * len(x) // 512
    return spams.trainDL(np.asfortranarray(x.T), K=FIT_ATOMS, lambda1=FIT_SPARSITY, mode=3, iter=rounds, batchsize=512,
                         numThreads=1, verbose=False).T


def learn_dictlearn(x):
    return dictlearn.DictionaryLearning(FIT_ATOMS, n_nonzero_coefs=FIT_SPARSITY, max_iter=5, random_state=0).fit(x).components_


def test_error(atoms, test):
    """Of codes by OMP; atoms of zero are left out."""
    atoms = np.ascontiguousarray(atoms[np.linalg.norm(atoms, axis=1) > 0], test.dtype)
    codes = inco.encode(atoms, test, coder="omp", sparsity=FIT_SPARSITY, threads=1)
    return float(np.linalg.norm(test - inco.decode(atoms, codes)) / np.linalg.norm(test))


def learn_inco(train, test, wanted):
    """Seconds, error and passes of the shortest run of the method online that reaches an error."""
    for count in (1, 2, 3, 5, 8, 12, 20, 30, 50):
        seconds, result = seconds_of(lambda: inco.learn(train, atoms=FIT_ATOMS, coder="omp", sparsity=FIT_SPARSITY, threads=1,
                                                        method="online", batch=256, iterations=count))
        error = test_error(result.dictionary, test)
        if error <= wanted:
            break
    return seconds, error, count


def compare_learning(given):
    x = speech_like(given.signals, FIT_DIM, np.random.default_rng(1))
    train, test = x[len(x) // 5:], x[:len(x) // 5]
    learners = {"scikit-learn": learn_scikit, "SPAMS": spams and learn_spams, "dictlearn": dictlearn and learn_dictlearn}
    print("\n| peer | seconds | test error | inco: seconds | test error | passes | ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for peer, learn in learners.items():
        if not learn or given.peer not in (None, peer):
            continue
        theirs, atoms = seconds_of(learn, train)
        wanted = test_error(atoms, test)
        ours, reached, count = learn_inco(train, test, wanted)
        ratio = f"{theirs / ours:.1f}" if reached <= wanted else "not reached"
        print(f"| {peer} | {theirs:.2f} | {wanted:.4f} | {ours:.2f} | {reached:.4f} | {count} | {ratio} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*", help="of " + ", ".join([*cases(0.1), "fit"]))
    parser.add_argument("--precision", choices=TYPES)
    parser.add_argument("--peer", choices=PEERS)
    for name, value in (("signals", 30000), ("sample", 500), ("dim", 160), ("atoms", 1000), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_intermixed_args()
    unknown = set(given.case) - set(cases(0.1)) - {"fit"}
    if unknown:
        parser.error("unknown case: " + ", ".join(unknown))
    coding = [name for name in cases(0.1) if not given.case or name in given.case]
    rng = np.random.default_rng(0)
    data = speech_like(given.atoms, given.dim, rng), speech_like(given.signals, given.dim, rng)
    level = find_level(data, 10) if "lasso-10" in coding else 0.1
    if coding:
        print("| case | type | inco | peer | of peer | ratio | quartiles | same support | coefficients to |")
        print("| --- | --- | ---: | --- | ---: | ---: | --- | ---: | ---: |")
    for dtype in [given.precision] if given.precision else TYPES:
        for name in coding:
            case = cases(level)[name]
            for peer, function in (("scikit-learn", case.scikit), ("SPAMS", spams and case.spams)):
                if function and given.peer in (None, peer):
                    compare(given, name, dtype, case.inco, peer, function, data)
    if not given.case or "fit" in given.case:
        compare_learning(given)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
    sys.exit(main())
