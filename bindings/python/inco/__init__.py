"""inco: learns incoherent dictionaries for sparse coding.

Signals and atoms are the rows of arrays. :class:`DictionaryLearning` is an estimator for scikit-learn; the functions do the
same in single steps.

>>> import numpy as np, inco
>>> X = np.random.default_rng(0).standard_normal((500, 16))
>>> result = inco.learn(X, atoms=32, coder="omp", sparsity=3)
>>> codes = inco.encode(result.dictionary, X, coder="omp", sparsity=3)
>>> codes.shape
(500, 32)
"""
from ._arrays import DataIter
from ._calls import Progress
from ._compare import Comparison, compare
from ._functions import (
    Decohered, Frame, Learned, SparsityWarning, TargetWarning, decode, decohere, encode, frame, learn, welch_bound,
)
from ._inspect import Inspection, inspect
from ._library import (
    Error, FileError, Interrupted, InvalidError, LibraryError, MissingFeatureError, NumericalError, OutOfMemoryError,
    __version__,
)

__all__ = [
    "Comparison", "DataIter", "Decohered", "DictionaryLearning", "Error", "FileError", "Frame", "Inspection", "Interrupted", "InvalidError", "Learned",
    "LibraryError", "MissingFeatureError", "NumericalError", "OutOfMemoryError", "Progress", "SparsityWarning",
    "TargetWarning", "compare", "decode", "decohere", "encode", "frame", "inspect", "learn", "welch_bound",
]


def __getattr__(name):
    """DictionaryLearning, imported when it is used first: scikit-learn takes a second to load."""
    if name == "DictionaryLearning":
        from ._estimator import DictionaryLearning
        globals()[name] = DictionaryLearning
        return DictionaryLearning
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), "DictionaryLearning"])
