"""DictionaryLearning: scikit-learn's own checks, and what they do not check."""
import copy
import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn
from sklearn.base import clone
from sklearn.decomposition import MiniBatchDictionaryLearning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import inco
from inco import DictionaryLearning

OMP = dict(coder="omp", sparsity=3)


def expected_failures(estimator):
    """The check has 9 different signals for 30 atoms: several atoms become equal up to rounding, which then decides
    between them in the codes. test_weights asserts the same with more signals than atoms."""
    if estimator.n_components is None:
        return {"check_sample_weight_equivalence_on_dense_data": "rounding decides between equal atoms"}
    return {}


# Before scikit-learn 1.6 there is no such check.
EXPECTED = {"expected_failed_checks": expected_failures} if hasattr(sklearn.base.BaseEstimator, "__sklearn_tags__") else {}


@parametrize_with_checks([
    DictionaryLearning(iterations=3),
    DictionaryLearning(n_components=3, iterations=2, sparsity=1, coder="omp", method="online"),
], **EXPECTED)
@pytest.mark.filterwarnings("ignore::inco.SparsityWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def fitted(X):
    return DictionaryLearning(24, iterations=3, **OMP).fit(X)


# ---- What fit learns ----

def test_attributes(fitted, X):
    assert fitted.components_.shape == (24, 16) and fitted.n_features_in_ == 16 and fitted.n_iter_ == 3
    assert np.allclose(np.linalg.norm(fitted.components_, axis=1), 1)
    assert fitted.coherence_ == pytest.approx(inco.inspect(fitted.components_).coherence_max)
    assert fitted.gamma_ > 0 and len(fitted.history_["objective"]) == 3
    expected = inco.learn(X, atoms=24, iterations=3, **OMP)
    assert np.array_equal(fitted.components_, expected.dictionary)


def test_transform_and_back(fitted, X):
    codes = fitted.transform(X)
    assert np.array_equal(codes, inco.encode(fitted.components_, X, sparse=False, **OMP))
    assert np.allclose(fitted.inverse_transform(codes), codes @ fitted.components_)
    error = np.linalg.norm(X - fitted.inverse_transform(codes)) / np.linalg.norm(X)
    assert fitted.score(X) == pytest.approx(1 - error ** 2)
    sparse = copy.copy(fitted).set_params(sparse_output=True).transform(X)
    assert sparse.format == "csr" and np.array_equal(sparse.toarray(), codes)
    assert np.allclose(fitted.inverse_transform(sparse), codes @ fitted.components_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_is_kept(X, dtype):
    model = DictionaryLearning(24, iterations=1, **OMP)
    codes = model.fit_transform(X.astype(dtype))
    assert codes.dtype == model.components_.dtype == model.inverse_transform(codes).dtype == dtype


def test_random_state_and_threads(X):
    def fit(**parameters):
        return DictionaryLearning(24, iterations=1, **OMP, **parameters).fit(X).components_

    assert np.array_equal(fit(random_state=3, n_jobs=1), fit(random_state=3, n_jobs=-1))
    assert not np.array_equal(fit(random_state=3), fit(random_state=4))
    assert not np.array_equal(fit(random_state=None), fit(random_state=None))
    assert np.array_equal(fit(random_state=np.random.RandomState(1)), fit(random_state=np.random.RandomState(1)))
    with pytest.raises(ValueError, match="n_jobs"):
        fit(n_jobs=0)


def test_warm_start(X):
    model = DictionaryLearning(24, iterations=3, warm_start=True, **OMP).fit(X)
    first = model.history_["objective"][-1]
    assert model.fit(X).history_["objective_before"][0] <= first * 1.05
    model.fit(X[:, :8])  # other data
    assert model.components_.shape == (24, 8)


def test_init_array(X, dictionary):
    model = DictionaryLearning(init=dictionary, iterations=0, **OMP).fit(X)
    assert np.allclose(model.components_, dictionary)


def test_bound(X):
    assert DictionaryLearning(32, max_coherence=0.4, iterations=2, **OMP).fit(X).coherence_ <= 0.4


def test_sparsity_is_clipped_with_a_warning(X):
    with pytest.warns(inco.SparsityWarning):
        DictionaryLearning(8, coder="omp", sparsity=50, iterations=1).fit(X)


# ---- partial_fit ----

def test_partial_fit_learns_from_batches_of_any_sizes(X):
    model = DictionaryLearning(32, gamma_relative=0.0, **OMP)
    errors, rng = [], np.random.default_rng(0)
    for _ in range(20):
        for batch in np.split(rng.permutation(X), [700, 701, 1000]):
            model.partial_fit(batch)
        errors.append(1 - model.score(X))
    assert errors[-1] < 0.5 * errors[0] and model.n_iter_ == 80 == len(model.history_["objective"])
    assert model._stream["signals"] == 20 * len(X)


def test_partial_fit_is_the_librarys_online_method(X):
    """The first batch is a first pass of the method online."""
    one = DictionaryLearning(32, gamma_relative=0.1, **OMP).partial_fit(X)
    whole = DictionaryLearning(32, gamma_relative=0.1, method="online", batch=len(X), iterations=1, **OMP).fit(X)
    other = DictionaryLearning(32, gamma_relative=0.1, batch=len(X), **OMP).partial_fit(X)
    assert np.allclose(other.components_, whole.components_, rtol=0, atol=1e-10)  # the start is normalised once more
    assert one.coherence_ == pytest.approx(inco.inspect(one.components_).coherence_max)


def test_partial_fit_satisfies_a_bound_after_every_batch(X):
    for dtype in (np.float32, np.float64):
        model = DictionaryLearning(32, max_coherence=0.5, **OMP)
        for batch in np.split(X.astype(dtype), [300, 301, 900]):
            model.partial_fit(batch)
            assert inco.inspect(model.components_).coherence_max <= 0.5
        assert model.components_.dtype == dtype and model.coherence_ <= 0.5
    free = DictionaryLearning(32, gamma_relative=0.0, **OMP).partial_fit(X)
    assert free.coherence_ > 0.5


@pytest.mark.parametrize("bound", [None, 0.5])
def test_partial_fit_survives_pickle_and_continues(X, bound):
    one = DictionaryLearning(24, max_coherence=bound, **OMP).partial_fit(X[:500])
    two = pickle.loads(pickle.dumps(one))
    for batch in X[500:800], X[800:]:
        assert np.array_equal(one.partial_fit(batch).components_, two.partial_fit(batch).components_)
        assert one.n_iter_ == two.n_iter_ and (bound is None or two.coherence_ <= bound)


def test_a_stopped_batch_leaves_a_bounded_stream(X):
    model = DictionaryLearning(32, max_coherence=0.5, **OMP).partial_fit(X[:500])
    other = pickle.loads(pickle.dumps(model))
    before = model.components_.copy()
    model.callbacks = [lambda progress: True]
    model.partial_fit(X[500:])
    assert np.array_equal(model.components_, before) and model.n_iter_ == 1
    model.callbacks = None
    assert np.array_equal(model.partial_fit(X[500:]).components_, other.partial_fit(X[500:]).components_)


def test_partial_fit_after_fit_begins_with_its_dictionary(X):
    model = DictionaryLearning(24, iterations=5, **OMP).fit(X)
    before = model.score(X)
    assert model.partial_fit(X[:200]).score(X) > before - 0.1


def test_a_failed_batch_leaves_the_estimator(X):
    model = DictionaryLearning(24, **OMP).partial_fit(X[:500])
    before = model.components_.copy()
    model.callbacks = [lambda progress: 1 / 0]
    with pytest.raises(ZeroDivisionError):
        model.partial_fit(X[500:])
    assert np.array_equal(model.components_, before) and model.n_iter_ == 1


# ---- scikit-learn's tools ----

def test_clone_pickle_and_parameters(fitted, X):
    other = clone(fitted)
    assert other.get_params() == fitted.get_params() and not hasattr(other, "components_")
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).transform(X[:9]), fitted.transform(X[:9]))
    assert "n_components=24" in repr(fitted) and "sparsity=3" in repr(fitted)


def test_pipeline_and_grid_search(X):
    pipeline = make_pipeline(StandardScaler(with_std=False), DictionaryLearning(24, iterations=2, **OMP))
    search = GridSearchCV(pipeline, {"dictionarylearning__sparsity": [1, 5]}, cv=2, n_jobs=2).fit(X[:400])
    assert search.best_params_ == {"dictionarylearning__sparsity": 5}
    assert search.transform(X[:5]).shape == (5, 24)


def test_joblib(X):
    import joblib
    expected = DictionaryLearning(24, iterations=1, **OMP).fit(X).components_
    for backend in ("loky", "multiprocessing", "threading"):
        model = DictionaryLearning(24, iterations=1, **OMP)
        found = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(model.fit)(X) for _ in range(2))
        assert all(np.array_equal(each.components_, expected) for each in found), backend


def test_names_of_features_and_set_output(fitted, X):
    assert list(fitted.get_feature_names_out()[:2]) == ["dictionarylearning0", "dictionarylearning1"]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"x{i}" for i in range(16)])
    model = DictionaryLearning(24, iterations=1, **OMP).set_output(transform="pandas").fit(frame)
    assert list(model.transform(frame).columns) == list(model.get_feature_names_out())
    assert list(model.feature_names_in_) == list(frame.columns)


# ---- Missing entries ----

@pytest.fixture
def gaps(X):
    return np.where(np.random.default_rng(3).random(X.shape) < 0.3, np.nan, X)


def test_missing_entries_are_filled(X, gaps):
    model = DictionaryLearning(24, iterations=10, missing="nan", **OMP).fit(gaps)
    filled, seen = model.inverse_transform(model.transform(gaps)), ~np.isnan(gaps)
    assert np.isfinite(filled).all()
    error = np.linalg.norm((filled - X)[seen]) ** 2 / np.linalg.norm(X[seen]) ** 2
    assert np.isclose(model.score(gaps), 1 - error)
    with pytest.raises(ValueError, match="infinity"):
        model.transform(np.where(seen, gaps, np.inf))


def test_the_tag_allow_nan_follows_the_parameter(gaps):
    for missing in "refuse", "nan":
        model = DictionaryLearning(24, missing=missing, iterations=1, **OMP)
        tags = model.__sklearn_tags__().input_tags if hasattr(sklearn.utils, "get_tags") else None
        assert (tags.allow_nan if tags else model._get_tags()["allow_nan"]) is (missing == "nan")
        if missing == "refuse":
            with pytest.raises(ValueError, match="NaN"):
                model.fit(gaps)


def test_partial_fit_with_missing_entries(gaps):
    model = DictionaryLearning(24, missing="nan", gamma_relative=0.1, **OMP)
    for batch in np.array_split(gaps, 3):
        model.partial_fit(batch)
    assert np.isfinite(model.components_).all() and model.n_iter_ == 3
    assert 0 < model._stream["observed"] < model._stream["energy"]


# ---- What is refused, as by scikit-learn's own estimator ----

def bad_inputs():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    return {
        "one dimension": np.ones(5), "NaN": np.array([[1.0, np.nan], [0, 1]]), "infinity": np.array([[1.0, np.inf], [0, 1]]),
        "strings": [["a", "b"], ["c", "d"]], "no signals": np.empty((0, 4)), "no features": np.empty((4, 0)),
        "ragged": [[1.0, 2.0], [3.0]], "sparse": scipy_sparse.eye(4).tocsr(), "complex": np.ones((3, 2)) * 1j,
        "three dimensions": np.ones((2, 2, 2)), "None": None,
    }


@pytest.mark.parametrize("name", bad_inputs())
def test_bad_input_gets_the_exception_of_scikit_learn(name):
    wrong = bad_inputs()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("fit", "partial_fit"):
            with pytest.raises(Exception) as theirs:
                getattr(MiniBatchDictionaryLearning(2), method)(wrong)
            with pytest.raises(type(theirs.value)) as ours:
                getattr(DictionaryLearning(2), method)(wrong)
            text = str(theirs.value).replace("MiniBatchDictionaryLearning", "DictionaryLearning")
            assert str(ours.value).split("\n")[0] == text.split("\n")[0]


def test_other_features_are_refused(fitted, X):
    with pytest.raises(ValueError, match="X has 15 features, but DictionaryLearning is expecting 16 features"):
        fitted.transform(X[:, :15])
    with pytest.raises(sklearn.exceptions.NotFittedError):
        DictionaryLearning().transform(X)


def test_wrong_options_are_refused(X):
    for wrong in (dict(method="nonsense"), dict(gamma=-1), dict(gamma=[1]), dict(sparsity=2.5), dict(iterations="many"),
                  dict(max_coherence=0.01), dict(gamma=1, gamma_relative=1), dict(n_components=0), dict(n_components=2.5)):
        with pytest.raises(inco.InvalidError) as caught:
            DictionaryLearning(**{"n_components": 32, **wrong}).fit(X)
        assert "--" not in str(caught.value)
    with pytest.raises(TypeError, match="no_such"):
        DictionaryLearning(no_such=1)


# ---- Weights ----

def test_weights():
    rng = np.random.default_rng(7)
    X, weight = rng.standard_normal((300, 12)), rng.integers(0, 4, 300)
    model = DictionaryLearning(20, iterations=3, schedule="batch", **OMP)
    weighted = model.fit(X, sample_weight=weight).components_
    repeated = model.fit(np.repeat(X, weight, axis=0)).components_
    np.testing.assert_allclose(weighted, repeated, rtol=0, atol=1e-12)
    codes = model.fit_transform(X, sample_weight=weight)
    np.testing.assert_array_equal(codes, model.fit(X, sample_weight=weight).transform(X))


def test_weights_of_a_stream():
    rng = np.random.default_rng(8)
    X, weight = rng.standard_normal((300, 12)), rng.integers(1, 4, 300)
    init = X[:20] / np.linalg.norm(X[:20], axis=1, keepdims=True)
    one, other = (DictionaryLearning(20, init=init, method="online", batch=10**6, **OMP) for _ in range(2))
    for part in np.array_split(np.arange(300), 3):
        one.partial_fit(X[part], sample_weight=weight[part])
        other.partial_fit(np.repeat(X[part], weight[part], axis=0))
    np.testing.assert_allclose(one.components_, other.components_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_bad_weights(bad):
    X = np.random.default_rng(9).standard_normal((50, 5))
    weight = np.ones(50)
    weight[3] = bad
    for learn in (DictionaryLearning(4).fit, DictionaryLearning(4).partial_fit):
        with pytest.raises(ValueError, match="weight"):
            learn(X, sample_weight=weight)
        with pytest.raises(ValueError, match="weight"):
            learn(X, sample_weight=weight[:-1])
        with pytest.raises(ValueError, match="weight"):
            learn(X, sample_weight=np.zeros(50))
