"""The library through ctypes, for the tests. INCO_LIBRARY names the shared library."""
import ctypes
import os

import numpy as np

_lib = ctypes.CDLL(os.environ["INCO_LIBRARY"])
_types = {np.dtype("float32"): 4, np.dtype("float64"): 8}


class Mat(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("rows", ctypes.c_int64), ("cols", ctypes.c_int64), ("ld", ctypes.c_int64),
                ("data", ctypes.c_void_p), ("owner", ctypes.c_void_p)]


class Csc(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("rows", ctypes.c_int64), ("cols", ctypes.c_int64),
                ("start", ctypes.POINTER(ctypes.c_int64)), ("index", ctypes.POINTER(ctypes.c_int64)),
                ("value", ctypes.c_void_p), ("owner", ctypes.c_void_p)]


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * 1024)]


class IncoError(Exception):
    pass


_lib.inco_options_new.restype = ctypes.c_void_p
_lib.inco_options_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(Error)]
_lib.inco_options_free.argtypes = [ctypes.c_void_p]
_lib.inco_coder_new.argtypes = [ctypes.c_void_p, ctypes.POINTER(Mat), ctypes.c_int, ctypes.c_void_p,
                                ctypes.POINTER(Error)]
_lib.inco_coder_run.argtypes = [ctypes.c_void_p, ctypes.POINTER(Mat), ctypes.POINTER(Csc), ctypes.c_void_p,
                                ctypes.POINTER(Error)]
_lib.inco_coder_free.argtypes = [ctypes.c_void_p]


def _check(status, error):
    if status < 0:
        raise IncoError(error.message.decode())


def view(array):
    """A matrix view of a C-ordered (n, d) array: the same bytes, n columns of d."""
    return Mat(_types[array.dtype], array.shape[1], array.shape[0], array.shape[1], array.ctypes.data, None)


def options(**settings):
    handle, error = _lib.inco_options_new(), Error()
    for name, value in settings.items():
        if value is True:
            value = "yes"
        text = repr(value) if isinstance(value, float) else str(value)
        _check(_lib.inco_options_set(handle, name.replace("_", "-").encode(), text.encode(), error), error)
    return handle


def encode(dictionary, signals, **settings):
    """Dense codes (n, atoms) of signals (n, d) in a dictionary (atoms, d), and ||x - Dc||^2 of each."""
    error, coder, codes = Error(), ctypes.c_void_p(), Csc()
    chosen = options(**settings)
    dictionary, signals = np.ascontiguousarray(dictionary), np.ascontiguousarray(signals)
    residual = np.zeros(len(signals))
    d, x = view(dictionary), view(signals)
    _check(_lib.inco_coder_new(ctypes.byref(coder), d, _types[signals.dtype], chosen, error), error)
    _check(_lib.inco_coder_run(coder, x, ctypes.byref(codes), residual.ctypes.data, error), error)
    dense = np.zeros((codes.cols, codes.rows), signals.dtype)
    real = ctypes.c_float if codes.type == 4 else ctypes.c_double
    value = ctypes.cast(codes.value, ctypes.POINTER(real))
    for n in range(codes.cols):
        for k in range(codes.start[n], codes.start[n + 1]):
            assert k == codes.start[n] or codes.index[k] > codes.index[k - 1]
            dense[n, codes.index[k]] = value[k]
    _lib.inco_csc_free(ctypes.byref(codes))
    _lib.inco_coder_free(coder)
    _lib.inco_options_free(chosen)
    return dense, residual
