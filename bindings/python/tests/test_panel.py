"""The defaults beside scikit-learn's, on its digits: a small version of bench/panel.py."""
import warnings

import numpy as np
import pytest

import inco

sklearn = pytest.importorskip("sklearn")


def errors(d, x):
    d = np.ascontiguousarray(d / np.linalg.norm(d, axis=1, keepdims=True))
    left = [x - inco.encode(d, x, coder="omp", sparsity=k) @ d for k in (3, 5, 11)]
    return np.array([np.linalg.norm(r) / np.linalg.norm(x) for r in left])


def test_digits():
    from sklearn.datasets import load_digits
    from sklearn.decomposition import MiniBatchDictionaryLearning
    x = load_digits().data[np.random.RandomState(0).permutation(1797)]
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    ours = inco.learn(x[:1348], atoms=128).dictionary
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = MiniBatchDictionaryLearning(128, alpha=.1, max_iter=5, batch_size=256, random_state=0, fit_algorithm="cd",
                                             max_no_improvement=None, tol=0.0).fit(x[:1348]).components_
    assert np.all(errors(ours, x[1348:]) < 1.02 * errors(theirs, x[1348:]))
    assert inco.inspect(ours).coherence_rms < 0.75 * inco.inspect(theirs).coherence_rms
