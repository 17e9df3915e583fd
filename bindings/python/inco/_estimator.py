"""DictionaryLearning: the library as an estimator of scikit-learn."""
import ctypes
import inspect
import numbers
import os
import textwrap

import numpy as np

from . import _arrays as arrays
from . import _base
from . import _functions as functions
from . import _library as library
from . import _options as options
from . import _structs as s
from ._calls import Call

# Options under scikit-learn's names, and those that an estimator has no use for: they are for files and for methods without
# data; float32 stays float32; centring is a step of a pipeline.
RENAMED = {"atoms": "n_components", "threads": "n_jobs", "seed": "random_state", "lambda": "alpha"}
WITHOUT = ["dim", "window", "rate", "hop", "signals", "columns", "variable", "weights", "mask", "precision", "center", "family",
           "max-memory"]
PARAMETERS = options.Parameters(options.LEARN, WITHOUT, RENAMED)
CODING = options.Parameters(options.ENCODE, WITHOUT, RENAMED)


def _signature():
    """The parameters of the constructor: those of the table, and of the estimator itself."""
    def keyword(name, default):
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)

    both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    before = [inspect.Parameter("self", both), inspect.Parameter("n_components", both, default=None)]
    after = [keyword("n_jobs", None), keyword("random_state", PARAMETERS.names["random_state"].default),
             keyword("warm_start", False), keyword("sparse_output", False), keyword("callbacks", None)]
    return inspect.Signature(PARAMETERS.signature(before, after))


def _constructor(signature):
    def __init__(self, *args, **kwargs):
        values = signature.bind(self, *args, **kwargs)
        values.apply_defaults()
        for name, value in values.arguments.items():
            if name != "self":
                setattr(self, name, value)

    __init__.__signature__ = signature
    return __init__


def _threads(n_jobs):
    """n_jobs as scikit-learn counts: -1 is all processors. None is all, or OMP_NUM_THREADS, which joblib's workers set."""
    available = library.lib.inco_threads_available()
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(int(limit), available) if limit.isdigit() and int(limit) else 0
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise library.InvalidError(f"n_jobs must be None or an integer other than 0, not {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, available + 1 + n_jobs)


def _seed(random_state):
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(_base.check_random_state(random_state).randint(2**31 - 1))


class DictionaryLearning(*_base.bases):
    """Dictionary learning with bounded coherence, an estimator for scikit-learn.

    Finds a dictionary D (`components_`, atoms of unit norm) and sparse codes C that minimise

        ||X - C D||^2 + gamma ||D D' - I||^2

    Parameters
    ----------
    n_components : int, default=None
        Number of atoms; the number of features if None.
    init : {'sample', 'dct', 'random'}, path or array of shape (n_components, n_features), default={init}
        Initial dictionary: random signals, or random directions if there are fewer signals than atoms; cosines; random
        directions; a file; or an array.
    {options}
    n_jobs : int, default=None
        Number of threads; the result does not depend on it. None and -1 mean all processors, -2 all but one. The environment
        variable OMP_NUM_THREADS, which workers of joblib set, limits None.
    random_state : int, RandomState instance or None, default={seed}
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

    __init__ = _constructor(_signature())

    # ---- Options ----

    def _settings(self, parameters, X, atoms):
        """Options as text, from the parameters."""
        own = {"n_components", "n_jobs", "random_state", "init"}
        values = {name: getattr(self, name) for name in parameters.names if name not in own}
        settings = parameters.settings(values)
        settings["threads"] = str(_threads(self.n_jobs))
        return functions.clip_sparsity(settings, atoms, X.shape[1])

    def _learning(self, X, start, sample_weight=None):
        """Options of learning, as text; a dictionary to start from has its own number of atoms."""
        count = len(X) if sample_weight is None else np.count_nonzero(sample_weight)
        atoms = self.n_components if self.n_components is not None else X.shape[1] if start is None else len(start)
        settings = self._settings(PARAMETERS, X, atoms)
        settings.update(atoms=str(atoms), seed=str(_seed(self.random_state)))
        if start is None and self.init != "sample":
            settings["init"] = str(self.init)
        elif start is None and isinstance(atoms, numbers.Integral) and atoms > count:
            settings["init"] = "random"  # there are too few signals to draw from
        return settings

    def _start(self):
        """The initial dictionary, where there is one."""
        if self.warm_start and hasattr(self, "components_"):
            return np.ascontiguousarray(self.components_)
        return None if isinstance(self.init, (str, os.PathLike)) else _base.check_array(self.init)

    def _validate(self, X, reset):
        return _base.validate(self, X, reset, allow_nan=self.missing == "nan")

    # ---- Learning ----

    def fit(self, X, y=None, sample_weight=None):
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
        X = self._validate(X, reset=True)
        if sample_weight is not None:
            sample_weight = _base.check_weights(sample_weight, X)
        start = self._start()
        if start is not None and start.shape[1] != X.shape[1] and self.warm_start and hasattr(self, "components_"):
            start = None  # of other data
        functions.run_learner(X, self._learning(X, start, sample_weight), start, self.callbacks, RENAMED, self._keep,
                              sample_weight)
        return self

    def _keep(self, learned):
        self.components_ = learned.dictionary
        self.coherence_ = learned.coherence_max
        self.gamma_ = learned.gamma
        self.error_ = learned.relative_error
        self.history_ = learned.history
        self.n_iter_ = learned.iterations
        self.__dict__.pop("_stream", None)

    def partial_fit(self, X, y=None, sample_weight=None):
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
        first = not hasattr(self, "components_")
        X = self._validate(X, reset=first)
        if sample_weight is not None:
            sample_weight = _base.check_weights(sample_weight, X)
        stream = getattr(self, "_stream", None) or self._begin_stream(X, sample_weight)
        self._learn_batch(X, sample_weight, stream)
        return self

    def _begin_stream(self, X, sample_weight):
        start = np.ascontiguousarray(self.components_) if hasattr(self, "components_") else self._start()
        if start is None:
            settings = dict(self._learning(X, None, sample_weight), iterations="0")
            initial = ("atoms", "seed", "init", "iterations", "missing")
            start = functions.run_learner(X, {name: settings[name] for name in initial if name in settings}, names=RENAMED,
                                          sample_weight=sample_weight).dictionary
        atoms, dim = start.shape
        return {"dictionary": start.astype(np.float64), "a": np.zeros((atoms, atoms)), "b": np.zeros((atoms, dim)),
                "energy": 0.0, "observed": 0.0, "weight": 0.0, "signals": 0, "total_weight": 0.0, "batches": 0}

    def _stream_settings(self, X, atoms):
        settings = self._settings(PARAMETERS, X, atoms)
        for name in ("method", "iterations", "stop-change", "stop-seconds", "update-iterations", "code-updates"):
            settings.pop(name, None)
        if "gamma" not in settings:
            settings.setdefault("gamma-relative", "0.02")  # that of fit, whose signals have no common mean
        return settings

    def _learn_batch(self, X, sample_weight, stream):
        """Changes copies, so that a failure leaves the estimator as it was."""
        state = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in stream.items()}
        atoms = np.empty_like(state["dictionary"])
        mats = {name: ctypes.pointer(s.view(array)) for name, array in
                (("dictionary", state["dictionary"]), ("a", state["a"]), ("b", state["b"]), ("result", atoms))}
        sums = ("energy", "observed", "weight", "signals", "total_weight")
        struct = s.Online(**{name: state[name] for name in sums}, **mats)
        with Call(self._stream_settings(X, len(state["a"])), self.callbacks, RENAMED) as call:
            signals = arrays.Signals(X, call, sample_weight=sample_weight)
            status = call.run("inco_online_learn", signals.struct, call.options, struct)
            if status == 0:
                state.update({name: getattr(struct, name) for name in sums}, batches=state["batches"] + 1)
                self._keep_stream(state, struct, atoms.astype(X.dtype))
            call.finish(None)

    def _keep_stream(self, state, struct, atoms):
        self._stream = state
        self.components_ = atoms
        self.coherence_ = _coherence(atoms.astype(np.float64))
        self.gamma_ = struct.gamma
        self.error_ = struct.relative_error
        self.n_iter_ = state["batches"]
        row = {"iteration": state["batches"], "relative_error": struct.relative_error, "objective": struct.objective,
               "mean_cardinality": struct.mean_cardinality, "coherence_max": self.coherence_, "gamma": struct.gamma}
        before = self.history_ if state["batches"] > 1 else {name: [] for name in row}
        self.history_ = {name: np.append(before[name], value) for name, value in row.items()}

    # ---- Coding ----

    def _encode(self, X, sparse):
        _base.check_is_fitted(self)
        X = self._validate(X, reset=False)
        atoms = np.ascontiguousarray(self.components_, X.dtype)
        settings = self._settings(CODING, X, len(atoms))
        return functions.run_encoder(atoms, X, settings, sparse, self.callbacks, RENAMED)

    def transform(self, X):
        """Compute the sparse codes of signals.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
            A CSR matrix if `sparse_output`.
        """
        return self._encode(X, self.sparse_output)[0]

    def fit_transform(self, X, y=None, sample_weight=None):
        """Learn the dictionary and compute the codes of the training signals: ``fit(X).transform(X)``."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def inverse_transform(self, X):
        """Compute the signals that codes stand for: ``X @ components_``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        _base.check_is_fitted(self)
        if not hasattr(X, "tocsr"):
            X = _base.check_array(X)
        return functions.decode(self.components_, X)

    def score(self, X, y=None):
        """Return the share of the energy of signals that their codes explain, 1 - ||X - C D||^2 / ||X||^2; at most 1.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        float
        """
        return 1 - self._encode(X, False)[1].relative_error ** 2

    # ---- For scikit-learn ----

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32], "allow_nan": self.missing == "nan"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.allow_nan = self.missing == "nan"
        return tags


DictionaryLearning.__doc__ = textwrap.dedent("    " + DictionaryLearning.__doc__).replace(
    "{options}", PARAMETERS.document(without={*RENAMED.values(), "init"} - {"alpha"})
).replace("{seed}", repr(PARAMETERS.names["random_state"].default)).replace("{init}", repr(PARAMETERS.names["init"].default))


def _coherence(atoms):
    """max |d_i'd_j| of the normalised atoms."""
    if len(atoms) < 2:
        return 0.0
    atoms = atoms / np.linalg.norm(atoms, axis=1, keepdims=True)
    gram = np.abs(atoms @ atoms.T)
    np.fill_diagonal(gram, 0)
    return float(gram.max())
