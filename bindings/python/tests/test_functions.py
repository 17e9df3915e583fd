"""The functions: their results, the arrays that they take, and what they refuse."""
import numpy as np
import pytest

import inco

OMP = dict(coder="omp", sparsity=3)


def test_learned_dictionary_explains_planted_signals(X):
    result = inco.learn(X, atoms=32, iterations=30, exchange=True, gamma_relative=0.0, **OMP)
    assert np.allclose(np.linalg.norm(result.dictionary, axis=1), 1)
    assert result.relative_error < 0.2
    assert result.iterations == 30 == len(result.history["objective"])
    assert (result.use_count > 0).all() and result.stopped_by == "iterations"
    gram = np.abs(result.dictionary @ result.dictionary.T)
    np.fill_diagonal(gram, 0)
    assert result.coherence_max == pytest.approx(gram.max(), abs=1e-12)


def test_a_flag_that_is_on_by_default_can_be_turned_off():
    """exchange is on where idl learns in batches: False is not the same as not given."""
    settings = inco._functions._LEARN.settings
    assert settings({"exchange": False}) == {"exchange": "no"} and settings({"exchange": None}) == {}
    assert settings({"refit": False}) == {}


def test_bound_holds_for_the_array(X):
    for dtype in (np.float32, np.float64):
        D = inco.learn(X.astype(dtype), atoms=32, max_coherence=0.4, iterations=3, **OMP).dictionary.astype(np.float64)
        assert D.dtype == np.float64
        D /= np.linalg.norm(D, axis=1, keepdims=True)
        assert np.abs(np.triu(D @ D.T, 1)).max() <= 0.4 + 1e-15


def test_regularisation_path(X):
    result = inco.learn(X, atoms=24, gamma="auto", iterations=2, **OMP)
    assert sum(point["chosen"] for point in result.path) == 1
    gammas = [point["gamma"] for point in result.path]
    assert gammas == sorted(gammas) and len(result.path[0]["residual"]) == len(result.path[0]["cardinality"])


def test_parametric_needs_no_data():
    result = inco.learn(None, method="parametric", window=64, rate=8000, atoms=80, iterations=3)
    assert result.dictionary.shape == (80, 64) and result.use_count is None


# ---- Arrays ----

def layouts(X):
    """The same numbers in other layouts."""
    wide = np.zeros((len(X), X.shape[1] + 3), X.dtype)
    wide[:, :X.shape[1]] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    return {
        "F": np.asfortranarray(X), "part": wide[:, :X.shape[1]], "backwards": X[::-1].copy()[::-1], "read-only": frozen,
        "big-endian": X.astype(X.dtype.newbyteorder(">")), "list": X.tolist(), "every second": np.repeat(X, 2, axis=0)[::2],
    }


@pytest.mark.parametrize("name", layouts(np.zeros((2, 2))))
def test_bits_do_not_depend_on_the_layout(X, name):
    expected = inco.learn(X, atoms=20, iterations=2, **OMP)
    result = inco.learn(layouts(X)[name], atoms=20, iterations=2, **OMP)
    assert np.array_equal(result.dictionary, expected.dictionary)
    codes = inco.encode(expected.dictionary, layouts(X)[name], **OMP)
    assert (codes != inco.encode(expected.dictionary, X, **OMP)).nnz == 0


def test_memory_map(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    expected = inco.learn(X, atoms=20, iterations=2, **OMP).dictionary
    assert np.array_equal(inco.learn(mapped, atoms=20, iterations=2, **OMP).dictionary, expected)
    assert np.array_equal(inco.learn(tmp_path / "X.npy", atoms=20, iterations=2, **OMP).dictionary, expected)
    assert np.array_equal(inco.learn([str(tmp_path / "X.npy")], atoms=20, iterations=2, **OMP).dictionary, expected)


def test_arrays_that_can_be_read_in_place_are_not_copied(X):
    from inco import _arrays
    for name, array in layouts(X).items():
        if name != "list":
            assert _arrays.has_contiguous_rows(array) == (name in ("part", "read-only", "every second", "backwards")
                                                          and array.strides[0] > 0), name
    call = inco._functions.Call({})
    signals = _arrays.Signals(X, call)
    assert signals.keep[1].data == X.ctypes.data
    call.__exit__()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_is_kept(X, dtype):
    D = inco.learn(X.astype(dtype), atoms=20, iterations=1, **OMP).dictionary
    codes = inco.encode(D, X.astype(dtype), **OMP)
    assert D.dtype == codes.dtype == inco.decode(D, codes).dtype == dtype
    assert inco.learn(X.astype(dtype), atoms=20, iterations=1, precision="f32", **OMP).dictionary.dtype == np.float32


def test_init_array(X, dictionary):
    result = inco.learn(X, init=dictionary, iterations=0, **OMP)
    assert np.allclose(result.dictionary, dictionary)
    assert inco.learn(X, atoms=20, init="dct", iterations=1, **OMP).dictionary.shape == (20, 16)
    with pytest.raises(inco.InvalidError, match="atoms"):
        inco.learn(X, atoms=7, init=dictionary, iterations=0)


# ---- Iterators ----

class Parts(inco.DataIter):
    def __init__(self, X, sizes):
        self.X, self.sizes, self.resets = X, sizes, 0
        self.reset()

    def reset(self):
        self.place, self.resets = 0, self.resets + 1

    def next(self):
        if self.place == len(self.X):
            return None
        size = self.sizes[self.place % len(self.sizes)]
        part = self.X[self.place:self.place + size]
        self.place += len(part)
        return part


@pytest.mark.parametrize("sizes", [[1500], [1, 7, 500], [64]])
def test_an_iterator_gives_the_bits_of_an_array(X, sizes):
    expected = inco.learn(X, atoms=20, iterations=3, schedule="batch", **OMP)
    parts = Parts(X, sizes)
    result = inco.learn(parts, atoms=20, iterations=3, schedule="batch", **OMP)
    assert np.array_equal(result.dictionary, expected.dictionary)
    assert parts.resets < 20, "one reset per pass"
    assert (inco.encode(result.dictionary, parts, **OMP) != inco.encode(result.dictionary, X, **OMP)).nnz == 0


def test_an_iterator_is_read_in_its_order(X):
    results = [inco.learn(Parts(X, sizes), atoms=20, iterations=3, schedule="growing", **OMP) for sizes in ([1500], [64])]
    assert np.array_equal(results[0].dictionary, results[1].dictionary)
    parts = Parts(X, [100])
    inco.learn(parts, atoms=20, iterations=3, schedule="growing", **OMP)
    assert parts.resets < 20, "one reset per pass"


def test_an_exception_in_an_iterator_reaches_the_caller(X):
    class Broken(Parts):
        def next(self):
            if self.resets > 2:
                raise RuntimeError("the disk is gone")
            return super().next()

    with pytest.raises(RuntimeError, match="the disk is gone"):
        inco.learn(Broken(X, [100]), atoms=20, iterations=3, **OMP)


def test_an_iterator_that_shrinks_is_refused(X):
    class Shrinking(Parts):
        def next(self):
            return super().next() if self.resets < 4 or self.place < 300 else None

    with pytest.raises(inco.InvalidError, match="fewer signals"):
        inco.learn(Shrinking(X, [100]), atoms=20, iterations=5, **OMP)


# ---- Codes ----

def test_codes_have_orthogonal_residuals(X, dictionary):
    codes = inco.encode(dictionary, X[:200], coder="omp", sparsity=4, sparse=False)
    residual = X[:200] - codes @ dictionary
    assert ((codes != 0).sum(1) <= 4).all()
    for code, r in zip(codes, residual):
        assert np.abs(dictionary[code != 0] @ r).max() < 1e-10


def test_dense_codes_are_the_sparse_ones(X, dictionary):
    many = np.tile(X, (4, 1))  # more than one block
    sparse = inco.encode(dictionary, many, **OMP)
    assert np.array_equal(inco.encode(dictionary, many, sparse=False, **OMP), sparse.toarray())
    assert np.allclose(inco.decode(dictionary, sparse), sparse @ dictionary, atol=1e-13)
    assert np.allclose(inco.decode(dictionary, sparse.toarray()), sparse @ dictionary, atol=1e-13)


def test_sparsity_is_clipped_with_a_warning(X, dictionary):
    with pytest.warns(inco.SparsityWarning, match="reduced to 16"):
        codes = inco.encode(dictionary, X[:10], coder="omp", sparsity=99, sparse=False)
    assert (codes != 0).sum(1).max() <= 16


# ---- Low coherence ----

def test_decohere(X, dictionary):
    D = 3 * dictionary
    result = inco.decohere(D, max_coherence=0.4)
    assert result.reached and inco.inspect(result.dictionary).coherence_max <= 0.4
    assert np.allclose(np.linalg.norm(result.dictionary, axis=1), 3)
    with_data = inco.decohere(D, X, max_coherence=0.4, **OMP)
    assert with_data.relative_error < 1 and with_data.signals == len(X)
    with pytest.raises(inco.InvalidError, match="bound"):
        inco.decohere(D, max_coherence=0.01)


def test_frames_reach_known_bounds():
    assert inco.frame(dim=2, atoms=3).coherence_max == pytest.approx(0.5, abs=1e-6)
    assert inco.frame(dim=6, atoms=16, seed=1).coherence_max == pytest.approx(1 / 3, abs=1e-6)
    assert inco.welch_bound(6, 16) == pytest.approx(1 / 3)
    assert inco.welch_bound(3, 20) > np.sqrt(17 / (3 * 19))  # Levenshtein


# ---- Inspection ----

def test_inspection(dictionary):
    metrics = inco.inspect(dictionary)
    gram = np.abs(dictionary @ dictionary.T)
    pairs = gram[np.triu_indices(len(gram), 1)]
    assert metrics.coherence_max == pytest.approx(pairs.max())
    assert metrics.coherence_rms == pytest.approx(np.sqrt((pairs ** 2).mean()))
    assert metrics.histogram.sum() == len(pairs)
    assert np.allclose(metrics.singular, np.linalg.svd(dictionary, compute_uv=False))
    np.fill_diagonal(gram, 0)
    assert np.allclose(metrics.babel[:3], [np.sort(gram, 1)[:, -k:].sum(1).max() for k in (1, 2, 3)])
    assert metrics.pairs[0][2] == pytest.approx(dictionary[metrics.pairs[0][0]] @ dictionary[metrics.pairs[0][1]])
    assert np.array_equal(metrics.nearest, gram.argmax(1)) and np.allclose(np.abs(metrics.nearest_similarity), gram.max(1))
    assert metrics.nearest_quantiles[0.5] == pytest.approx(np.median(gram.max(1)))
    assert len(metrics.duplicate_first) == metrics.duplicates == 0
    near = inco.inspect(dictionary, duplicates=0.4)
    assert len(near.duplicate_first) == near.duplicates == (pairs >= 0.4).sum() > 0
    assert np.allclose(np.abs(near.duplicate_similarity), gram[near.duplicate_first, near.duplicate_second])
    assert "32 atoms of 16 dimensions" in repr(metrics) and "Welch bound" in repr(metrics)
    assert metrics.report().lstrip().lower().startswith("<!doctype html")
    assert "<svg" in metrics.report() and metrics._repr_html_().startswith("<iframe")


def test_comparison_is_the_assignment_of_scipy():
    """Unrelated dictionaries of other sizes, and a noisy copy: the same total similarity as SciPy's solution."""
    optimize = pytest.importorskip("scipy.optimize")
    random = np.random.default_rng(3)
    for rows, cols, dtype in (60, 60, "f4"), (40, 75, "f8"), (75, 40, "f8"):
        A, B = random.standard_normal((rows, 16)).astype(dtype), random.standard_normal((cols, 16))
        if rows == 60:
            B = -2 * A[::-1] + 0.3 * random.standard_normal((60, 16))
        unit = [D.astype("f8") / np.linalg.norm(D.astype("f8"), axis=1, keepdims=True) for D in (A, B)]
        similarity = unit[0] @ unit[1].T
        first, second = optimize.linear_sum_assignment(-np.abs(similarity))
        found = inco.compare(A, B)
        inside = found.match >= 0
        assert found.matched == inside.sum() == min(rows, cols)
        assert len(set(found.match[inside])) == found.matched
        assert found.mean_similarity == pytest.approx(np.abs(similarity)[first, second].mean(), abs=2 ** -27)
        assert np.allclose(found.match_similarity[inside], similarity[np.flatnonzero(inside), found.match[inside]])
        assert np.array_equal(found.nearest_a, np.abs(similarity).argmax(1))
        assert np.array_equal(found.nearest_b, np.abs(similarity).argmax(0))
        assert found.collisions_a == rows - len(set(found.nearest_a))
        assert found.mean_nearest_b == pytest.approx(np.abs(similarity).max(0).mean())
        sizes = np.abs(found.match_similarity[inside])
        assert found.recovered == {level: (sizes >= level).sum() for level in (0.99, 0.95, 0.9)}
        assert found.histogram.sum() == found.matched
    assert "pairs one to one" in repr(found)
    with pytest.raises(inco.InvalidError, match="16 dimensions, those of the second 15"):
        inco.compare(A, A[:, :15])


def test_plot(dictionary):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = inco.inspect(dictionary).plot()
    assert len(axes) == 3 and axes[0].get_xlabel()


# ---- Missing entries ----

def test_missing_entries(X, tmp_path):
    gone = np.random.default_rng(3).random(X.shape) < 0.3
    gaps = np.where(gone, np.nan, X)
    result = inco.learn(gaps, atoms=24, iterations=3, missing="nan", **OMP)
    assert result.missing_entries == gone.sum() and result.empty_signals == 0
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "M.npy", ~gone)
    masked = inco.learn(tmp_path / "X.npy", atoms=24, iterations=3, mask=str(tmp_path / "M.npy"), **OMP)
    assert (masked.dictionary == result.dictionary).all()
    columns = np.asfortranarray(gaps)  # read by a callback
    assert (inco.learn(columns, atoms=24, iterations=3, missing="nan", **OMP).dictionary == result.dictionary).all()
    codes = inco.encode(result.dictionary, gaps, missing="nan", sparse=False, **OMP)
    assert np.linalg.norm((X - codes @ result.dictionary)[~gone]) < np.linalg.norm(X[~gone])
    with pytest.raises(ValueError, match="missing"):
        inco.learn(gaps, atoms=24, iterations=1, **OMP)
    with pytest.raises(ValueError, match="mask belongs to files"):
        inco.learn(X, atoms=24, iterations=1, mask="M.npy", **OMP)


# ---- What is refused ----

@pytest.mark.parametrize("wrong, expected", [
    ([1.0, 2.0], ValueError), (np.zeros((2, 2, 2)), ValueError), ([["a", "b"]], ValueError),
    (np.array([[1.0, np.nan], [0.0, 1.0]]), ValueError), (np.empty((0, 4)), ValueError), (np.ones((3, 2)) * 1j, ValueError),
    ("/no/such/file.npy", OSError), (None, ValueError),
])
def test_bad_data(wrong, expected):
    with pytest.raises(expected) as caught:
        inco.learn(wrong, atoms=2)
    assert isinstance(caught.value, inco.Error) and "--" not in str(caught.value)


def test_sparse_data_is_refused(dictionary):
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="toarray"):
        inco.encode(dictionary, sparse.eye(16).tocsr(), **OMP)


def test_codes_of_another_dictionary_are_refused(dictionary):
    with pytest.raises(ValueError, match="32 atoms"):
        inco.decode(dictionary, np.zeros((3, 31)))


def test_pandas_frames(X):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X[:300])
    expected = inco.learn(X[:300], atoms=20, iterations=1, **OMP).dictionary
    assert np.array_equal(inco.learn(frame, atoms=20, iterations=1, **OMP).dictionary, expected)


def test_a_missed_target_is_warned_of(X):
    with pytest.warns(inco.TargetWarning, match="max_coherence"):
        inco.learn(X, atoms=32, method="idb", max_coherence=0.3, iterations=1, **OMP)


# ---- Weights ----

WHOLE = dict(atoms=20, coder="omp", sparsity=3, iterations=3, schedule="batch")


def weighted_signals():
    rng = np.random.default_rng(7)
    return rng.standard_normal((500, 12)), rng.integers(0, 4, 500)


def test_weights_are_repetitions():
    X, weight = weighted_signals()
    weighted, repeated = inco.learn(X, sample_weight=weight, **WHOLE), inco.learn(np.repeat(X, weight, axis=0), **WHOLE)
    np.testing.assert_allclose(weighted.dictionary, repeated.dictionary, rtol=0, atol=1e-12)
    assert weighted.weight == weight.sum() and weighted.left_out == (weight == 0).sum()


@pytest.mark.parametrize("form", ["f32", "fortran", "iterator"])
def test_weights_of_every_source(form):
    X, weight = weighted_signals()
    X = X.astype("f4") if form == "f32" else np.asfortranarray(X) if form == "fortran" else X
    data = Halves(X) if form == "iterator" else X
    found = inco.learn(data, sample_weight=(weight > 0).tolist(), **WHOLE).dictionary
    np.testing.assert_array_equal(found, inco.learn(np.ascontiguousarray(X[weight > 0]), **WHOLE).dictionary)


class Halves(inco.DataIter):
    def __init__(self, X):
        self.X = X
        self.reset()

    def reset(self):
        self.left = [self.X[:200], self.X[200:]]

    def next(self):
        return self.left.pop(0) if self.left else None


@pytest.mark.parametrize("weight, message", [
    (-np.ones(500), "weight of signal 0 .* is -1"), (np.full(500, np.nan), "is nan"), (np.full(500, np.inf), "is inf"),
    (np.zeros(500), "all 500 weights are zero"), (np.ones(499), "not one weight for each of 500"),
    (np.ones((500, 1)), "not one weight for each of 500"), (np.ones(500) * 1j, "not numbers"), (["a"] * 500, "not numbers"),
])
def test_bad_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        inco.learn(weighted_signals()[0], sample_weight=weight, **WHOLE)


def test_weights_that_would_not_be_used():
    X, weight = weighted_signals()
    with pytest.raises(ValueError, match="sample_weight is an array"):
        inco.learn(X, weights="w.npy", **WHOLE)
    with pytest.raises(ValueError, match="X is None"):
        inco.decohere(X[:20], max_coherence=.9, sample_weight=weight)


def test_weights_of_decohere():
    X, weight = weighted_signals()
    wanted = dict(max_coherence=.5, coder="omp", sparsity=3)
    one = inco.decohere(X[:20], X, sample_weight=weight, **wanted).dictionary
    other = inco.decohere(X[:20], np.repeat(X, weight, axis=0), **wanted).dictionary
    without = inco.decohere(X[:20], X, **wanted).dictionary
    assert abs(one - other).max() < 1e-3 * abs(one - without).max()  # the search for the bound amplifies rounding
