"""What the estimator takes from scikit-learn: its base classes and checks, where it is installed, or the least of them."""
import numpy as np

from . import _arrays as arrays
from . import _library as library

try:
    import sklearn.base
    import sklearn.utils
    import sklearn.utils.validation
    from sklearn.exceptions import NotFittedError
    HAS_SKLEARN = True
except ImportError:
    HAS_SKLEARN = False


if HAS_SKLEARN:
    bases = (sklearn.base.ClassNamePrefixFeaturesOutMixin, sklearn.base.TransformerMixin, sklearn.base.BaseEstimator)
    _FLOATS = [np.float64, np.float32]

    def validate(estimator, X, reset, allow_nan=False):
        """X as an array of floats, checked as scikit-learn's own estimators do; its features are those of `fit`."""
        finite = "allow-nan" if allow_nan else True
        if hasattr(sklearn.utils.validation, "validate_data"):  # from 1.6
            return sklearn.utils.validation.validate_data(estimator, X, reset=reset, dtype=_FLOATS,
                                                          ensure_all_finite=finite)
        return estimator._validate_data(X, reset=reset, dtype=_FLOATS, force_all_finite=finite)

    def check_array(values):
        return sklearn.utils.check_array(values, dtype=_FLOATS, order="C")

    def check_weights(sample_weight, X):
        return sklearn.utils.validation._check_sample_weight(sample_weight, X, dtype=np.float64)

    check_is_fitted = sklearn.utils.validation.check_is_fitted
    check_random_state = sklearn.utils.check_random_state

else:
    class NotFittedError(library.Error, ValueError, AttributeError):
        """The estimator has not been fitted."""

    class _Estimator:
        """get_params and set_params; fit_transform; names of the features."""

        def get_params(self, deep=True):
            return {name: getattr(self, name) for name in self._parameter_names()}

        def set_params(self, **params):
            for name, value in params.items():
                if name not in self._parameter_names():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}")
                setattr(self, name, value)
            return self

        def __repr__(self):
            defaults = self.__init__.__signature__.parameters
            given = (f"{name}={value!r}" for name, value in self.get_params().items()
                     if value is not defaults[name].default and value != defaults[name].default)
            return f"{type(self).__name__}({', '.join(given)})"

        @classmethod
        def _parameter_names(cls):
            return [name for name in cls.__init__.__signature__.parameters if name != "self"]

        def get_feature_names_out(self, input_features=None):
            check_is_fitted(self)
            name = type(self).__name__.lower()
            return np.array([f"{name}{i}" for i in range(self._n_features_out)], dtype=object)

    bases = (_Estimator,)

    def validate(estimator, X, reset, allow_nan=False):
        array = arrays.as_matrix(X)
        array = array.astype(arrays.float_type(array), copy=False)
        if min(array.shape) < 1:
            raise library.InvalidError(f"Found array with shape {array.shape}: at least one signal and feature is required")
        if not np.isfinite(array[~np.isnan(array)] if allow_nan else array).all():
            raise library.InvalidError("Input X contains NaN or infinity")
        if reset:
            estimator.n_features_in_ = array.shape[1]
        elif array.shape[1] != estimator.n_features_in_:
            raise library.InvalidError(f"X has {array.shape[1]} features, but {type(estimator).__name__} is expecting "
                                       f"{estimator.n_features_in_} features as input")
        return array

    def check_array(values):
        return arrays.as_atoms(values)

    def check_weights(sample_weight, X):
        return arrays.as_weights(sample_weight, len(X))

    def check_is_fitted(estimator):
        if not hasattr(estimator, "components_"):
            raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' first")

    def check_random_state(state):
        return state if isinstance(state, np.random.RandomState) else np.random.RandomState(state)
