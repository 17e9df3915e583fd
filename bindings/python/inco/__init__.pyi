# Made by scripts/python-stub from the option table of the library and from the package. Do not edit.
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, overload

import numpy as np
import scipy.sparse
import sklearn.base
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

_Path = str | bytes | os.PathLike[Any]
_Signals = ArrayLike | DataIter | _Path | Sequence[_Path]
_Callbacks = Iterable[Callable[[Progress], object]] | None

__version__: str

__all__ = [
    'Comparison',
    'DataIter',
    'Decohered',
    'DictionaryLearning',
    'Error',
    'FileError',
    'Frame',
    'Inspection',
    'Interrupted',
    'InvalidError',
    'Learned',
    'LibraryError',
    'MissingFeatureError',
    'NumericalError',
    'OutOfMemoryError',
    'Progress',
    'SparsityWarning',
    'TargetWarning',
    'compare',
    'decode',
    'decohere',
    'encode',
    'frame',
    'inspect',
    'learn',
    'welch_bound',
]

class Comparison:
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
    dim: int
    atoms_a: int
    atoms_b: int
    zero_a: int
    zero_b: int
    matched: int
    mean_similarity: float
    mean_nearest_a: float
    mean_nearest_b: float
    collisions_a: int
    collisions_b: int
    coherence_max_a: float
    coherence_rms_a: float
    coherence_max_b: float
    coherence_rms_b: float
    seconds_total: float
    match: NDArray[np.int64]
    match_similarity: NDArray[Any]
    nearest_a: NDArray[np.int64]
    nearest_similarity_a: NDArray[Any]
    nearest_b: NDArray[np.int64]
    nearest_similarity_b: NDArray[Any]
    histogram: NDArray[np.int64]
    recovered: dict[float, int]
    recovered_a: dict[float, int]
    recovered_b: dict[float, int]

class DataIter:
    """Signals that come in batches, more of them than fit in memory: a subclass has `next` and `reset`.

    `next` returns the next batch, an array of shape (signals, features), or None after the last one; `reset` goes back to
    the first. Every pass must give the same signals; batches may have any sizes. Both are called from the thread that
    called :func:`learn`, :func:`encode` or :func:`decohere`. A first pass counts the signals.

    >>> import numpy as np, inco
    >>> class Files(inco.DataIter):
    ...     def __init__(self, names):
    ...         self.names = names
    ...         self.reset()
    ...     def reset(self):
    ...         self.left = list(self.names)
    ...     def next(self):
    ...         return np.load(self.left.pop(0)) if self.left else None
    """
    def next(self) -> ArrayLike | None:
        ...
    def reset(self) -> None:
        ...

class Decohered:
    """Result of :func:`decohere`: `dictionary`, and the attributes of inco_decohere_info."""
    dictionary: NDArray[Any]
    dim: int
    atoms: int
    zero_atoms: int
    precision: int
    bound: float
    welch: float
    coherence_before: float
    coherence_max: float
    coherence_rms: float
    reached: int
    change: float
    moved: int
    signals: int
    mean_cardinality: float
    relative_error_before: float
    relative_error: float
    stages: int
    iterations: int
    threads: int
    seconds_code: float
    seconds_total: float

class DictionaryLearning(sklearn.base.ClassNamePrefixFeaturesOutMixin, sklearn.base.TransformerMixin, sklearn.base.BaseEstimator):
    """Dictionary learning with bounded coherence, an estimator for scikit-learn.

    Finds a dictionary D (`components_`, atoms of unit norm) and sparse codes C that minimise

        ||X - C D||^2 + gamma ||D D' - I||^2

    Parameters
    ----------
    n_components : int, default=None
        Number of atoms; the number of features if None.
    init : {'sample', 'dct', 'random'}, path or array of shape (n_components, n_features), default='sample'
        Initial dictionary: random signals, or random directions if there are fewer signals than atoms; cosines; random
        directions; a file; or an array.
    stop_seconds : float, default=0.0
        Stop after the iteration in which stop_seconds seconds have passed (0: never); the time to
        enforce max_coherence on the result is extra.
    method : {'idl', 'mod', 'mocod', 'online', 'ksvd', 'aksvd', 'inksvd', 'ipr', 'aksvdc', 'idb', 'parametric'}, default='idl'
        idl: least squares with the coherence penalty; mod: method of optimal directions, least squares
        without penalty; mocod: coherence penalty and a penalty on norms, by a fixed-point iteration;
        online: an update after every batch of signals, with the penalty if given; ksvd: K-SVD; aksvd:
        approximate K-SVD; inksvd: K-SVD, then rotation of coherent pairs until max_coherence is
        reached; ipr: K-SVD, then iterative projection and rotation until max_coherence is reached;
        aksvdc: approximate K-SVD with the coherence penalty; idb: approximate K-SVD with a distance
        barrier between atoms above max_coherence; parametric: no data, optimises the parameters of the
        atoms of family.
    iterations : int, default=25
        Learning iterations: sparse coding of all signals, then dictionary update.
    update_iterations : int, default=15
        L-BFGS iterations (mocod: fixed-point steps) per dictionary update.
    code_updates : int, default=None
        idl, mod, mocod: extra updates per iteration, each a least-squares refit of the coefficients on
        their support and a dictionary update (default 0; idl with max_coherence: 1, or 3 if the coder
        gives least-squares coefficients).
    schedule : {'auto', 'growing', 'batch'}, default='auto'
        idl: growing: the first iterations update the dictionary after batches of signals, which grow
        until they are whole passes; batch: one update per iteration, as in the paper; auto: growing if
        there are at least 64 signals and eight per atom, the initial dictionary is not given, and
        neither a bound nor a path of gamma is wanted.
    stop_change : float, default=0.0
        Stop when an iteration changes the dictionary by at most stop_change, relative to its norm (0:
        never).
    gamma : float or 'auto', default=None
        Weight of the coherence penalty in ||X - DC||^2 + gamma ||D'D - I||^2; auto (idl): the largest
        on a regularisation path whose residual on held-out signals is within 1 % of the lowest.
    gamma_relative : float, default=None
        Weight relative to the data: G = gamma_relative ||X||^2 / L (default with idl: 0.016 v^2 + 0.1
        w^8, where v is the share of the energy of the signals about their mean, and w, at most 1, says
        how white they are; aksvdc, mocod: 0.1); idb: relative to the coefficient energy of each atom,
        default 0.0075.
    target_rms : float, default=None
        idl: the lowest relative error on the regularisation path of gamma with an rms coherence of at
        most target_rms.
    target_error : float, default=None
        idl: the lowest rms coherence on the regularisation path of gamma with a relative error of at
        most target_error.
    max_coherence : float, default=None
        Bound on the largest |d_i'd_j|; idl, online and decohere enforce it; for inksvd, ipr and idb it
        is a target, which inksvd and ipr try to reach within a tolerance and idb rarely reaches.
    unused : {'keep', 'worst', 'sample'}, default='worst'
        Atoms that no signal uses are kept, or replaced by the signal with the largest error or by a
        random signal.
    min_uses : int, default=1
        An atom is unused if fewer than min_uses signals use it (by their weights: if at most min_uses -
        1 do); the rule of the original K-SVD is min_uses=4 with replace=0.99.
    replace : float, default=None
        ksvd, aksvd: after every update, replace an atom with |d_i'd_j| > replace for some other atom by
        the signal with the largest error (default: never).
    replace_last : {'skip', 'published'}, default='skip'
        Replace: what becomes of the replacements chosen after the last update: skip: the dictionary
        written has learned atoms only; published: they are applied, as after every other update.
    exchange : bool, default=None
        After every update, replace atoms that reduce the error little by common directions of the
        largest residuals, where these reduce it more (default: yes if idl learns in growing batches,
        schedule; else no).
    coder : {'omp', 'ols', 'larc', 'lars', 'lasso'}, default='omp'
        omp: orthogonal matching pursuit; ols: orthogonal least squares; larc: least angle regression,
        stopped at a residual coherence; lars: least angle regression; lasso: the lasso, by homotopy.
    residual_coherence : float, default=None
        Stop when max |d'r| / ||r|| <= residual_coherence (default with larc if no stopping rule is
        given, in D dimensions: 0.2 sqrt(160/D), at most 0.5).
    sparsity : int, default=None
        Stop at sparsity atoms per signal (default with omp and ols if no stopping rule is given: D/20,
        at least 2; of learn with idl, normalised signals and no max-coherence: option lambda instead).
    tolerance : float, default=None
        Stop when ||r|| <= tolerance ||x||.
    residual_norm : float, default=None
        Stop when ||r|| <= residual_norm; learn: of the normalised signals, unless normalize='none'.
    alpha : float, default=None
        Stop when max |d'r| <= alpha; lasso: the weight in 1/2 ||x - Dc||^2 + alpha ||c||_1 (default of
        learn with idl, normalised signals and omp or ols if no stopping rule is given: sqrt(2/D), at
        most 0.3, times the cube root of v, see option gamma-relative).
    refit : bool, default=False
        Recompute the coefficients by least squares on the support, which undoes the shrinkage of larc,
        lars and lasso.
    nonnegative : bool, default=False
        Coefficients of zero or more, with omp ols lasso.
    patch : tuple of two ints, default=None
        Images: rows and columns of a patch, such as 8x8 (matrices: the shape of each signal or atom,
        for init='dct' and the report).
    missing : {'refuse', 'nan'}, default='refuse'
        NaN in signals: refuse: an error; nan: a missing entry. Only the observed entries count, in
        codes and errors.
    normalize : {'unit', 'none'}, default='unit'
        Normalise every training signal to unit norm, or none.
    norms : {'sphere', 'rescale'}, default='sphere'
        sphere: unit norms are kept during the update; rescale: atoms are normalised after the update,
        as in the paper.
    update : {'preconditioned', 'plain'}, default='preconditioned'
        idl: preconditioned: L-BFGS starts from a model of the objective's curvature and comes close to
        the minimum in a few iterations; plain: it starts from the gradient, as in the paper, and stops
        early, which regularises if there are few signals per atom.
    dropout : float, default=None
        idl: update as if each atom of a code were left out with probability dropout, so that the others
        do not rely on it (default, if coefficients are least squares, norms = sphere and there is no
        max-coherence: 0.15 times the cube root of v, see option gamma-relative; else 0).
    eta : float, default=None
        mocod: weight of the penalty sum_j (||d_j||^2 - 1)^2 during the update (default ||X||^2 / L).
    batch : int, default=512
        online: batch size: signals coded between two updates, in the order of the data.
    forget : float, default=0.1
        online: forgetting: the weight of a signal after one pass over all others (1: no forgetting).
    decorrelation_tolerance : float, default=0.001
        inksvd: rotate pairs until all |d_i'd_j| <= MU + decorrelation_tolerance.
    decorrelation_passes : int, default=1000
        inksvd: maximum number of passes per update.
    ipr_iterations : int, default=100
        ipr: maximum number of projections per update; they stop at a coherence of MU + 0.001.
    barrier : float, default=25.0
        idb: weight, in addition to G, of the barrier between atoms above max_coherence.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it. None and -1 mean all processors, -2 all but one. The environment
        variable OMP_NUM_THREADS, which workers of joblib set, limits None.
    random_state : int, RandomState instance or None, default=0
        Seed of the initial dictionary and of replaced atoms. None: another one for every fit.
    warm_start : bool, default=False
        Whether `fit` begins with the `components_` of the previous call.
    sparse_output : bool, default=False
        Whether `transform` returns a CSR matrix, which needs SciPy.
    callbacks : list of callables, default=None
        As for :func:`inco.learn`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The dictionary, one atom per row.
    coherence_ : float
        Largest absolute inner product of two atoms.
    gamma_ : float
        Weight of the penalty in the last iteration.
    history_ : dict of ndarray
        Objective, relative error, coherence and others of every iteration; `pandas.DataFrame(history_)` shows them.
    error_ : float
        Relative error ||X - C D|| / ||X|| of the normalised training signals; NaN after an interruption.
    n_iter_ : int
        Number of iterations; after `partial_fit`, of batches.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from inco import DictionaryLearning
    >>> X = load_digits().data
    >>> model = DictionaryLearning(n_components=100, coder="omp", sparsity=5, max_coherence=0.6, iterations=5)
    >>> codes = model.fit_transform(X)
    >>> codes.shape
    (1797, 100)
    >>> bool(model.coherence_ <= 0.6)
    True
    """
    n_components: int | None
    stop_seconds: float
    method: Literal['idl', 'mod', 'mocod', 'online', 'ksvd', 'aksvd', 'inksvd', 'ipr', 'aksvdc', 'idb', 'parametric']
    iterations: int
    init: ArrayLike | _Path
    update_iterations: int
    code_updates: int | None
    schedule: Literal['auto', 'growing', 'batch']
    stop_change: float
    gamma: float | Literal['auto'] | None
    gamma_relative: float | None
    target_rms: float | None
    target_error: float | None
    max_coherence: float | None
    unused: Literal['keep', 'worst', 'sample']
    min_uses: int
    replace: float | None
    replace_last: Literal['skip', 'published']
    exchange: bool | None
    coder: Literal['omp', 'ols', 'larc', 'lars', 'lasso']
    residual_coherence: float | None
    sparsity: int | None
    tolerance: float | None
    residual_norm: float | None
    alpha: float | None
    refit: bool
    nonnegative: bool
    patch: tuple[int, int] | None
    missing: Literal['refuse', 'nan']
    normalize: Literal['unit', 'none']
    norms: Literal['sphere', 'rescale']
    update: Literal['preconditioned', 'plain']
    dropout: float | None
    eta: float | None
    batch: int
    forget: float
    decorrelation_tolerance: float
    decorrelation_passes: int
    ipr_iterations: int
    barrier: float
    n_jobs: int | None
    random_state: int | np.random.RandomState | None
    warm_start: bool
    sparse_output: bool
    callbacks: _Callbacks
    components_: NDArray[Any]
    coherence_: float
    gamma_: float
    history_: dict[str, NDArray[Any]]
    error_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        n_components: int | None = None,
        *,
        stop_seconds: float = 0.0,
        method: Literal['idl', 'mod', 'mocod', 'online', 'ksvd', 'aksvd', 'inksvd', 'ipr', 'aksvdc', 'idb', 'parametric'] = 'idl',
        iterations: int = 25,
        init: ArrayLike | _Path = 'sample',
        update_iterations: int = 15,
        code_updates: int | None = None,
        schedule: Literal['auto', 'growing', 'batch'] = 'auto',
        stop_change: float = 0.0,
        gamma: float | Literal['auto'] | None = None,
        gamma_relative: float | None = None,
        target_rms: float | None = None,
        target_error: float | None = None,
        max_coherence: float | None = None,
        unused: Literal['keep', 'worst', 'sample'] = 'worst',
        min_uses: int = 1,
        replace: float | None = None,
        replace_last: Literal['skip', 'published'] = 'skip',
        exchange: bool | None = None,
        coder: Literal['omp', 'ols', 'larc', 'lars', 'lasso'] = 'omp',
        residual_coherence: float | None = None,
        sparsity: int | None = None,
        tolerance: float | None = None,
        residual_norm: float | None = None,
        alpha: float | None = None,
        refit: bool = False,
        nonnegative: bool = False,
        patch: tuple[int, int] | None = None,
        missing: Literal['refuse', 'nan'] = 'refuse',
        normalize: Literal['unit', 'none'] = 'unit',
        norms: Literal['sphere', 'rescale'] = 'sphere',
        update: Literal['preconditioned', 'plain'] = 'preconditioned',
        dropout: float | None = None,
        eta: float | None = None,
        batch: int = 512,
        forget: float = 0.1,
        decorrelation_tolerance: float = 0.001,
        decorrelation_passes: int = 1000,
        ipr_iterations: int = 100,
        barrier: float = 25.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        warm_start: bool = False,
        sparse_output: bool = False,
        callbacks: _Callbacks = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the dictionary.

        Ctrl-C and exceptions in callbacks end it, and leave the attributes with what was learned until then.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Training signals.
        y : ignored
        sample_weight : array of shape (n_samples,), default=None
            A signal of weight 2 counts as one that occurs twice, a signal of weight 0 as one that is absent.

        Returns
        -------
        self
        """
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from the next batch of a stream, by the method 'online'.

        The batches may have any sizes; signals seen earlier weigh less, by `forget`. The penalty is that of `fit`. With
        `max_coherence`, the stream approaches the bound and `components_` satisfies it after every batch. The first batch
        must have as many signals as there are atoms, unless `init` is given. After `fit`, the stream begins with the
        dictionary learned.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : ignored
        sample_weight : array of shape (n_samples,), default=None
            As for `fit`.

        Returns
        -------
        self
        """
    def transform(self, X: Any) -> Any:
        """Compute the sparse codes of signals.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
            A CSR matrix if `sparse_output`.
        """
    def fit_transform(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Learn the dictionary and compute the codes of the training signals: ``fit(X).transform(X)``."""
    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Compute the signals that codes stand for: ``X @ components_``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
    def score(self, X: Any, y: Any = None) -> float:
        """Return the share of the energy of signals that their codes explain, 1 - ||X - C D||^2 / ||X||^2; at most 1.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        float
        """

class Error(Exception):
    """A call of the library failed; the message says why. The base class of all exceptions of this package."""

class FileError(Error, OSError):
    """A file cannot be read or written, or is not in the expected format."""

class Frame:
    """Result of :func:`frame`: `dictionary`, and the attributes of inco_frame_info."""
    dictionary: NDArray[Any]
    dim: int
    atoms: int
    precision: int
    coherence_max: float
    coherence_rms: float
    welch: float
    tightness: float
    starts: int
    start: int
    stopped_by: str
    threads: int
    seconds_total: float

class Inspection:
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
    dtype: str
    threshold: float
    pairs: list[tuple[int, int, float]]
    nearest_quantiles: dict[float, float]
    bound_name: str
    dim: int
    atoms: int
    zero_atoms: int
    norm_min: float
    norm_max: float
    coherence_max: float
    coherence_rms: float
    coherence_mean: float
    coherence_median: float
    welch: float
    erc_sparsity: int
    flat_singular: float
    frame_lower: float
    frame_upper: float
    duplicates: int
    rank: int
    babel_sparsity: int
    babel: NDArray[Any]
    histogram: NDArray[np.int64]
    singular: NDArray[Any]
    pair_first: NDArray[np.int64]
    pair_second: NDArray[np.int64]
    pair_similarity: NDArray[Any]
    nearest: NDArray[np.int64]
    nearest_similarity: NDArray[Any]
    duplicate_first: NDArray[np.int64]
    duplicate_second: NDArray[np.int64]
    duplicate_similarity: NDArray[Any]
    def report(self) -> str:
        """The standard report of the dictionary: one self-contained HTML document."""
    def plot(self, axes: Any = None) -> Any:
        """Plot the distribution of |d_i'd_j|, the singular values and the Babel function, with matplotlib.

        Parameters
        ----------
        axes : three matplotlib axes, default=None
            Where to plot; a new figure if None.

        Returns
        -------
        the axes
        """

class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a call. `result` is what the call has computed until then, None if nothing."""
    result: Any

class InvalidError(Error, ValueError):
    """An option or an array is invalid: out of range, of the wrong size, not finite, or in conflict with another."""

class Learned:
    """Result of :func:`learn`: `dictionary`, its coherence and error, and how the run went.

    Attributes are those of inco_learn_info (`gamma`, `coherence_max`, `relative_error`, `iterations`, `stopped_by`, ...) and

    dictionary : ndarray of shape (atoms, features)
    history : dict of arrays, one value per iteration
    use_count : ndarray, the number of training signals that use each atom; None without a final coding
    path : list of dict, the points of the regularisation path with ``gamma='auto'``
    """
    dictionary: NDArray[Any]
    history: dict[str, NDArray[Any]]
    use_count: NDArray[np.int64]
    path: list[dict[str, Any]]
    dim: int
    atoms: int
    signals: int
    iterations: int
    precision: int
    gamma: float
    gamma_relative: float
    tight_ratio: float
    relative_error: float
    mean_cardinality: float
    objective: float
    coherence_max: float
    coherence_rms: float
    coherence_mean: float
    welch: float
    singular_max: float
    singular_min: float
    replaced: int
    replaced_coherent: int
    replaced_exchanged: int
    unused: int
    zero_signals: int
    skipped_atoms: int
    stopped_by: str
    isa: str
    blas: str
    threads: int
    seconds_code: float
    seconds_update: float
    seconds_io: float
    seconds_total: float
    spread_passes: int
    spread_pairs: int
    seconds_spread: float
    coherence_target: float
    eta: float
    start_coherence_max: float
    start_coherence_rms: float
    replaced_last: int
    rank: int
    start_projected: int
    start_replaced: int
    ranks: int
    cluster_updates: int
    cluster_bytes: float
    weight: float
    left_out: int
    empty_signals: int
    missing_entries: int
    dropout: float
    stop_gain: float

class LibraryError(Error, ImportError):
    """libinco cannot be loaded, or has another version than this package."""

class MissingFeatureError(Error, NotImplementedError):
    """The library was built without an optional library that the call needs."""

class NumericalError(Error, ArithmeticError):
    """A factorisation failed."""

class OutOfMemoryError(Error, MemoryError):
    """The library could not allocate memory."""

class Progress:
    """State of a running call, as a callback gets it: `phase`, `iteration`, `iterations`, `done`, `total`, `seconds`, ...

    Phases of learning are 'code', 'update', 'iteration' (one is complete), 'path', 'point', 'bound' and 'final'; those of
    the other functions are 'code', 'inspect', 'decohere' and 'frame'. Fields that do not apply to the phase are zero.
    """
    phase: str
    iteration: int
    iterations: int
    done: int
    total: int
    seconds: float
    relative_error: float
    mean_cardinality: float
    objective_before: float
    objective: float
    coherence_max: float
    coherence_rms: float
    replaced: int
    update_iterations: int
    seconds_code: float
    seconds_update: float
    spread_passes: int
    spread_pairs: int
    gamma: float
    gamma_updates: int
    point: int
    points: int

class SparsityWarning(UserWarning):
    """A sparsity above the number of atoms or features was reduced."""

class TargetWarning(UserWarning):
    """A bound or target that can be satisfied was missed; the result is the best dictionary found."""

def compare(
    a: ArrayLike,
    b: ArrayLike,
    *,
    callbacks: _Callbacks = None,
    threads: int = 0,
    max_memory: int | None = None,
) -> Comparison:
    """Match the atoms of two dictionaries up to sign and norm.

    Parameters
    ----------
    a, b : array of shape (atoms, features)
        Dictionaries from any tool, with the same number of features and any numbers of atoms.
    callbacks : iterable of callables, default=None
        As for :func:`learn`.
    threads : int, default=0
        Number of threads (0: all available processors); the result does not depend on it.
    max_memory : int, default=None
        Use at most max_memory megabytes of memory, as far as it can be foreseen: refuse files and runs
        that need more (default: three quarters of the machine's).

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

def decode(dictionary: ArrayLike, codes: Any) -> NDArray[Any]:
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

def decohere(
    dictionary: ArrayLike,
    X: _Signals | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    callbacks: _Callbacks = None,
    max_coherence: float | None = None,
    coder: Literal['omp', 'ols', 'larc', 'lars', 'lasso'] = 'omp',
    residual_coherence: float | None = None,
    sparsity: int | None = None,
    tolerance: float | None = None,
    residual_norm: float | None = None,
    lambda_: float | None = None,
    refit: bool = False,
    nonnegative: bool = False,
    dim: int | None = None,
    window: int | None = None,
    rate: float | None = None,
    patch: tuple[int, int] | None = None,
    precision: Literal['f32', 'f64'] | None = None,
    seed: int = 0,
    threads: int = 0,
    max_memory: int | None = None,
    signals: int | None = None,
    hop: int | None = None,
    columns: bool = False,
    variable: str | None = None,
    weights: str | os.PathLike[Any] | None = None,
    normalize: Literal['unit', 'none'] = 'unit',
    center: Literal['none', 'signal', 'feature'] = 'none',
) -> Decohered:
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
    max_coherence : float, default=None
        Bound on the largest |d_i'd_j|; idl, online and decohere enforce it; for inksvd, ipr and idb it
        is a target, which inksvd and ipr try to reach within a tolerance and idb rarely reaches.
    coder : {'omp', 'ols', 'larc', 'lars', 'lasso'}, default='omp'
        omp: orthogonal matching pursuit; ols: orthogonal least squares; larc: least angle regression,
        stopped at a residual coherence; lars: least angle regression; lasso: the lasso, by homotopy.
    residual_coherence : float, default=None
        Stop when max |d'r| / ||r|| <= residual_coherence (default with larc if no stopping rule is
        given, in D dimensions: 0.2 sqrt(160/D), at most 0.5).
    sparsity : int, default=None
        Stop at sparsity atoms per signal (default with omp and ols if no stopping rule is given: D/20,
        at least 2; of learn with idl, normalised signals and no max-coherence: option lambda instead).
    tolerance : float, default=None
        Stop when ||r|| <= tolerance ||x||.
    residual_norm : float, default=None
        Stop when ||r|| <= residual_norm; learn: of the normalised signals, unless normalize='none'.
    lambda_ : float, default=None
        Stop when max |d'r| <= lambda_; lasso: the weight in 1/2 ||x - Dc||^2 + lambda_ ||c||_1 (default
        of learn with idl, normalised signals and omp or ols if no stopping rule is given: sqrt(2/D), at
        most 0.3, times the cube root of v, see option gamma-relative).
    refit : bool, default=False
        Recompute the coefficients by least squares on the support, which undoes the shrinkage of larc,
        lars and lasso.
    nonnegative : bool, default=False
        Coefficients of zero or more, with omp ols lasso.
    dim : int, default=None
        Values per signal or atom of raw float32 numbers, from standard input, a pipe or a .f32 file
        (frame: dimension of the atoms, required).
    window : int, default=None
        Audio: samples per signal.
    rate : float, default=None
        Audio: resample to rate (inspect, compare: also the sampling rate of the atoms, for the report).
    patch : tuple of two ints, default=None
        Images: rows and columns of a patch, such as 8x8 (matrices: the shape of each signal or atom,
        for init='dct' and the report).
    precision : {'f32', 'f64'}, default=None
        Precision of the computation and of the output (default: that of the input; audio and images
        f32; frame: f64).
    seed : int, default=0
        Random seed.
    threads : int, default=0
        Number of threads (0: all available processors); the result does not depend on it.
    max_memory : int, default=None
        Use at most max_memory megabytes of memory, as far as it can be foreseen: refuse files and runs
        that need more (default: three quarters of the machine's).
    signals : int, default=None
        Draw signals windows, patches or rows at random, without digital silence.
    hop : int, default=None
        Audio, images: take all windows or patches, hop samples or pixels apart (encode: default is the
        window or patch size).
    columns : bool, default=False
        Signals or atoms are the columns of the files, not the rows (.mat: always).
    variable : str, default=None
        Array to read from a .npz, .mat or .safetensors file that holds several.
    weights : str, default=None
        Matrices: a nonnegative weight per signal, in their order; a signal of weight 2 counts as two,
        one of weight 0 as absent (Python: sample_weight).
    normalize : {'unit', 'none'}, default='unit'
        Normalise every training signal to unit norm, or none.
    center : {'none', 'signal', 'feature'}, default='none'
        Subtract nothing, the mean of each signal, or (learn) the mean of each feature over all signals,
        which is kept with the dictionary.

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

@overload
def encode(
    dictionary: ArrayLike,
    X: _Signals,
    *,
    sparse: Literal[True] = True,
    callbacks: _Callbacks = None,
    coder: Literal['omp', 'ols', 'larc', 'lars', 'lasso'] = 'omp',
    residual_coherence: float | None = None,
    sparsity: int | None = None,
    tolerance: float | None = None,
    residual_norm: float | None = None,
    lambda_: float | None = None,
    refit: bool = False,
    nonnegative: bool = False,
    dim: int | None = None,
    window: int | None = None,
    rate: float | None = None,
    patch: tuple[int, int] | None = None,
    missing: Literal['refuse', 'nan'] = 'refuse',
    precision: Literal['f32', 'f64'] | None = None,
    threads: int = 0,
    max_memory: int | None = None,
    hop: int | None = None,
    columns: bool = False,
    variable: str | None = None,
    mask: str | os.PathLike[Any] | None = None,
    center: Literal['none', 'signal', 'feature'] = 'none',
) -> scipy.sparse.csr_matrix:
    """Compute sparse codes of signals in a dictionary, with atoms of any norm.

    Parameters
    ----------
    dictionary : array of shape (atoms, features)
    X : array of shape (signals, features), DataIter, path or list of paths
    sparse : bool, default=True
        Whether to return a CSR matrix, which needs SciPy, or a dense array.
    callbacks : iterable of callables, default=None
        As for :func:`learn`.
    coder : {'omp', 'ols', 'larc', 'lars', 'lasso'}, default='omp'
        omp: orthogonal matching pursuit; ols: orthogonal least squares; larc: least angle regression,
        stopped at a residual coherence; lars: least angle regression; lasso: the lasso, by homotopy.
    residual_coherence : float, default=None
        Stop when max |d'r| / ||r|| <= residual_coherence (default with larc if no stopping rule is
        given, in D dimensions: 0.2 sqrt(160/D), at most 0.5).
    sparsity : int, default=None
        Stop at sparsity atoms per signal (default with omp and ols if no stopping rule is given: D/20,
        at least 2; of learn with idl, normalised signals and no max-coherence: option lambda instead).
    tolerance : float, default=None
        Stop when ||r|| <= tolerance ||x||.
    residual_norm : float, default=None
        Stop when ||r|| <= residual_norm; learn: of the normalised signals, unless normalize='none'.
    lambda_ : float, default=None
        Stop when max |d'r| <= lambda_; lasso: the weight in 1/2 ||x - Dc||^2 + lambda_ ||c||_1 (default
        of learn with idl, normalised signals and omp or ols if no stopping rule is given: sqrt(2/D), at
        most 0.3, times the cube root of v, see option gamma-relative).
    refit : bool, default=False
        Recompute the coefficients by least squares on the support, which undoes the shrinkage of larc,
        lars and lasso.
    nonnegative : bool, default=False
        Coefficients of zero or more, with omp ols lasso.
    dim : int, default=None
        Values per signal or atom of raw float32 numbers, from standard input, a pipe or a .f32 file
        (frame: dimension of the atoms, required).
    window : int, default=None
        Audio: samples per signal.
    rate : float, default=None
        Audio: resample to rate (inspect, compare: also the sampling rate of the atoms, for the report).
    patch : tuple of two ints, default=None
        Images: rows and columns of a patch, such as 8x8 (matrices: the shape of each signal or atom,
        for init='dct' and the report).
    missing : {'refuse', 'nan'}, default='refuse'
        NaN in signals: refuse: an error; nan: a missing entry. Only the observed entries count, in
        codes and errors.
    precision : {'f32', 'f64'}, default=None
        Precision of the computation and of the output (default: that of the input; audio and images
        f32; frame: f64).
    threads : int, default=0
        Number of threads (0: all available processors); the result does not depend on it.
    max_memory : int, default=None
        Use at most max_memory megabytes of memory, as far as it can be foreseen: refuse files and runs
        that need more (default: three quarters of the machine's).
    hop : int, default=None
        Audio, images: take all windows or patches, hop samples or pixels apart (encode: default is the
        window or patch size).
    columns : bool, default=False
        Signals or atoms are the columns of the files, not the rows (.mat: always).
    variable : str, default=None
        Array to read from a .npz, .mat or .safetensors file that holds several.
    mask : str, default=None
        Matrices: a matrix of the shape of the data, 0 where an entry is missing, nonzero where it is
        observed (Python: missing); its value does not matter then.
    center : {'none', 'signal', 'feature'}, default='none'
        Subtract nothing, the mean of each signal, or (learn) the mean of each feature over all signals,
        which is kept with the dictionary.

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
@overload
def encode(
    dictionary: ArrayLike,
    X: _Signals,
    *,
    sparse: Literal[False],
    callbacks: _Callbacks = None,
    coder: Literal['omp', 'ols', 'larc', 'lars', 'lasso'] = 'omp',
    residual_coherence: float | None = None,
    sparsity: int | None = None,
    tolerance: float | None = None,
    residual_norm: float | None = None,
    lambda_: float | None = None,
    refit: bool = False,
    nonnegative: bool = False,
    dim: int | None = None,
    window: int | None = None,
    rate: float | None = None,
    patch: tuple[int, int] | None = None,
    missing: Literal['refuse', 'nan'] = 'refuse',
    precision: Literal['f32', 'f64'] | None = None,
    threads: int = 0,
    max_memory: int | None = None,
    hop: int | None = None,
    columns: bool = False,
    variable: str | None = None,
    mask: str | os.PathLike[Any] | None = None,
    center: Literal['none', 'signal', 'feature'] = 'none',
) -> NDArray[Any]: ...

def frame(
    *,
    callbacks: _Callbacks = None,
    atoms: int | None = None,
    stop_seconds: float = 0.0,
    tight: bool = False,
    starts: int | None = None,
    steps: int | None = None,
    dim: int | None = None,
    precision: Literal['f32', 'f64'] | None = None,
    seed: int = 0,
    threads: int = 0,
    columns: bool = False,
) -> Frame:
    """Design a frame: unit-norm atoms with the lowest coherence found, without data.

    Parameters
    ----------
    callbacks : iterable of callables, default=None
        As for :func:`learn`.
    atoms : int, default=None
        Number of atoms (required, except that learn takes it from the file of init).
    stop_seconds : float, default=0.0
        Stop after the iteration in which stop_seconds seconds have passed (0: never); the time to
        enforce max_coherence on the result is extra.
    tight : bool, default=False
        Frame: make it tight, D D' = (L / D) I, with the lowest coherence found.
    starts : int, default=None
        Frame: number of random initial frames; the best result is returned (default: by size, from 64
        for small frames to 1 for large ones).
    steps : int, default=None
        Frame: L-BFGS iterations for each order of the p-norm (default: by size, 300 to 1000, down to 20
        for large frames).
    dim : int, default=None
        Values per signal or atom of raw float32 numbers, from standard input, a pipe or a .f32 file
        (frame: dimension of the atoms, required).
    precision : {'f32', 'f64'}, default=None
        Precision of the computation and of the output (default: that of the input; audio and images
        f32; frame: f64).
    seed : int, default=0
        Random seed.
    threads : int, default=0
        Number of threads (0: all available processors); the result does not depend on it.
    columns : bool, default=False
        Signals or atoms are the columns of the files, not the rows (.mat: always).

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

def inspect(
    dictionary: ArrayLike,
    *,
    callbacks: _Callbacks = None,
    dim: int | None = None,
    rate: float | None = None,
    patch: tuple[int, int] | None = None,
    missing: Literal['refuse', 'nan'] = 'refuse',
    threads: int = 0,
    duplicates: float = 0.99,
) -> Inspection:
    """Measure the coherence and the spectrum of a dictionary from any tool, with atoms of any norm.

    Parameters
    ----------
    dictionary : array of shape (atoms, features)
        Such as `components_` of an estimator, or the decoder of a sparse autoencoder.
    callbacks : iterable of callables, default=None
        As for :func:`learn`.
    dim : int, default=None
        Values per signal or atom of raw float32 numbers, from standard input, a pipe or a .f32 file
        (frame: dimension of the atoms, required).
    rate : float, default=None
        Audio: resample to rate (inspect, compare: also the sampling rate of the atoms, for the report).
    patch : tuple of two ints, default=None
        Images: rows and columns of a patch, such as 8x8 (matrices: the shape of each signal or atom,
        for init='dct' and the report).
    missing : {'refuse', 'nan'}, default='refuse'
        NaN in signals: refuse: an error; nan: a missing entry. Only the observed entries count, in
        codes and errors.
    threads : int, default=0
        Number of threads (0: all available processors); the result does not depend on it.
    duplicates : float, default=0.99
        Pairs of atoms with |d_i'd_j| >= duplicates are near duplicates.

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

def learn(
    X: _Signals | None,
    *,
    init: ArrayLike | _Path = 'sample',
    sample_weight: ArrayLike | None = None,
    callbacks: _Callbacks = None,
    atoms: int | None = None,
    stop_seconds: float = 0.0,
    method: Literal['idl', 'mod', 'mocod', 'online', 'ksvd', 'aksvd', 'inksvd', 'ipr', 'aksvdc', 'idb', 'parametric'] = 'idl',
    iterations: int = 25,
    update_iterations: int = 15,
    code_updates: int | None = None,
    schedule: Literal['auto', 'growing', 'batch'] = 'auto',
    stop_change: float = 0.0,
    gamma: float | Literal['auto'] | None = None,
    gamma_relative: float | None = None,
    target_rms: float | None = None,
    target_error: float | None = None,
    max_coherence: float | None = None,
    unused: Literal['keep', 'worst', 'sample'] = 'worst',
    min_uses: int = 1,
    replace: float | None = None,
    replace_last: Literal['skip', 'published'] = 'skip',
    exchange: bool | None = None,
    coder: Literal['omp', 'ols', 'larc', 'lars', 'lasso'] = 'omp',
    residual_coherence: float | None = None,
    sparsity: int | None = None,
    tolerance: float | None = None,
    residual_norm: float | None = None,
    lambda_: float | None = None,
    refit: bool = False,
    nonnegative: bool = False,
    dim: int | None = None,
    window: int | None = None,
    rate: float | None = None,
    patch: tuple[int, int] | None = None,
    missing: Literal['refuse', 'nan'] = 'refuse',
    precision: Literal['f32', 'f64'] | None = None,
    seed: int = 0,
    threads: int = 0,
    max_memory: int | None = None,
    signals: int | None = None,
    hop: int | None = None,
    columns: bool = False,
    variable: str | None = None,
    weights: str | os.PathLike[Any] | None = None,
    mask: str | os.PathLike[Any] | None = None,
    normalize: Literal['unit', 'none'] = 'unit',
    center: Literal['none', 'signal', 'feature'] = 'none',
    norms: Literal['sphere', 'rescale'] = 'sphere',
    update: Literal['preconditioned', 'plain'] = 'preconditioned',
    dropout: float | None = None,
    eta: float | None = None,
    batch: int = 512,
    forget: float = 0.1,
    decorrelation_tolerance: float = 0.001,
    decorrelation_passes: int = 1000,
    ipr_iterations: int = 100,
    barrier: float = 25.0,
    family: Literal['gammatone'] = 'gammatone',
) -> Learned:
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
    atoms : int, default=None
        Number of atoms (required, except that learn takes it from the file of init).
    stop_seconds : float, default=0.0
        Stop after the iteration in which stop_seconds seconds have passed (0: never); the time to
        enforce max_coherence on the result is extra.
    method : {'idl', 'mod', 'mocod', 'online', 'ksvd', 'aksvd', 'inksvd', 'ipr', 'aksvdc', 'idb', 'parametric'}, default='idl'
        idl: least squares with the coherence penalty; mod: method of optimal directions, least squares
        without penalty; mocod: coherence penalty and a penalty on norms, by a fixed-point iteration;
        online: an update after every batch of signals, with the penalty if given; ksvd: K-SVD; aksvd:
        approximate K-SVD; inksvd: K-SVD, then rotation of coherent pairs until max_coherence is
        reached; ipr: K-SVD, then iterative projection and rotation until max_coherence is reached;
        aksvdc: approximate K-SVD with the coherence penalty; idb: approximate K-SVD with a distance
        barrier between atoms above max_coherence; parametric: no data, optimises the parameters of the
        atoms of family.
    iterations : int, default=25
        Learning iterations: sparse coding of all signals, then dictionary update.
    update_iterations : int, default=15
        L-BFGS iterations (mocod: fixed-point steps) per dictionary update.
    code_updates : int, default=None
        idl, mod, mocod: extra updates per iteration, each a least-squares refit of the coefficients on
        their support and a dictionary update (default 0; idl with max_coherence: 1, or 3 if the coder
        gives least-squares coefficients).
    schedule : {'auto', 'growing', 'batch'}, default='auto'
        idl: growing: the first iterations update the dictionary after batches of signals, which grow
        until they are whole passes; batch: one update per iteration, as in the paper; auto: growing if
        there are at least 64 signals and eight per atom, the initial dictionary is not given, and
        neither a bound nor a path of gamma is wanted.
    stop_change : float, default=0.0
        Stop when an iteration changes the dictionary by at most stop_change, relative to its norm (0:
        never).
    gamma : float or 'auto', default=None
        Weight of the coherence penalty in ||X - DC||^2 + gamma ||D'D - I||^2; auto (idl): the largest
        on a regularisation path whose residual on held-out signals is within 1 % of the lowest.
    gamma_relative : float, default=None
        Weight relative to the data: G = gamma_relative ||X||^2 / L (default with idl: 0.016 v^2 + 0.1
        w^8, where v is the share of the energy of the signals about their mean, and w, at most 1, says
        how white they are; aksvdc, mocod: 0.1); idb: relative to the coefficient energy of each atom,
        default 0.0075.
    target_rms : float, default=None
        idl: the lowest relative error on the regularisation path of gamma with an rms coherence of at
        most target_rms.
    target_error : float, default=None
        idl: the lowest rms coherence on the regularisation path of gamma with a relative error of at
        most target_error.
    max_coherence : float, default=None
        Bound on the largest |d_i'd_j|; idl, online and decohere enforce it; for inksvd, ipr and idb it
        is a target, which inksvd and ipr try to reach within a tolerance and idb rarely reaches.
    unused : {'keep', 'worst', 'sample'}, default='worst'
        Atoms that no signal uses are kept, or replaced by the signal with the largest error or by a
        random signal.
    min_uses : int, default=1
        An atom is unused if fewer than min_uses signals use it (by their weights: if at most min_uses -
        1 do); the rule of the original K-SVD is min_uses=4 with replace=0.99.
    replace : float, default=None
        ksvd, aksvd: after every update, replace an atom with |d_i'd_j| > replace for some other atom by
        the signal with the largest error (default: never).
    replace_last : {'skip', 'published'}, default='skip'
        Replace: what becomes of the replacements chosen after the last update: skip: the dictionary
        written has learned atoms only; published: they are applied, as after every other update.
    exchange : bool, default=None
        After every update, replace atoms that reduce the error little by common directions of the
        largest residuals, where these reduce it more (default: yes if idl learns in growing batches,
        schedule; else no).
    coder : {'omp', 'ols', 'larc', 'lars', 'lasso'}, default='omp'
        omp: orthogonal matching pursuit; ols: orthogonal least squares; larc: least angle regression,
        stopped at a residual coherence; lars: least angle regression; lasso: the lasso, by homotopy.
    residual_coherence : float, default=None
        Stop when max |d'r| / ||r|| <= residual_coherence (default with larc if no stopping rule is
        given, in D dimensions: 0.2 sqrt(160/D), at most 0.5).
    sparsity : int, default=None
        Stop at sparsity atoms per signal (default with omp and ols if no stopping rule is given: D/20,
        at least 2; of learn with idl, normalised signals and no max-coherence: option lambda instead).
    tolerance : float, default=None
        Stop when ||r|| <= tolerance ||x||.
    residual_norm : float, default=None
        Stop when ||r|| <= residual_norm; learn: of the normalised signals, unless normalize='none'.
    lambda_ : float, default=None
        Stop when max |d'r| <= lambda_; lasso: the weight in 1/2 ||x - Dc||^2 + lambda_ ||c||_1 (default
        of learn with idl, normalised signals and omp or ols if no stopping rule is given: sqrt(2/D), at
        most 0.3, times the cube root of v, see option gamma-relative).
    refit : bool, default=False
        Recompute the coefficients by least squares on the support, which undoes the shrinkage of larc,
        lars and lasso.
    nonnegative : bool, default=False
        Coefficients of zero or more, with omp ols lasso.
    dim : int, default=None
        Values per signal or atom of raw float32 numbers, from standard input, a pipe or a .f32 file
        (frame: dimension of the atoms, required).
    window : int, default=None
        Audio: samples per signal.
    rate : float, default=None
        Audio: resample to rate (inspect, compare: also the sampling rate of the atoms, for the report).
    patch : tuple of two ints, default=None
        Images: rows and columns of a patch, such as 8x8 (matrices: the shape of each signal or atom,
        for init='dct' and the report).
    missing : {'refuse', 'nan'}, default='refuse'
        NaN in signals: refuse: an error; nan: a missing entry. Only the observed entries count, in
        codes and errors.
    precision : {'f32', 'f64'}, default=None
        Precision of the computation and of the output (default: that of the input; audio and images
        f32; frame: f64).
    seed : int, default=0
        Random seed.
    threads : int, default=0
        Number of threads (0: all available processors); the result does not depend on it.
    max_memory : int, default=None
        Use at most max_memory megabytes of memory, as far as it can be foreseen: refuse files and runs
        that need more (default: three quarters of the machine's).
    signals : int, default=None
        Draw signals windows, patches or rows at random, without digital silence.
    hop : int, default=None
        Audio, images: take all windows or patches, hop samples or pixels apart (encode: default is the
        window or patch size).
    columns : bool, default=False
        Signals or atoms are the columns of the files, not the rows (.mat: always).
    variable : str, default=None
        Array to read from a .npz, .mat or .safetensors file that holds several.
    weights : str, default=None
        Matrices: a nonnegative weight per signal, in their order; a signal of weight 2 counts as two,
        one of weight 0 as absent (Python: sample_weight).
    mask : str, default=None
        Matrices: a matrix of the shape of the data, 0 where an entry is missing, nonzero where it is
        observed (Python: missing); its value does not matter then.
    normalize : {'unit', 'none'}, default='unit'
        Normalise every training signal to unit norm, or none.
    center : {'none', 'signal', 'feature'}, default='none'
        Subtract nothing, the mean of each signal, or (learn) the mean of each feature over all signals,
        which is kept with the dictionary.
    norms : {'sphere', 'rescale'}, default='sphere'
        sphere: unit norms are kept during the update; rescale: atoms are normalised after the update,
        as in the paper.
    update : {'preconditioned', 'plain'}, default='preconditioned'
        idl: preconditioned: L-BFGS starts from a model of the objective's curvature and comes close to
        the minimum in a few iterations; plain: it starts from the gradient, as in the paper, and stops
        early, which regularises if there are few signals per atom.
    dropout : float, default=None
        idl: update as if each atom of a code were left out with probability dropout, so that the others
        do not rely on it (default, if coefficients are least squares, norms = sphere and there is no
        max-coherence: 0.15 times the cube root of v, see option gamma-relative; else 0).
    eta : float, default=None
        mocod: weight of the penalty sum_j (||d_j||^2 - 1)^2 during the update (default ||X||^2 / L).
    batch : int, default=512
        online: batch size: signals coded between two updates, in the order of the data.
    forget : float, default=0.1
        online: forgetting: the weight of a signal after one pass over all others (1: no forgetting).
    decorrelation_tolerance : float, default=0.001
        inksvd: rotate pairs until all |d_i'd_j| <= MU + decorrelation_tolerance.
    decorrelation_passes : int, default=1000
        inksvd: maximum number of passes per update.
    ipr_iterations : int, default=100
        ipr: maximum number of projections per update; they stop at a coherence of MU + 0.001.
    barrier : float, default=25.0
        idb: weight, in addition to G, of the barrier between atoms above max_coherence.
    family : {'gammatone'}, default='gammatone'
        parametric: family of atoms, with window samples at rate.

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

def welch_bound(dim: int, atoms: int) -> float:
    """Return the lower bound on the coherence of `atoms` unit vectors in `dim` dimensions.

    The bound of Welch; that of Levenshtein for more than dim (dim + 1) / 2 atoms, where it is larger.

    >>> import inco
    >>> round(inco.welch_bound(160, 1000), 4)
    0.0725
    >>> inco.welch_bound(4, 3)
    0.0
    """
