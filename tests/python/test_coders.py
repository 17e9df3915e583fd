"""The coders against scikit-learn, against a simple reference, and against their own defining properties."""
import itertools

import numpy as np
import pytest
from sklearn.linear_model import lars_path, orthogonal_mp

import reference
from inco_lib import IncoError, encode
from reference import least_squares


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def random_dictionary(atoms, dim, seed=0):
    return unit(np.random.default_rng(seed).standard_normal((atoms, dim)))


def coherent_dictionary(atoms, dim, seed=0, share=0.95):
    """Atoms around a common direction: inner products near `share`."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal(dim)
    return unit(np.sqrt(share) * unit(common[None]) + np.sqrt(1 - share) * unit(rng.standard_normal((atoms, dim))))


def some_signals(n, dim, seed=1):
    return np.random.default_rng(seed).standard_normal((n, dim))


dictionaries = pytest.mark.parametrize("make", [random_dictionary, coherent_dictionary])
sizes = pytest.mark.parametrize("dim,atoms", [(20, 50), (64, 200), (40, 20), (7, 300)])


@dictionaries
@sizes
def test_omp_equals_scikit_learn(make, dim, atoms):
    d, x, k = make(atoms, dim), some_signals(30, dim), min(dim, atoms) // 2
    codes, residual = encode(d, x, coder="omp", sparsity=k)
    theirs = orthogonal_mp(d.T, x.T, n_nonzero_coefs=k).T
    assert np.abs(codes - theirs).max() < 1e-8 * max(1, np.abs(theirs).max())
    assert np.allclose(residual, ((x - codes @ d) ** 2).sum(1), atol=1e-10 * (x ** 2).sum())


@dictionaries
def test_omp_to_a_tolerance_equals_scikit_learn(make):
    d, x = make(100, 30), unit(some_signals(40, 30))
    codes, residual = encode(d, x, coder="omp", tolerance=0.3)
    theirs = np.stack([orthogonal_mp(d.T, one, tol=0.09) for one in x])
    assert np.abs(codes - theirs).max() < 1e-8 * max(1, np.abs(theirs).max())
    assert residual.max() <= 0.09


@pytest.mark.parametrize("dtype,atol", [(np.float64, 1e-10), (np.float32, 2e-4)])
@pytest.mark.parametrize("coder", ["omp", "ols"])
def test_pursuit_residual_is_orthogonal_and_never_grows(coder, dtype, atol):
    d, x = random_dictionary(120, 40).astype(dtype), some_signals(25, 40).astype(dtype)
    before = (x.astype(float) ** 2).sum(1)
    for k in range(1, 30):
        codes, _ = encode(d, x, coder=coder, sparsity=k)
        rest = x.astype(float) - codes.astype(float) @ d.astype(float)
        assert ((codes != 0).sum(1) == k).all()
        assert np.abs((rest @ d.T.astype(float))[codes != 0]).max() < atol * np.linalg.norm(x)
        error = (rest ** 2).sum(1)
        assert (error <= before * (1 + 1e-12) + atol ** 2).all()
        before = error


@dictionaries
def test_ols_equals_brute_force(make):
    """Each step tries every atom and chooses the one with the smallest resulting error."""
    d, x = make(40, 15), some_signals(10, 15)
    codes, _ = encode(d, x, coder="ols", sparsity=6)
    for signal, code in zip(x, codes):
        support = []
        for _ in range(6):
            errors = [np.inf if j in support else
                      np.linalg.norm(signal - least_squares(d, signal, support + [j]) @ d) for j in range(len(d))]
            support.append(int(np.argmin(errors)))
        assert np.abs(code - least_squares(d, signal, support)).max() < 1e-8


@dictionaries
@sizes
@pytest.mark.parametrize("part", [0.5, 0.1, 0.01])
def test_lasso_equals_scikit_learn(make, dim, atoms, part):
    d, x = make(atoms, dim), some_signals(20, dim)
    for signal in x:
        level = part * np.abs(d @ signal).max()
        code = encode(d, signal[None], coder="lasso", **{"lambda": float(level)})[0][0]
        _, _, coefs = lars_path(d.T, signal, method="lasso", alpha_min=level / dim)
        assert np.abs(code - coefs[:, -1]).max() < 1e-8 * max(1, np.abs(coefs).max())


@pytest.mark.parametrize("dtype,tol", [(np.float64, 1e-9), (np.float32, 2e-4)])
@pytest.mark.parametrize("nonnegative", [False, True])
@dictionaries
def test_lasso_meets_its_optimality_conditions(make, nonnegative, dtype, tol):
    d, x = make(150, 40).astype(dtype), some_signals(40, 40).astype(dtype)
    more = {"nonnegative": True} if nonnegative else {}
    codes, _ = encode(d, x, coder="lasso", **{"lambda": 0.05}, **more)
    correlations = (x - codes.astype(float) @ d) @ d.T.astype(float)
    active = codes != 0
    scale = np.abs(x).max()
    assert (np.abs(correlations - 0.05 * np.sign(codes))[active] < tol * scale * 10).all()
    if nonnegative:
        assert (codes >= 0).all() and correlations.max() < 0.05 + 10 * tol * scale
    else:
        assert np.abs(correlations).max() < 0.05 + 10 * tol * scale
    assert active.sum() > 0


@dictionaries
def test_lars_keeps_its_correlations_equal(make):
    d, x = make(100, 30), some_signals(30, 30)
    for k in (1, 2, 5, 12, 25):
        codes, _ = encode(d, x, coder="lars", sparsity=k)
        correlations = np.abs((x - codes @ d) @ d.T)
        level = correlations.max(1, keepdims=True)
        assert (np.abs(correlations - level)[codes != 0] < 1e-9).all()
        assert (((codes != 0).sum(1)) <= k).all() and ((codes != 0).sum(1) == k).mean() > 0.9


def test_lars_without_sign_changes_equals_scikit_learn():
    d, compared = random_dictionary(60, 40), 0
    for signal in some_signals(40, 40):
        _, _, coefs = lars_path(d.T, signal, method="lar", max_iter=8)
        if (np.sign(coefs[:, 1:]) * np.sign(coefs[:, :-1]) < 0).any():
            continue
        code = encode(d, signal[None], coder="lars", sparsity=8)[0][0]
        assert np.abs(code - coefs[:, -1]).max() < 1e-8
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("dtype,tol", [(np.float64, 1e-10), (np.float32, 1e-4)])
@pytest.mark.parametrize("coder", ["larc", "lasso"])
def test_larc_ends_at_its_threshold(coder, dtype, tol):
    d, x = random_dictionary(200, 64).astype(dtype), some_signals(50, 64).astype(dtype)
    previous = None
    for mu in (0.3, 0.25, 0.2):
        codes, residual = encode(d, x, coder=coder, residual_coherence=mu)
        rest = x.astype(float) - codes.astype(float) @ d.astype(float)
        coherence = np.abs(unit(rest) @ d.T.astype(float)).max(1)
        assert np.abs(coherence - mu).max() < tol
        assert np.allclose(residual, (rest ** 2).sum(1), rtol=tol * 100)
        if previous is not None:
            assert ((rest ** 2).sum(1) < previous).all()
        previous = (rest ** 2).sum(1)


def test_larc_coherence_never_rises_along_the_path():
    d, x = random_dictionary(150, 50), some_signals(20, 50)
    before = np.ones(20)
    for k in range(1, 40):
        codes, _ = encode(d, x, coder="larc", sparsity=k)
        rest = x - codes @ d
        coherence = np.abs(unit(rest) @ d.T).max(1)
        assert (coherence <= before + 1e-12).all()
        before = coherence


@pytest.mark.parametrize("coder", ["omp", "ols"])
def test_nonnegative_pursuit(coder):
    """Coefficients are the non-negative least squares on their support, and planted codes are recovered."""
    rng = np.random.default_rng(3)
    d = unit(np.abs(rng.standard_normal((60, 30))))
    for trial in range(20):
        truth = np.zeros(60)
        truth[rng.choice(60, 3, replace=False)] = 1 + rng.random(3)
        codes, residual = encode(d, (truth @ d)[None], coder=coder, sparsity=12, nonnegative=True)
        code = codes[0]
        assert (code >= 0).all() and (code > 0).sum() <= 12
        rest = truth @ d - code @ d
        assert np.abs((d @ rest)[code > 0]).max() < 1e-8
        assert np.isclose(residual[0], rest @ rest, atol=1e-9)
    x = some_signals(20, 30)
    codes, _ = encode(d, x, coder=coder, sparsity=30, nonnegative=True)
    rest = x - codes @ d
    assert (codes >= 0).all()
    assert (rest @ d.T).max() < 1e-6 * np.abs(x).max()  # no positive correlation: the non-negative optimum


def test_rules_combine_and_refit():
    d, x = random_dictionary(200, 64), some_signals(40, 64)
    both = encode(d, x, coder="larc", residual_coherence=0.25, sparsity=5)[0]
    assert (both != 0).sum(1).max() <= 5
    plain, refit = (encode(d, x, coder="larc", residual_coherence=0.3, **more) for more in ({}, {"refit": True}))
    assert ((plain[0] != 0) == (refit[0] != 0)).all()
    for signal, code in zip(x, refit[0]):
        assert np.abs(code - least_squares(d, signal, np.flatnonzero(code))).max() < 1e-9
    assert (refit[1] <= plain[1]).all()
    exact = encode(d, x, coder="lars", tolerance=0.5)
    assert np.allclose(np.sqrt(exact[1] / (x ** 2).sum(1)), 0.5, atol=1e-12)
    for coder in ("omp", "lars", "lasso", "larc", "ols"):
        level = encode(d, x, coder=coder, **{"lambda": 1.5})[0]
        assert np.abs((x - level @ d) @ d.T).max() < 1.5 + 1e-9


@pytest.mark.parametrize("coder", ["omp", "ols", "lars", "larc", "lasso"])
@pytest.mark.parametrize("dtype,tol", [(np.float64, 1e-9), (np.float32, 1e-3)])
def test_duplicate_zero_and_scaled_atoms(coder, dtype, tol):
    """Duplicates, opposites, sums and zeros among the atoms, of any norm, do not change the residual."""
    clean = random_dictionary(30, 40)
    extra = np.concatenate([clean, clean[:10], -clean[10:20], np.zeros((3, 40)), clean[:5] + clean[5:10]])
    scale = 10.0 ** np.random.default_rng(5).integers(-3, 4, len(extra))
    x = np.concatenate([some_signals(20, 40), np.zeros((2, 40)), clean[:4] * 7]).astype(dtype)
    dirty = (extra * scale[:, None]).astype(dtype)
    codes, residual = encode(dirty, x, coder=coder, tolerance=0.0)
    assert np.isfinite(codes).all()
    rest = x.astype(float) - codes.astype(float) @ dirty.astype(float)
    best = x - x @ np.linalg.pinv(clean) @ clean
    assert np.abs(rest - best).max() < tol * 10
    assert (codes[20:22] == 0).all() and (codes[:, 50:53] == 0).all()


ways = {
    "omp": ({"sparsity": 30}, lambda d, x: reference.pursuit(d, x, 30)),
    "ols": ({"sparsity": 30}, lambda d, x: reference.pursuit(d, x, 30, ols=True)),
    "lars": ({"sparsity": 30}, lambda d, x: reference.least_angle(d, x, 30)),
    "larc": ({"residual_coherence": 0.25}, lambda d, x: reference.least_angle(d, x, mu=0.25)),
}


@pytest.mark.parametrize("dtype,tol", [(np.float64, 1e-8), (np.float32, 1e-4)])
@pytest.mark.parametrize("coder", ways)
def test_coders_equal_the_reference(coder, dtype, tol):
    """With a basis larger than the cache, for which passes are computed differently."""
    d, x = random_dictionary(1000, 80).astype(dtype), unit(some_signals(20, 80)).astype(dtype)
    rule, code_one = ways[coder]
    codes, residual = encode(d, x, coder=coder, **rule)
    theirs = np.stack([code_one(d.astype(float), one.astype(float)) for one in x])
    assert ((codes != 0) == (theirs != 0)).all() and (codes != 0).sum(1).mean() > 20
    assert np.abs(codes - theirs).max() < tol
    assert np.allclose(residual, ((x - theirs @ d) ** 2).sum(1), atol=tol)


def test_more_atoms_asked_than_exist():
    d, x = random_dictionary(10, 30), some_signals(5, 30)
    assert ((encode(d, x, coder="omp", sparsity=500)[0] != 0).sum(1) == 10).all()


def test_an_exactly_sparse_signal_is_found_by_larc():
    d = random_dictionary(100, 40)
    code = encode(d, 3 * d[17:18], coder="larc", residual_coherence=0.2)[0][0]
    assert np.flatnonzero(code).tolist() == [17] and abs(code[17] - 3) < 1e-9


def test_same_bits_for_any_number_of_threads():
    d, x = random_dictionary(300, 64).astype(np.float32), some_signals(500, 64).astype(np.float32)
    for coder, rule in itertools.product(["larc", "omp"], [{"residual_coherence": 0.25}]):
        first = encode(d, x, coder=coder, threads=1, **rule)
        for threads in (2, 3, 8):
            again = encode(d, x, coder=coder, threads=threads, **rule)
            assert (first[0] == again[0]).all() and (first[1] == again[1]).all()


def test_contradictions_are_refused():
    d, x = random_dictionary(10, 8), some_signals(2, 8)
    with pytest.raises(IncoError, match="needs a stopping rule"):
        encode(d, x, coder="lars")
    with pytest.raises(IncoError, match="option 'nonnegative'"):
        encode(d, x, coder="larc", nonnegative=True)
    with pytest.raises(IncoError, match="signals have 9 dimensions"):
        encode(d, some_signals(2, 9), coder="omp", sparsity=2)
