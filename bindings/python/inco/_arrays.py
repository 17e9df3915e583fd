"""Arrays, files and iterators as sources of signals, and the library's results as arrays."""
import ctypes
import os
import weakref

import numpy as np

from . import _library as library
from . import _structs as s

lib = library.lib


# ---- Checks ----

def as_matrix(values, name="X"):
    """A 2-D array of real numbers, in whatever order and type it is; a copy only where it was no array."""
    if hasattr(values, "tocsr"):
        raise TypeError(f"{name} is a sparse matrix, but dense data is required; use {name}.toarray()")
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise library.InvalidError(f"{name} is complex; complex data is not supported")
    if array.dtype.kind not in "fiub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as trouble:
            raise library.InvalidError(f"{name} is not numeric: {trouble}") from None
    if array.ndim != 2:
        raise library.InvalidError(f"{name} must be a 2D array, one signal or atom per row; it has {array.ndim} dimensions")
    return array


def float_type(array):
    """float32 stays float32, float16 becomes float32, all else float64."""
    return np.dtype(np.float32 if array.dtype.kind == "f" and array.dtype.itemsize <= 4 else np.float64)


def has_contiguous_rows(array):
    """Whether the library can read the array where it is."""
    rows, cols = array.shape
    if array.dtype not in s.TYPES or not array.dtype.isnative or not array.flags.aligned:
        return False
    step, inner = array.strides
    return ((cols <= 1 or inner == array.itemsize)
            and (rows <= 1 or (step % array.itemsize == 0 and step >= cols * array.itemsize)))


def as_atoms(values, name="dictionary"):
    """A dictionary that the library can read: its rows contiguous floats."""
    array = as_matrix(values, name)
    return array if has_contiguous_rows(array) else np.ascontiguousarray(array, float_type(array))


def as_weights(values, count):
    """The weights of so many signals as float64; a number is the weight of all. The library checks their values."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise library.InvalidError(f"sample_weight has values of type {array.dtype}, not numbers")
    if array.ndim == 0:
        array = np.full(count, array)
    if array.shape != (count,):
        raise library.InvalidError(f"sample_weight has the shape {array.shape}, not one weight for each of {count} signals")
    return np.ascontiguousarray(array, np.float64)


# ---- Sources ----

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

    def next(self):
        raise NotImplementedError("a DataIter needs a method `next`")

    def reset(self):
        raise NotImplementedError("a DataIter needs a method `reset`")


class _Blocks:
    """Rows of an array that the library cannot read where it is: in another order or type. Converted block by block."""

    sequential = 0

    def __init__(self, array):
        self.array, self.dtype, (self.count, self.dim) = array, float_type(array), array.shape

    def read(self, first, out):
        out[...] = self.array[first:first + len(out)]


class _Batches:
    """Random access to an iterator: forward within a pass, back by `reset`."""

    sequential = 1

    def __init__(self, iterator):
        self.iterator = iterator
        self.count, self.dim, self.dtype = 0, None, np.dtype(np.float32)
        iterator.reset()
        for batch in self._pass():
            if self.dim not in (None, batch.shape[1]):
                raise library.InvalidError(f"the batches have different numbers of features: {self.dim}, {batch.shape[1]}")
            self.dim, self.count = batch.shape[1], self.count + len(batch)
            self.dtype = np.promote_types(self.dtype, float_type(batch))
        self.dim = self.dim or 0
        self._rewind()

    def _next(self):
        batch = self.iterator.next()
        return None if batch is None else as_matrix(batch, "a batch")

    def _pass(self):
        while (batch := self._next()) is not None:
            yield batch

    def _rewind(self):
        self.iterator.reset()
        self.batch, self.first = np.empty((0, self.dim)), 0

    def read(self, first, out):
        if first < self.first:
            self._rewind()
        filled = 0
        while filled < len(out):
            place = first + filled - self.first
            part = self.batch[place:place + len(out) - filled]
            out[filled:filled + len(part)] = part
            filled += len(part)
            if filled < len(out):
                self.first += len(self.batch)
                self.batch = self._next()
                if self.batch is None:
                    self._rewind()
                    raise library.InvalidError("an iterator has fewer signals than in its first pass")


class Signals:
    """A source of the library from an array, an iterator with `next` and `reset`, or names of files.

    What it reads from is kept as long as it lives.
    """

    def __init__(self, data, call, name="X", sample_weight=None):
        self.call, self.keep, self.struct = call, data, s.Source()
        if are_paths(data):
            self._open([data] if _is_path(data) else data)
        elif callable(getattr(data, "next", None)) and callable(getattr(data, "reset", None)):
            self._no_mask()
            self._read_with(_Batches(data))
        else:
            self._no_mask()
            array = as_matrix(data, name)
            if has_contiguous_rows(array):
                self._view(array)
            else:
                self._read_with(_Blocks(array))
        if sample_weight is not None:
            self.weights, self.weigh = as_weights(sample_weight, self.struct.count), s.WEIGHTS(self._copy_weights)
            self.struct.weights = self.weigh

    def _no_mask(self):
        if lib.inco_options_given(self.call.options, b"mask"):
            raise library.InvalidError("mask belongs to files; in an array, NaN marks missing entries: missing='nan'")

    def _view(self, array):
        self.keep = array, s.view(array)
        self.call("inco_source_from_mat", self.struct, self.keep[1])

    def _open(self, paths):
        names = (ctypes.c_char_p * len(paths))(*(os.fsencode(path) for path in paths))
        handle = ctypes.c_void_p()
        self.call("inco_data_open", ctypes.byref(handle), names, len(paths), self.call.options)
        self.keep = weakref.finalize(self, lib.inco_data_free, handle)
        self.call("inco_data_source", handle, self.struct)

    def _read_with(self, reader):
        self.reader, self.function = reader, s.READ(self._read)
        self.struct = s.Source(dim=reader.dim, count=reader.count, type=s.TYPES[reader.dtype], read=self.function,
                               sequential=reader.sequential)

    def _read(self, _, first, count, address, error):
        reader = self.reader
        raw = (ctypes.c_char * (count * reader.dim * reader.dtype.itemsize)).from_address(address)
        out = np.frombuffer(raw, reader.dtype).reshape(count, reader.dim)
        self.call.guard(reader.read, first, out)
        if self.call.exception is None:
            return 0
        error.contents.message = b"the source raised an exception"
        return -3

    def _copy_weights(self, _, first, count, address, error):
        part = self.weights[first:first + count]
        ctypes.memmove(address, part.ctypes.data, part.nbytes)
        return 0

    @property
    def shape(self):
        return self.struct.count, self.struct.dim

    @property
    def dtype(self):
        return s.DTYPES[self.struct.type]


def _is_path(value):
    return isinstance(value, (str, bytes, os.PathLike))


def are_paths(data):
    """Whether the signals are in files."""
    return _is_path(data) or (isinstance(data, (list, tuple)) and len(data) > 0 and all(map(_is_path, data)))


# ---- Results ----

def _owned(address, count, dtype, owner):
    """An array over memory of the library, which lives as long as `owner`."""
    dtype = np.dtype(dtype)
    if not count:
        return np.empty(0, dtype)
    raw = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    raw.owner = owner
    return np.frombuffer(raw, dtype)


def take_matrix(mat):
    """The array of a matrix that the library allocated: one row per column, without a copy."""
    owner = s.Mat.from_buffer_copy(mat)
    weakref.finalize(owner, lib.inco_mat_free, ctypes.byref(s.Mat.from_buffer_copy(mat)))
    return _owned(mat.data, mat.rows * mat.cols, s.DTYPES[mat.type], owner).reshape(mat.cols, mat.rows)


def copy_matrix(mat):
    """A copy of a matrix that stays the library's."""
    return s.copy_array(mat.data, mat.rows * mat.cols, s.DTYPES[mat.type]).reshape(mat.cols, mat.rows)


def take_codes(codes, sparse):
    """Codes that the library allocated: a CSR matrix, or a dense array."""
    owner = s.Csc.from_buffer_copy(codes)
    weakref.finalize(owner, lib.inco_csc_free, ctypes.byref(s.Csc.from_buffer_copy(codes)))
    start = _owned(codes.start, codes.cols + 1, np.int64, owner)
    count = int(start[-1])
    index = _owned(codes.index, count, np.int64, owner)
    value = _owned(codes.value, count, s.DTYPES[codes.type], owner)
    shape = codes.cols, codes.rows
    if sparse:
        return scipy_sparse().csr_matrix((value, index, start), shape=shape)
    dense = np.zeros(shape, value.dtype)
    for first in range(0, codes.cols, 4096):  # blocks, so that the indices of rows stay small
        last = min(first + 4096, codes.cols)
        row = np.repeat(np.arange(first, last), np.diff(start[first:last + 1]))
        dense[row, index[start[first]:start[last]]] = value[start[first]:start[last]]
    return dense


def scipy_sparse():
    """scipy.sparse, where it is installed."""
    try:
        import scipy.sparse
    except ImportError:
        raise library.MissingFeatureError(
            "sparse codes need SciPy (Debian: python3-scipy); sparse=False gives an array") from None
    return scipy.sparse
