"""Data of the tests. INCO_LIBRARY names the library to test, unless the package is installed with its own."""
import numpy as np
import pytest

# OpenBLAS may not know the processor: the package then warns once, in whatever test comes first.
ADVICE = "ignore:OpenBLAS does not know this processor:RuntimeWarning"


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", ADVICE)


def planted(count, dim=16, atoms=32, sparsity=3, seed=0):
    """Signals of a few atoms of a random dictionary, with a little noise."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal((atoms, dim))
    truth /= np.linalg.norm(truth, axis=1, keepdims=True)
    codes = np.zeros((count, atoms))
    for row in codes:
        row[rng.choice(atoms, sparsity, replace=False)] = rng.standard_normal(sparsity)
    return codes @ truth + 0.01 * rng.standard_normal((count, dim)), truth


@pytest.fixture(scope="session")
def X():
    return planted(1500)[0]


@pytest.fixture(scope="session")
def dictionary():
    return planted(1)[1]
