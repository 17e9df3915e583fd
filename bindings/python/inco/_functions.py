"""The functions of the package: learn, encode, decode, decohere, frame and welch_bound."""
import ctypes
import numbers
import types
import typing
import warnings

import numpy as np

from . import _arrays as arrays
from . import _library as library
from . import _options as options
from . import _structs as s
from ._calls import Call

lib = library.lib
Callbacks = typing.Optional[typing.Iterable[typing.Callable]]


class TargetWarning(UserWarning):
    """A bound or target that can be satisfied was missed; the result is the best dictionary found."""


class SparsityWarning(UserWarning):
    """A sparsity above the number of atoms or features was reduced."""


# ---- Results ----

class Learned(types.SimpleNamespace):
    """Result of :func:`learn`: `dictionary`, its coherence and error, and how the run went.

    Attributes are those of inco_learn_info (`gamma`, `coherence_max`, `relative_error`, `iterations`, `stopped_by`, ...) and

    dictionary : ndarray of shape (atoms, features)
    history : dict of arrays, one value per iteration
    use_count : ndarray, the number of training signals that use each atom; None without a final coding
    path : list of dict, the points of the regularisation path with ``gamma='auto'``
    """

    def __repr__(self):
        return (f"<inco.Learned: {self.atoms} atoms of {self.dim} dimensions after {self.iterations} iterations, coherence "
                f"max {self.coherence_max:.4f}, rms {self.coherence_rms:.4f}, relative error {self.relative_error:.4f}>")


class Decohered(types.SimpleNamespace):
    """Result of :func:`decohere`: `dictionary`, and the attributes of inco_decohere_info."""

    def __repr__(self):
        return (f"<inco.Decohered: {self.atoms} atoms of {self.dim} dimensions, coherence {self.coherence_before:.4f} "
                f"reduced to {self.coherence_max:.4f}, change {self.change:.3g}>")


class Frame(types.SimpleNamespace):
    """Result of :func:`frame`: `dictionary`, and the attributes of inco_frame_info."""

    def __repr__(self):
        return (f"<inco.Frame: {self.atoms} atoms of {self.dim} dimensions, coherence {self.coherence_max:.4f}, lower "
                f"bound {self.welch:.4f}>")


# ---- Learning ----

def _usage(learner):
    count = ctypes.c_int64()
    address = lib.inco_learner_usage(learner, ctypes.byref(count))
    return s.copy_array(address, count.value, np.int64) if address else None


def _path(call, learner):
    """The points of the regularisation path."""
    path, point, points = s.Path(), s.PathPoint(), []
    call("inco_learner_path", learner, path)
    for i in range(path.count):
        call("inco_learner_path_point", learner, i, point)
        cardinality = s.copy_array(path.cardinality, path.cardinalities, np.int64)
        residual = s.copy_array(point.residual, path.cardinalities, np.float64)
        points.append(dict(point.as_dict(), chosen=i == path.chosen, cardinality=cardinality, residual=residual))
    return points


def _learned(call, learner):
    info, view = s.LearnInfo(), s.Mat()
    call("inco_learner_info", learner, info)
    call("inco_learner_dictionary", learner, view)
    if not view.data:
        return None
    return Learned(dictionary=arrays.copy_matrix(view), history=call.recorded(), use_count=_usage(learner),
                   path=_path(call, learner), **info.as_dict())


def _warn_missed(result, settings):
    """Warns of every target that the result misses, beyond the rounding and the tolerances of the methods."""
    infinite = float("inf")
    targets = {
        "max_coherence": (result.coherence_target + 1e-6 if result.coherence_target > 0 else infinite, result.coherence_max),
        "target_rms": (1.001 * float(settings.get("target-rms", infinite)), result.coherence_rms),
        "target_error": (1.01 * float(settings.get("target-error", infinite)), result.relative_error),
    }
    for name, (wanted, reached) in targets.items():
        if reached > wanted:
            warnings.warn(f"{name} was missed: {reached:.6g} instead of {wanted:.6g}", TargetWarning, stacklevel=4)


def run_learner(X, settings, init=None, callbacks=None, names=None, keep=None, sample_weight=None):
    """Learns with options given as text; `init` is an initial dictionary or None.

    `keep` is called with the result, also with that of a run that ends with an exception.
    """
    with Call(settings, callbacks, names) as call:
        signals = None if X is None else arrays.Signals(X, call, sample_weight=sample_weight)
        learner = ctypes.c_void_p()
        call("inco_learner_new", ctypes.byref(learner), signals and signals.struct, call.options)
        try:
            if init is not None:
                call("inco_learner_start_from", learner, s.view(init))
            status = call.run("inco_learner_run", learner)
            result = _learned(call, learner)
            if keep and result:
                keep(result)
            call.finish(result)
        finally:
            lib.inco_learner_free(learner)
    if status == 0:
        _warn_missed(result, settings)
    return result


def _check_weights(X, sample_weight, settings):
    """Refuses weights that would not be used."""
    if settings.get("weights") is not None and (sample_weight is not None or not arrays.are_paths(X)):
        raise library.InvalidError("weights names a file of weights, for signals from files; sample_weight is an array")
    if sample_weight is not None and X is None:
        raise library.InvalidError("sample_weight needs signals, but X is None")


_LEARN = options.Parameters(options.LEARN)


@options.takes_options(_LEARN, replaced=["init"])
def learn(X, *, init="sample", sample_weight=None, callbacks: Callbacks = None, **settings) -> Learned:
    """Learn a dictionary of unit-norm atoms for sparse coding, with bounded coherence.

    Minimises ||X - C D||^2 + gamma ||D D' - I||^2 over dictionaries D and sparse codes C.

    Parameters
    ----------
    X : array of shape (signals, features), DataIter, path, list of paths, or None
        Signals, one per row. Float arrays in C order are not copied, whatever their size; others are converted block by
        block. Paths name files (.npy, .npz, .csv, .mat, audio, images), folders or patterns. None for
        ``method='parametric'``, which needs no data.
    init : {'sample', 'dct', 'random'}, path or array of shape (atoms, features), default='sample'
        Initial dictionary: random signals, cosines, random directions, a file, or an array.
    sample_weight : array of shape (signals,) or number, default=None
        A signal of weight 2 counts as one that occurs twice, a signal of weight 0 as one that is absent.
    callbacks : iterable of callables, default=None
        Each is called with a :class:`Progress` several times per iteration. A true result stops the run after the
        current step; the result is the dictionary so far. An exception stops it too and is raised by `learn`.
    {options}

    Returns
    -------
    Learned
        With the attributes `dictionary`, `coherence_max`, `gamma`, `relative_error`, `history` and others.

    Raises
    ------
    Interrupted
        After Ctrl-C, with what was learned in its attribute `result`. It is a KeyboardInterrupt.

    Examples
    --------
    >>> import numpy as np, inco
    >>> X = np.random.default_rng(0).standard_normal((1000, 16))
    >>> result = inco.learn(X, atoms=32, coder="omp", sparsity=3, max_coherence=0.5)
    >>> result.dictionary.shape
    (32, 16)
    >>> bool(result.coherence_max <= 0.5)
    True
    """
    start = None
    if not isinstance(init, str) and not hasattr(init, "__fspath__"):
        start = arrays.as_atoms(init, "init")
    elif init != "sample":
        settings["init"] = init
    _check_weights(X, sample_weight, settings)
    return run_learner(X, _LEARN.settings(settings), start, callbacks, sample_weight=sample_weight)


# ---- Sparse coding ----

def clip_sparsity(settings, atoms, dim):
    """Reduces a sparsity above the number of atoms or features, with a warning."""
    wanted, sizes = settings.get("sparsity", ""), [size for size in (atoms, dim) if isinstance(size, numbers.Integral)]
    limit = min(sizes)
    if not wanted.isdigit() or int(wanted) <= limit or limit < 1:
        return settings
    warnings.warn(f"sparsity={wanted} is reduced to {limit}: there are {atoms} atoms of {dim} features", SparsityWarning,
                  stacklevel=4)
    return dict(settings, sparsity=str(limit))


def run_encoder(dictionary, X, settings, sparse, callbacks=None, names=None):
    """Codes and info, with options given as text. Used by the estimator too."""
    settings = clip_sparsity(settings, *dictionary.shape)
    with Call(settings, callbacks, names) as call:
        signals, codes, info = arrays.Signals(X, call), s.Csc(), s.EncodeInfo()
        call.run("inco_encode", s.view(dictionary), signals.struct, call.options, ctypes.byref(codes), info)
        return call.finish(arrays.take_codes(codes, sparse)), info


_ENCODE = options.Parameters(options.ENCODE)


@options.takes_options(_ENCODE)
def encode(dictionary, X, *, sparse: bool = True, callbacks: Callbacks = None, **settings):
    """Compute sparse codes of signals in a dictionary, with atoms of any norm.

    Parameters
    ----------
    dictionary : array of shape (atoms, features)
    X : array of shape (signals, features), DataIter, path or list of paths
    sparse : bool, default=True
        Whether to return a CSR matrix, which needs SciPy, or a dense array.
    callbacks : iterable of callables, default=None
        As for :func:`learn`.
    {options}

    Returns
    -------
    codes : CSR matrix or array of shape (signals, atoms)
        ``codes @ dictionary`` approximates X.

    Examples
    --------
    >>> import numpy as np, inco
    >>> D = inco.frame(dim=8, atoms=16, starts=1, steps=50).dictionary
    >>> inco.encode(D, D[:2] + 2 * D[2:4], coder="omp", sparsity=2, sparse=False).nonzero()[1].tolist()
    [0, 2, 1, 3]
    """
    if sparse:
        arrays.scipy_sparse()
    return run_encoder(arrays.as_atoms(dictionary), X, _ENCODE.settings(settings), sparse, callbacks)[0]


def decode(dictionary, codes):
    """Compute the signals that codes stand for: ``codes @ dictionary``.

    Parameters
    ----------
    dictionary : array of shape (atoms, features)
    codes : sparse matrix or array of shape (signals, atoms)

    Returns
    -------
    ndarray of shape (signals, features)

    Examples
    --------
    >>> import numpy as np, inco
    >>> inco.decode(np.eye(3), np.array([[0.0, 2.0, 1.0]]))
    array([[0., 2., 1.]])
    """
    atoms = arrays.as_atoms(dictionary)
    if not hasattr(codes, "tocsr"):
        codes = arrays.as_matrix(codes, "codes")
        codes = codes.astype(arrays.float_type(codes), copy=False)
        _check_atoms(codes, atoms)
        return codes @ atoms
    _check_atoms(codes, atoms)
    matrix = codes.tocsr()
    if not matrix.has_sorted_indices:
        matrix = matrix.sorted_indices()
    value = np.ascontiguousarray(matrix.data, arrays.float_type(matrix.data))
    start, index = (np.ascontiguousarray(part, np.int64) for part in (matrix.indptr, matrix.indices))
    struct = s.Csc(s.TYPES[value.dtype], matrix.shape[1], matrix.shape[0], start.ctypes.data, index.ctypes.data,
                   value.ctypes.data, None)
    signals = s.Mat()
    with Call({}) as call:
        call.run("inco_decode", s.view(atoms), ctypes.byref(struct), None, ctypes.byref(signals))
        return call.finish(arrays.take_matrix(signals))


def _check_atoms(codes, atoms):
    if codes.ndim != 2 or codes.shape[1] != atoms.shape[0]:
        raise library.InvalidError(f"codes of shape {codes.shape} do not belong to a dictionary of {atoms.shape[0]} atoms")


# ---- Without learning ----

_DECOHERE = options.Parameters(options.DECOHERE)


@options.takes_options(_DECOHERE)
def decohere(dictionary, X=None, *, sample_weight=None, callbacks: Callbacks = None, **settings) -> Decohered:
    """Find the nearest dictionary whose coherence is at most `max_coherence`.

    Parameters
    ----------
    dictionary : array of shape (atoms, features)
        Atoms of any norm, which they keep.
    X : array of shape (signals, features), DataIter, path or list of paths, default=None
        Signals: the result then is the dictionary with the least error on them, for their codes in `dictionary`.
        Without them it is the one nearest in Frobenius norm.
    sample_weight : array of shape (signals,) or number, default=None
        Weights of the signals, as for :func:`learn`.
    callbacks : iterable of callables, default=None
        As for :func:`learn`.
    {options}

    Returns
    -------
    Decohered
        With the attributes `dictionary`, `coherence_before`, `coherence_max`, `change`, `reached` and others.

    Examples
    --------
    >>> import numpy as np, inco
    >>> D = np.random.default_rng(0).standard_normal((20, 10))
    >>> bool(inco.decohere(D, max_coherence=0.4).coherence_max <= 0.4)
    True
    """
    atoms = arrays.as_atoms(dictionary)
    _check_weights(X, sample_weight, settings)
    texts = clip_sparsity(_DECOHERE.settings(settings), *atoms.shape)
    with Call(texts, callbacks) as call:
        signals = None if X is None else arrays.Signals(X, call, sample_weight=sample_weight)
        result, info = s.Mat(), s.DecohereInfo()
        status = call.run("inco_decohere", s.view(atoms), signals and signals.struct, call.options, ctypes.byref(result),
                          info)
        done = call.finish(Decohered(dictionary=arrays.take_matrix(result), **info.as_dict()))
    if status == 0 and not done.reached:
        warnings.warn(f"max_coherence was missed: {done.coherence_max:.6g} instead of {done.bound:.6g}", TargetWarning,
                      stacklevel=3)
    return done


_FRAME = options.Parameters(options.FRAME)


@options.takes_options(_FRAME)
def frame(*, callbacks: Callbacks = None, **settings) -> Frame:
    """Design a frame: unit-norm atoms with the lowest coherence found, without data.

    Parameters
    ----------
    callbacks : iterable of callables, default=None
        As for :func:`learn`.
    {options}

    Returns
    -------
    Frame
        With the attributes `dictionary`, `coherence_max`, `welch`, `tightness` and others.

    Examples
    --------
    >>> import inco
    >>> round(inco.frame(dim=3, atoms=6).coherence_max, 6)  # 1 / sqrt(5)
    0.447214
    """
    with Call(_FRAME.settings(settings), callbacks) as call:
        result, info = s.Mat(), s.FrameInfo()
        call.run("inco_frame", call.options, ctypes.byref(result), info)
        return call.finish(Frame(dictionary=arrays.take_matrix(result), **info.as_dict()))


def welch_bound(dim: int, atoms: int) -> float:
    """Return the lower bound on the coherence of `atoms` unit vectors in `dim` dimensions.

    The bound of Welch; that of Levenshtein for more than dim (dim + 1) / 2 atoms, where it is larger.

    >>> import inco
    >>> round(inco.welch_bound(160, 1000), 4)
    0.0725
    >>> inco.welch_bound(4, 3)
    0.0
    """
    return lib.inco_bound(dim, atoms)
