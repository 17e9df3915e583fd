"""compare: the atoms of two dictionaries, matched up to sign."""
import types

import numpy as np

from . import _arrays as arrays
from . import _library as library
from . import _options as options
from . import _structs as s
from ._calls import Call

ARRAYS = {
    "match": ("atoms_a", np.int64), "match_similarity": ("atoms_a", np.float64),
    "nearest_a": ("atoms_a", np.int64), "nearest_similarity_a": ("atoms_a", np.float64),
    "nearest_b": ("atoms_b", np.int64), "nearest_similarity_b": ("atoms_b", np.float64),
    "histogram": ("histogram_count", np.int64), "threshold": ("threshold_count", np.float64),
    "recovered": ("threshold_count", np.int64), "recovered_a": ("threshold_count", np.int64),
    "recovered_b": ("threshold_count", np.int64),
}


class Comparison(types.SimpleNamespace):
    """Result of :func:`compare`. The similarity of two atoms is the inner product of the normalised atoms.

    matched : int
        Number of pairs of the matching one to one: all nonzero atoms of the smaller dictionary.
    mean_similarity : float
        Mean absolute similarity of these pairs, the largest possible: the mean correlation of the two dictionaries.
    match, match_similarity : ndarray
        Per atom of A: its atom of B and their similarity; -1 and NaN for none.
    recovered : dict of float to int
        Number of these pairs with an absolute similarity of at least 0.99, 0.95 and 0.9.
    histogram : ndarray
        Number of these pairs by absolute similarity, in bins of equal width on [0, 1].
    nearest_a, nearest_similarity_a, mean_nearest_a, recovered_a : ndarray, ndarray, float, dict
        The same if each atom of A has its most similar atom of B, which several may share; conversely with `_b`.
    collisions_a, collisions_b : int
        Number of atoms whose most similar atom is also that of an earlier one.
    coherence_max_a, coherence_rms_a, coherence_max_b, coherence_rms_b : float
        Of each dictionary.
    """

    def __repr__(self):
        return "\n".join(self._lines())

    def _lines(self):
        yield f"{self.atoms_a} and {self.atoms_b} atoms of {self.dim} dimensions"
        yield f"  matched            {self.matched} pairs one to one, mean |cosine| {self.mean_similarity:.4f}"
        yield "    recovered        " + ", ".join(f"{count} at {level:g}" for level, count in self.recovered.items())
        for of, mean, collisions in (("A", self.mean_nearest_a, self.collisions_a),
                                     ("B", self.mean_nearest_b, self.collisions_b)):
            yield f"  most similar       for each atom of {of}: mean |cosine| {mean:.4f}, {collisions} collisions"


# What the library needs for files and reports.
_COMPARE = options.Parameters(options.COMPARE, without=["columns", "variable", "patch", "rate"])


@options.takes_options(_COMPARE)
def compare(a, b, *, callbacks=None, **settings) -> Comparison:
    """Match the atoms of two dictionaries up to sign and norm.

    Parameters
    ----------
    a, b : array of shape (atoms, features)
        Dictionaries from any tool, with the same number of features and any numbers of atoms.
    callbacks : iterable of callables, default=None
        As for :func:`learn`.
    {options}

    Returns
    -------
    Comparison
        With the attributes `match`, `match_similarity`, `mean_similarity`, `recovered` and others.

    Examples
    --------
    >>> import numpy as np, inco
    >>> A = np.random.default_rng(0).standard_normal((20, 10))
    >>> result = inco.compare(A, -2 * A[::-1])
    >>> result.match[:3].tolist(), result.recovered[0.99]
    ([19, 18, 17], 20)
    """
    first, second = arrays.as_atoms(a, "a"), arrays.as_atoms(b, "b")
    with Call(_COMPARE.settings(settings), callbacks) as call:
        found = s.Comparison()
        call.run("inco_compare", s.view(first), s.view(second), call.options, found)
        try:
            if not found.owner:  # stopped
                return call.finish(None)
            lists = {name: s.copy_array(getattr(found, name), getattr(found, count), dtype)
                     for name, (count, dtype) in ARRAYS.items()}
            levels = lists.pop("threshold").tolist()
            for name in "recovered", "recovered_a", "recovered_b":
                lists[name] = dict(zip(levels, lists[name].tolist()))
            scalars = {name: value for name, value in found.as_dict().items() if not name.endswith("_count")}
            return call.finish(Comparison(**scalars, **lists))
        finally:
            library.lib.inco_comparison_free(found)
