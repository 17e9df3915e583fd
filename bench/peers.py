"""Times inco and the installed ones of scikit-learn, SPAMS and dictlearn in one process on the same data.

    INCO_LIBRARY=build/release/libinco.so PYTHONPATH=bindings/python python3 bench/peers.py [CASE...]
        [--precision f64|f32] [--peer scikit-learn|SPAMS|dictlearn] [--set patches|speech|music --data FOLDER]
        [--option NAME=VALUE...]

Without CASE all of them. All use one thread, and times are those of the processor, so that other work on the machine disturbs
them little. Cases of coding print microseconds per signal, medians over the repeats, which are made in turns, the median of the
ratios of each turn, and between which quartiles these ratios scatter. A ratio is printed only when the results agree: the same
supports but for a share of ties, the same coefficients on equal supports. inco and SPAMS code all signals; scikit-learn, which
is slow, a sample. All times include the Gram matrix and D'X.

The case fit prints seconds of learning. The peer learns; then inco learns with its defaults, in as few passes over the data, or
from as few of the signals in one pass, as lead to the same error of test signals or less, all coded by the same OMP. --set
learns from patches, speech or music of bench/race.py instead of made signals; the folder of files is --data. --option changes
a default of inco.

The comparisons: SPAMS's `omp` chooses the atom that leaves the smallest residual, which is OLS; its `lasso` that stops at 40
atoms is the path of the LASSO, so inco's lasso stands beside it, not its lars. LARS is left out: scikit-learn's takes another
path once a coefficient changes its sign. SPAMS's thresholds L, eps and lambda1 are always passed together: with one alone its
Python package reads a default that is not there.

If OpenBLAS does not know the CPU, inco warns and names the value of OPENBLAS_CORETYPE that gives all of them fast kernels.
Needs numpy, scipy and scikit-learn, Debian's python3-sklearn or PyPI's newest. SPAMS (`spams` on PyPI) should be
compiled from source with CFLAGS="-O3 -march=native", which needs NumPy 1, and linked with the same BLAS; `spams-bin` is compiled
for any CPU.
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

if not hasattr(np, "bool"):
    np.bool = bool  # SPAMS 2.6.5.4 still uses the old name
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
    """Processor seconds and the result."""
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


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
    ours, theirs = (1e6 * statistics.median(seconds) for seconds in (ours, theirs))
    print(f"| {name} | {dtype} | {ours:.1f} | {peer} | {theirs:.1f} | {ratios} | {100 * share:.1f} % | {difference:.0e} |",
          flush=True)


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


def learn_scikit(x, passes):
    return MiniBatchDictionaryLearning(FIT_ATOMS, alpha=0.1, batch_size=512, max_iter=passes, fit_algorithm="cd",
                                       random_state=0).fit(x).components_


def learn_spams(x, passes):
    return spams.trainDL(np.asfortranarray(x.T), K=FIT_ATOMS, lambda1=FIT_SPARSITY, mode=3, iter=passes * len(x) // 512,
                         batchsize=512, numThreads=1, verbose=False).T


def learn_dictlearn(x, passes):
    return dictlearn.DictionaryLearning(FIT_ATOMS, n_nonzero_coefs=FIT_SPARSITY, max_iter=passes,
                                        random_state=0).fit(x).components_


def learn_inco(x, passes, options):
    """Less than one pass is one over the first signals."""
    few = x[:int(min(passes, 1) * len(x))]
    return inco.learn(few, atoms=FIT_ATOMS, coder="omp", sparsity=FIT_SPARSITY, threads=1,
                      iterations=max(1, int(passes)), **options).dictionary


LEARNERS = (("scikit-learn", learn_scikit, (3,)), ("SPAMS", spams and learn_spams, (1, 3, 10)),
            ("dictlearn", dictlearn and learn_dictlearn, (5,)))
PASSES = (*(part / 16 for part in range(2, 16)), 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50)


def test_error(atoms, test):
    """Of codes by OMP; atoms of zero are left out."""
    atoms = np.ascontiguousarray(atoms[np.linalg.norm(atoms, axis=1) > 0], test.dtype)
    codes = inco.encode(atoms, test, coder="omp", sparsity=FIT_SPARSITY, threads=1)
    return float(np.linalg.norm(test - inco.decode(atoms, codes)) / np.linalg.norm(test))


def fewest_passes(train, test, wanted, options):
    """Passes of the shortest run of inco that reaches an error, and its error; the last ones if none does."""
    for passes in PASSES:
        error = test_error(learn_inco(train, passes, options), test)
        if error <= wanted:
            break
    return passes, error


def compare_learning(given, dtype, peer, learn, passes, data):
    """One row of the table."""
    train, test = (part.astype(TYPES[dtype]) for part in data)
    options = dict(pair.split("=") for pair in given.option)
    theirs, atoms = seconds_of(learn, train, passes)
    theirs, wanted = [theirs], test_error(atoms, test)
    few, reached = fewest_passes(train, test, wanted, options)
    ours = [seconds_of(learn_inco, train, few, options)[0]]
    for _ in range(given.repeats - 1):
        theirs.append(seconds_of(learn, train, passes)[0])
        ours.append(seconds_of(learn_inco, train, few, options)[0])
    low, ratio, high = np.quantile(np.divide(theirs, ours), (0.25, 0.5, 0.75))
    ratio = f"{ratio:.1f} | {low:.1f} to {high:.1f}" if reached <= wanted else "not reached |"
    print(f"| {peer} | {dtype} | {passes} | {statistics.median(theirs):.3f} | {wanted:.4f} | {few:g} | "
          f"{statistics.median(ours):.3f} | {reached:.4f} | {ratio} |", flush=True)


def fit_signals(given):
    """Training and test signals."""
    count = given.signals // 5
    if given.set:
        import race
        return [part[:size] for part, size in zip(race.SETS[given.set][0](given.data), (4 * count, count))]
    x = speech_like(given.signals, FIT_DIM, np.random.default_rng(1))
    return x[count:], x[:count]


def compare_all_learning(given):
    print("\n| peer | type | passes | seconds | test error | inco: passes | seconds | test error | ratio | quartiles |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    data = fit_signals(given)
    for dtype in [given.precision] if given.precision else TYPES:
        for peer, learn, lengths in LEARNERS:
            for passes in lengths if learn and given.peer in (None, peer) else ():
                compare_learning(given, dtype, peer, learn, passes, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*", help="of " + ", ".join([*cases(0.1), "fit"]))
    parser.add_argument("--precision", choices=TYPES)
    parser.add_argument("--peer", choices=PEERS)
    parser.add_argument("--set", choices=("patches", "speech", "music"))
    parser.add_argument("--data")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of inco, in the case fit")
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
        compare_all_learning(given)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
    sys.exit(main())
