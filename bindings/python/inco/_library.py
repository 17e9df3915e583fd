"""Finds and loads libinco, declares its functions, and turns its statuses into exceptions."""
import ctypes
import ctypes.util
import os
import pathlib
import re
import warnings
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

from . import _structs as s

try:
    from ._build import VERSION, SYSTEM_LIBRARY  # written by setup.py
except ImportError:  # the source tree
    VERSION, SYSTEM_LIBRARY = None, False


# ---- Exceptions ----

class Error(Exception):
    """A call of the library failed; the message says why. The base class of all exceptions of this package."""


class InvalidError(Error, ValueError):
    """An option or an array is invalid: out of range, of the wrong size, not finite, or in conflict with another."""


class FileError(Error, OSError):
    """A file cannot be read or written, or is not in the expected format."""


class MissingFeatureError(Error, NotImplementedError):
    """The library was built without an optional library that the call needs."""


class OutOfMemoryError(Error, MemoryError):
    """The library could not allocate memory."""


class NumericalError(Error, ArithmeticError):
    """A factorisation failed."""


class LibraryError(Error, ImportError):
    """libinco cannot be loaded, or has another version than this package."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a call. `result` is what the call has computed until then, None if nothing."""

    result = None


EXCEPTIONS = {
    -1: OutOfMemoryError, -2: InvalidError, -3: FileError, -4: FileError, -5: InvalidError, -6: InvalidError,
    -7: MissingFeatureError, -8: NumericalError,
}
STOPPED = 1


# ---- Loading ----

def _candidates():
    """Files and names to load, in order. INCO_LIBRARY comes first, the library inside this package next."""
    chosen = os.environ.get("INCO_LIBRARY")
    if chosen:
        return [chosen]
    inside = pathlib.Path(__file__).with_name("lib") / "libinco.so"
    if inside.exists() and not SYSTEM_LIBRARY:
        return [str(inside)]
    found = ctypes.util.find_library("inco")
    return [found] if found else []


def debian_package(soname):
    """The Debian package of a shared library, by the rule of the Debian Policy: libzip.so.4 is in libzip4."""
    name, _, version = soname.partition(".so.")
    if name == "liblapacke":  # the exception
        return name
    return f"{name}{'-' if name[-1:].isdigit() else ''}{version}"


def _explain(path, trouble):
    missing = re.match(r"(lib\S+\.so\.\S+): cannot open shared object file", str(trouble))
    if missing and missing.group(1) != os.path.basename(path):
        return (f"{path} needs {missing.group(1)}, which is not installed. "
                f"Debian: apt-get install {debian_package(missing.group(1))}")
    return f"cannot load {path}: {trouble}"


def _load():
    paths = _candidates()
    if not paths:
        raise LibraryError("libinco is not installed, and this package was made without it. Install the library, or set "
                           "INCO_LIBRARY to the path of libinco.so")
    try:
        return ctypes.CDLL(paths[0]), paths[0]
    except OSError as trouble:
        raise LibraryError(_explain(paths[0], trouble)) from None


FUNCTIONS = {
    "inco_version": (c_char_p, []),
    "inco_isa": (c_char_p, []),
    "inco_blas": (c_char_p, []),
    "inco_blas_advice": (c_char_p, []),
    "inco_has": (c_int, [c_char_p]),
    "inco_threads_available": (c_int, []),
    "inco_mat_free": (None, [POINTER(s.Mat)]),
    "inco_csc_free": (None, [POINTER(s.Csc)]),
    "inco_option_at": (c_int, [c_int, POINTER(s.Option)]),
    "inco_options_new": (c_void_p, []),
    "inco_options_free": (None, [c_void_p]),
    "inco_options_set": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(s.Error)]),
    "inco_options_on_progress": (c_int, [c_void_p, s.PROGRESS, c_void_p, c_size_t, POINTER(s.Error)]),
    "inco_source_from_mat": (c_int, [POINTER(s.Source), POINTER(s.Mat), POINTER(s.Error)]),
    "inco_data_open": (c_int, [POINTER(c_void_p), POINTER(c_char_p), c_int, c_void_p, POINTER(s.Error)]),
    "inco_data_free": (None, [c_void_p]),
    "inco_data_source": (c_int, [c_void_p, POINTER(s.Source), POINTER(s.Error)]),
    "inco_learner_new": (c_int, [POINTER(c_void_p), POINTER(s.Source), c_void_p, POINTER(s.Error)]),
    "inco_learner_free": (None, [c_void_p]),
    "inco_learner_start_from": (c_int, [c_void_p, POINTER(s.Mat), POINTER(s.Error)]),
    "inco_learner_run": (c_int, [c_void_p, POINTER(s.Error)]),
    "inco_learner_info": (c_int, [c_void_p, POINTER(s.LearnInfo), POINTER(s.Error)]),
    "inco_learner_dictionary": (c_int, [c_void_p, POINTER(s.Mat), POINTER(s.Error)]),
    "inco_learner_usage": (c_void_p, [c_void_p, POINTER(c_int64)]),
    "inco_learner_path": (c_int, [c_void_p, POINTER(s.Path), POINTER(s.Error)]),
    "inco_learner_path_point": (c_int, [c_void_p, c_int64, POINTER(s.PathPoint), POINTER(s.Error)]),
    "inco_online_learn": (c_int, [POINTER(s.Source), c_void_p, POINTER(s.Online), POINTER(s.Error)]),
    "inco_encode": (c_int, [POINTER(s.Mat), POINTER(s.Source), c_void_p, POINTER(s.Csc), POINTER(s.EncodeInfo),
                            POINTER(s.Error)]),
    "inco_decode": (c_int, [POINTER(s.Mat), POINTER(s.Csc), c_void_p, POINTER(s.Mat), POINTER(s.Error)]),
    "inco_inspect": (c_int, [POINTER(s.Mat), c_void_p, POINTER(s.Metrics), POINTER(s.Error)]),
    "inco_metrics_free": (None, [POINTER(s.Metrics)]),
    "inco_compare": (c_int, [POINTER(s.Mat), POINTER(s.Mat), c_void_p, POINTER(s.Comparison), POINTER(s.Error)]),
    "inco_comparison_free": (None, [POINTER(s.Comparison)]),
    "inco_bound_name": (c_char_p, [c_int64, c_int64]),
    "inco_bound": (c_double, [c_int64, c_int64]),
    "inco_decohere": (c_int, [POINTER(s.Mat), POINTER(s.Source), c_void_p, POINTER(s.Mat), POINTER(s.DecohereInfo),
                              POINTER(s.Error)]),
    "inco_frame": (c_int, [c_void_p, POINTER(s.Mat), POINTER(s.FrameInfo), POINTER(s.Error)]),
    "inco_report_new": (c_void_p, [c_char_p, c_char_p]),
    "inco_report_free": (None, [c_void_p]),
    "inco_report_dictionary": (None, [c_void_p, POINTER(s.Summary)]),
    "inco_report_write": (c_int, [c_void_p, POINTER(s.Stream), POINTER(s.Error)]),
}


def _declare(library, path):
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise LibraryError(f"{path} is another version of libinco: it has no function {name}") from None
        function.restype, function.argtypes = result, arguments


def _check_version(library, path):
    """The interface is that of a minor version, as the SONAME says."""
    found = library.inco_version().decode()
    if VERSION and found.split(".")[:2] != VERSION.split(".")[:2]:
        raise LibraryError(f"{path} is libinco {found}; this package needs version {VERSION.rpartition('.')[0]}")
    return found


lib, PATH = _load()
lib.inco_version.restype = c_char_p
__version__ = _check_version(lib, PATH)
_declare(lib, PATH)


# ---- Calls ----

def check(status, error):
    """Raises the exception of a negative status; returns the others, 0 and STOPPED."""
    if status >= 0:
        return status
    message = error.message.decode(errors="replace")
    raise EXCEPTIONS.get(status, Error)(message)


def call(name, *arguments):
    """Calls a function whose last parameter is an inco_error."""
    error = s.Error()
    return check(getattr(lib, name)(*arguments, ctypes.byref(error)), error)


_advised = False


def advise():
    """Warns once where OpenBLAS does not know the processor."""
    global _advised
    if _advised:
        return
    _advised = True
    value = lib.inco_blas_advice()
    if value:
        warnings.warn(f"OpenBLAS does not know this processor and uses slow kernels; set the environment variable "
                      f"OPENBLAS_CORETYPE={value.decode()} before Python starts", RuntimeWarning, stacklevel=4)
