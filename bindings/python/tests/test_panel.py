"""The defaults beside scikit-learn: a small version of bench/panel.py."""
import warnings

import numpy as np
import pytest

import inco

sklearn = pytest.importorskip("sklearn")


def errors(d, x, cardinalities):
    d = np.ascontiguousarray(d / np.linalg.norm(d, axis=1, keepdims=True))
    left = [x - inco.encode(d, x, coder="omp", sparsity=k) @ d for k in cardinalities]
    return np.array([np.linalg.norm(r) / np.linalg.norm(x) for r in left])


def ratios(x, count, atoms, cardinalities, epochs=5):
    """Errors of unseen signals, then rms coherence, of the defaults relative to scikit-learn's."""
    from sklearn.decomposition import MiniBatchDictionaryLearning
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    train, test = x[:count], x[count:]
    ours = inco.learn(train, atoms=atoms, threads=1).dictionary
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = MiniBatchDictionaryLearning(atoms, alpha=.1, max_iter=epochs, batch_size=256, random_state=0,
                                             fit_algorithm="cd", max_no_improvement=None, tol=0.0).fit(train).components_
    coherence = inco.inspect(ours).coherence_rms / inco.inspect(theirs).coherence_rms
    return errors(ours, test, cardinalities) / errors(theirs, test, cardinalities), coherence


def test_digits():
    from sklearn.datasets import load_digits
    error, coherence = ratios(load_digits().data[np.random.RandomState(0).permutation(1797)], 1348, 128, (3, 5, 11))
    assert np.all(error < 1)
    assert coherence < 0.75


def test_planted():
    """Signals of 3 of 64 random atoms, and noise."""
    random = np.random.RandomState(0)
    atoms = random.standard_normal((64, 32))
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    codes = np.zeros((2000, 64))
    for row in codes:
        row[random.permutation(64)[:3]] = random.standard_normal(3)
    x = codes @ atoms + 0.02 * random.standard_normal((2000, 32))
    error, coherence = ratios(x, 1500, 64, (2, 3, 5), 20)
    assert np.all(error < 1)
    assert coherence < 1
