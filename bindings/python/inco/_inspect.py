"""inspect: the coherence of a dictionary, as numbers, text, figures and the standard report."""
import ctypes
import html
import types

import numpy as np

from . import _arrays as arrays
from . import _library as library
from . import _options as options
from . import _structs as s
from ._calls import Call

lib = library.lib

ARRAYS = {
    "babel": ("babel_count", np.float64), "histogram": ("histogram_count", np.int64),
    "singular": ("singular_count", np.float64), "pair_first": ("pair_count", np.int64),
    "pair_second": ("pair_count", np.int64), "pair_similarity": ("pair_count", np.float64),
    "nearest": ("nearest_count", np.int64), "nearest_similarity": ("nearest_count", np.float64),
    "duplicate_first": ("duplicate_count", np.int64), "duplicate_second": ("duplicate_count", np.int64),
    "duplicate_similarity": ("duplicate_count", np.float64),
    "quantile_level": ("quantile_count", np.float64), "nearest_quantile": ("quantile_count", np.float64),
}


class Inspection(types.SimpleNamespace):
    """Result of :func:`inspect`: metrics of the normalised atoms, as inco_metrics has them.

    coherence_max, coherence_rms, coherence_mean, coherence_median : float
        Of |d_i'd_j| over all pairs of atoms.
    welch : float
        Lower bound on the coherence of as many atoms.
    erc_sparsity : int
        Number of atoms per signal up to which exact recovery is guaranteed by the coherence.
    babel : ndarray
        The Babel function of 1, 2, ... atoms.
    histogram : ndarray
        Number of pairs by |d_i'd_j|, in bins of equal width on [0, 1].
    singular : ndarray
        Singular values, in descending order; each is `flat_singular` in a tight frame.
    pairs : list of (int, int, float)
        The most coherent pairs of atoms, counted from 0, and d_i'd_j.
    nearest, nearest_similarity : ndarray
        Per atom: the atom most similar to it, and d_i'd_j with that atom; -1 and NaN for a zero atom.
    nearest_quantiles : dict of float to float
        Quantiles of |d_i'd_j| with the nearest atom.
    duplicate_first, duplicate_second, duplicate_similarity : ndarray
        The pairs with |d_i'd_j| of at least the option `duplicates`, most coherent first; at most 1,000,000 of the
        `duplicates` pairs.
    """

    def __repr__(self):
        return "\n".join(self._lines())

    def _lines(self):
        name = self.bound_name
        yield f"{self.atoms} atoms of {self.dim} dimensions, {self.dtype}"
        yield f"  norms              {self.norm_min:.6g} to {self.norm_max:.6g}"
        if self.zero_atoms:
            yield f"  zero atoms         {self.zero_atoms}, ignored below"
        ratio = f" ({name} {self.welch:.4f}, ratio {self.coherence_max / self.welch:.1f})" if self.welch > 0 else ""
        yield f"  coherence          {self.coherence_max:.4f}{ratio}"
        yield (f"    of all pairs     rms {self.coherence_rms:.4f}, mean {self.coherence_mean:.4f}, median "
               f"{self.coherence_median:.4f}")
        if self.nearest_quantiles:
            yield (f"  nearest atom       {self.nearest_quantiles[0.5]:.4f} median, {self.nearest_quantiles[0.05]:.4f} to "
                   f"{self.nearest_quantiles[0.95]:.4f} for 90 % of the atoms")
        yield f"  exact recovery     guaranteed up to {self.erc_sparsity} atoms by coherence"
        if len(self.singular):
            yield (f"  singular values    {self.singular[0]:.4g} to {self.singular[-1]:.4g} ({self.flat_singular:.4g} each "
                   "in a tight frame)")
        yield f"  near duplicates    {self.duplicates} pairs at {self.threshold:g} or above"
        for first, second, similarity in self.pairs[:5]:
            yield f"    {first:6d} {second:6d}     {similarity:+.4f}"

    def report(self):
        """The standard report of the dictionary: one self-contained HTML document."""
        return self._html

    def _repr_html_(self):
        """The report in a frame of its own, for notebooks."""
        return (f'<iframe srcdoc="{html.escape(self._html)}" title="{html.escape(next(self._lines()))}" '
                'style="width: 100%; height: 40em; border: 0"></iframe>')

    def plot(self, axes=None):
        """Plot the distribution of |d_i'd_j|, the singular values and the Babel function, with matplotlib.

        Parameters
        ----------
        axes : three matplotlib axes, default=None
            Where to plot; a new figure if None.

        Returns
        -------
        the axes
        """
        axes = _new_axes() if axes is None else axes
        inner, spectrum, babel = axes
        edges = np.linspace(0, 1, len(self.histogram) + 1)
        inner.stairs(self.histogram, edges, fill=True)
        inner.axvline(self.coherence_max, color="C3", label=f"max {self.coherence_max:.3f}")
        inner.axvline(self.welch, color="C2", linestyle="--", label=f"{self.bound_name} {self.welch:.3f}")
        inner.set(xlabel="|inner product|", ylabel="pairs of atoms", yscale="log")
        inner.legend()
        spectrum.plot(np.arange(1, len(self.singular) + 1), self.singular)
        spectrum.axhline(self.flat_singular, color="C2", linestyle="--", label="tight frame")
        spectrum.set(xlabel="index", ylabel="singular value")
        spectrum.legend()
        babel.plot(np.arange(1, len(self.babel) + 1), self.babel)
        babel.axhline(1, color="C2", linestyle="--")
        babel.set(xlabel="atoms", ylabel="Babel function")
        return axes


def _new_axes():
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise library.MissingFeatureError("plot needs matplotlib (Debian: python3-matplotlib)") from None
    return plt.subplots(1, 3, figsize=(12, 3.5), constrained_layout=True)[1]


def _write_report(call, mat, metrics, shown):
    """The standard report as text."""
    parts = []

    def write(_, address, count):
        parts.append(ctypes.string_at(address, count))
        return 0

    stream = s.Stream(write=s.WRITE_BYTES(write))
    nan = float("nan")
    summary = s.Summary(dictionary=ctypes.pointer(mat), metrics=ctypes.pointer(metrics), relative_error=nan,
                        mean_cardinality=nan, **shown)
    report = lib.inco_report_new(f"Dictionary of {mat.cols} atoms".encode(), f"{mat.rows} dimensions".encode())
    if not report:
        raise library.OutOfMemoryError("out of memory")
    try:
        lib.inco_report_dictionary(report, summary)
        call("inco_report_write", report, stream)
    finally:
        lib.inco_report_free(report)
    return b"".join(parts).decode()


# What the library needs files for, or for the data of a run.
_INSPECT = options.Parameters(options.INSPECT, without=["window", "hop", "columns", "variable", "center", "max-memory"])


@options.takes_options(_INSPECT)
def inspect(dictionary, *, callbacks=None, **settings) -> Inspection:
    """Measure the coherence and the spectrum of a dictionary from any tool, with atoms of any norm.

    Parameters
    ----------
    dictionary : array of shape (atoms, features)
        Such as `components_` of an estimator, or the decoder of a sparse autoencoder.
    callbacks : iterable of callables, default=None
        As for :func:`learn`.
    {options}

    Returns
    -------
    Inspection
        In a notebook it shows the standard report, with figures; `plot` draws them with matplotlib.

    Examples
    --------
    >>> import numpy as np, inco
    >>> mercedes = np.array([[0.0, 1.0], [-(3**0.5) / 2, -0.5], [3**0.5 / 2, -0.5]])
    >>> metrics = inco.inspect(mercedes)
    >>> round(metrics.coherence_max, 6), metrics.erc_sparsity
    (0.5, 1)
    """
    atoms = arrays.as_atoms(dictionary)
    with Call(_INSPECT.settings(settings), callbacks) as call:
        mat, metrics = s.view(atoms), s.Metrics()
        call.run("inco_inspect", mat, call.options, metrics)
        try:
            if not metrics.owner:  # stopped
                return call.finish(None)
            threshold = float(settings.get("duplicates") or options.TABLE["duplicates"].default_text)
            rows, cols = settings.get("patch") or (0, 0)
            shown = dict(duplicates=threshold, patch_rows=rows, patch_cols=cols, rate=settings.get("rate") or 0)
            found = {name: s.copy_array(getattr(metrics, name), getattr(metrics, count), dtype)
                     for name, (count, dtype) in ARRAYS.items()}
            pairs = list(zip(found["pair_first"].tolist(), found["pair_second"].tolist(),
                             found["pair_similarity"].tolist()))
            quantiles = dict(zip(found.pop("quantile_level").tolist(), found.pop("nearest_quantile").tolist()))
            scalars = {name: value for name, value in metrics.as_dict().items() if not name.endswith("_count")}
            return call.finish(Inspection(
                dtype=str(atoms.dtype), threshold=threshold, pairs=pairs, nearest_quantiles=quantiles, _html=_write_report(call, mat, metrics, shown),
                bound_name=lib.inco_bound_name(atoms.shape[1], atoms.shape[0]).decode(), **scalars, **found))
        finally:
            lib.inco_metrics_free(metrics)
