"""The structs of inco.h for ctypes.

A struct that begins with `size` grows at its end: :class:`Sized` fills in the size of the struct as declared here, and the
library reads and writes no further. ``tests/test_interface.py`` compares the declarations with the header.
"""
import ctypes
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

import numpy as np

F32, F64 = 4, 8  # inco_type: the size of a value in bytes
TYPES = {np.dtype(np.float32): F32, np.dtype(np.float64): F64}
DTYPES = {code: dtype for dtype, code in TYPES.items()}


class Error(ctypes.Structure):
    """inco_error"""

    _fields_ = [("code", c_int), ("message", c_char * 1024)]


class Mat(ctypes.Structure):
    """inco_mat: its columns are the rows of a NumPy array."""

    _fields_ = [
        ("type", c_int), ("rows", c_int64), ("cols", c_int64), ("ld", c_int64), ("data", c_void_p), ("owner", c_void_p),
    ]


class Csc(ctypes.Structure):
    """inco_csc: its columns are the rows of a CSR matrix."""

    _fields_ = [
        ("type", c_int), ("rows", c_int64), ("cols", c_int64),
        ("start", c_void_p), ("index", c_void_p), ("value", c_void_p), ("owner", c_void_p),
    ]


class Sized(ctypes.Structure):
    """A struct that begins with `size`, as INCO_INIT makes it: the size set, the rest zero or as given by name."""

    def __init__(self, **fields):
        super().__init__(size=ctypes.sizeof(self), **fields)

    def as_dict(self):
        """The scalar fields by name; text decoded, pointers left out."""
        values = {}
        for name, kind, *_ in self._fields_[1:]:
            value = getattr(self, name)
            if kind is c_char_p:
                values[name] = value.decode() if value else None
            elif kind in (c_int64, c_double, c_int):
                values[name] = value
        return values


READ = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64, c_int64, c_void_p, POINTER(Error))
WEIGHTS = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64, c_int64, c_void_p, POINTER(Error))
WRITE_BYTES = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
READ_BYTES = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)


class Source(Sized):
    """inco_source"""

    _fields_ = [
        ("size", c_size_t), ("dim", c_int64), ("count", c_int64), ("type", c_int), ("self", c_void_p), ("read", READ),
        ("concurrent", c_int64), ("sequential", c_int64), ("weights", WEIGHTS), ("missing", c_int64), ("mask", c_void_p),
    ]


class Stream(Sized):
    """inco_stream"""

    _fields_ = [("size", c_size_t), ("self", c_void_p), ("write", WRITE_BYTES), ("read", READ_BYTES)]


class Progress(Sized):
    """inco_progress"""

    _fields_ = [
        ("size", c_size_t), ("phase", c_char_p), ("iteration", c_int64), ("iterations", c_int64), ("done", c_int64),
        ("total", c_int64), ("seconds", c_double), ("relative_error", c_double), ("mean_cardinality", c_double),
        ("objective_before", c_double), ("objective", c_double), ("coherence_max", c_double), ("coherence_rms", c_double),
        ("replaced", c_int64), ("update_iterations", c_int64), ("seconds_code", c_double), ("seconds_update", c_double),
        ("spread_passes", c_int64), ("spread_pairs", c_int64), ("gamma", c_double), ("gamma_updates", c_int64),
        ("point", c_int64), ("points", c_int64),
    ]


PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Progress))


class LearnInfo(Sized):
    """inco_learn_info"""

    _fields_ = [
        ("size", c_size_t), ("dim", c_int64), ("atoms", c_int64), ("signals", c_int64), ("iterations", c_int64),
        ("precision", c_int), ("gamma", c_double), ("gamma_relative", c_double), ("tight_ratio", c_double),
        ("relative_error", c_double), ("mean_cardinality", c_double), ("objective", c_double), ("coherence_max", c_double),
        ("coherence_rms", c_double), ("coherence_mean", c_double), ("welch", c_double), ("singular_max", c_double),
        ("singular_min", c_double), ("replaced", c_int64), ("replaced_coherent", c_int64), ("replaced_exchanged", c_int64),
        ("unused", c_int64), ("zero_signals", c_int64), ("skipped_atoms", c_int64), ("stopped_by", c_char_p),
        ("isa", c_char_p), ("blas", c_char_p), ("threads", c_int64), ("seconds_code", c_double),
        ("seconds_update", c_double), ("seconds_io", c_double), ("seconds_total", c_double), ("spread_passes", c_int64),
        ("spread_pairs", c_int64), ("seconds_spread", c_double), ("coherence_target", c_double), ("eta", c_double),
        ("start_coherence_max", c_double), ("start_coherence_rms", c_double), ("replaced_last", c_int64),
        ("rank", c_int64), ("start_projected", c_int64), ("start_replaced", c_int64), ("ranks", c_int64),
        ("cluster_updates", c_int64), ("cluster_bytes", c_double), ("weight", c_double), ("left_out", c_int64),
        ("empty_signals", c_int64), ("missing_entries", c_int64), ("dropout", c_double), ("stop_gain", c_double),
    ]


class EncodeInfo(Sized):
    """inco_encode_info"""

    _fields_ = [
        ("size", c_size_t), ("dim", c_int64), ("atoms", c_int64), ("signals", c_int64), ("nonzeros", c_int64),
        ("mean_cardinality", c_double), ("relative_error", c_double), ("snr_db", c_double), ("skipped_atoms", c_int64),
        ("zero_signals", c_int64), ("zero_atoms", c_int64), ("seconds_code", c_double), ("seconds_io", c_double),
        ("seconds_total", c_double), ("missing_entries", c_int64), ("empty_signals", c_int64),
    ]


class Metrics(Sized):
    """inco_metrics"""

    _fields_ = [
        ("size", c_size_t), ("owner", c_void_p), ("dim", c_int64), ("atoms", c_int64), ("zero_atoms", c_int64),
        ("norm_min", c_double), ("norm_max", c_double), ("coherence_max", c_double), ("coherence_rms", c_double),
        ("coherence_mean", c_double), ("coherence_median", c_double), ("welch", c_double), ("erc_sparsity", c_int64),
        ("babel_count", c_int64), ("babel", POINTER(c_double)), ("histogram_count", c_int64),
        ("histogram", POINTER(c_int64)), ("singular_count", c_int64), ("singular", POINTER(c_double)),
        ("flat_singular", c_double), ("frame_lower", c_double), ("frame_upper", c_double), ("duplicates", c_int64),
        ("pair_count", c_int64), ("pair_first", POINTER(c_int64)), ("pair_second", POINTER(c_int64)),
        ("pair_similarity", POINTER(c_double)), ("rank", c_int64), ("nearest_count", c_int64),
        ("nearest", POINTER(c_int64)), ("nearest_similarity", POINTER(c_double)),
        ("nearest_histogram", POINTER(c_int64)), ("quantile_count", c_int64), ("quantile_level", POINTER(c_double)),
        ("nearest_quantile", POINTER(c_double)), ("duplicate_count", c_int64), ("duplicate_first", POINTER(c_int64)),
        ("duplicate_second", POINTER(c_int64)), ("duplicate_similarity", POINTER(c_double)),
        ("babel_sparsity", c_int64),
    ]


class Comparison(Sized):
    """inco_comparison"""

    _fields_ = [
        ("size", c_size_t), ("owner", c_void_p), ("dim", c_int64), ("atoms_a", c_int64), ("atoms_b", c_int64),
        ("zero_a", c_int64), ("zero_b", c_int64), ("matched", c_int64), ("mean_similarity", c_double),
        ("match", POINTER(c_int64)), ("match_similarity", POINTER(c_double)), ("histogram_count", c_int64),
        ("histogram", POINTER(c_int64)), ("threshold_count", c_int64), ("threshold", POINTER(c_double)),
        ("recovered", POINTER(c_int64)), ("nearest_a", POINTER(c_int64)), ("nearest_b", POINTER(c_int64)),
        ("nearest_similarity_a", POINTER(c_double)), ("nearest_similarity_b", POINTER(c_double)),
        ("recovered_a", POINTER(c_int64)), ("recovered_b", POINTER(c_int64)), ("mean_nearest_a", c_double),
        ("mean_nearest_b", c_double), ("collisions_a", c_int64), ("collisions_b", c_int64),
        ("coherence_max_a", c_double), ("coherence_rms_a", c_double), ("coherence_max_b", c_double),
        ("coherence_rms_b", c_double), ("seconds_total", c_double),
    ]


class DecohereInfo(Sized):
    """inco_decohere_info"""

    _fields_ = [
        ("size", c_size_t), ("dim", c_int64), ("atoms", c_int64), ("zero_atoms", c_int64), ("precision", c_int),
        ("bound", c_double), ("welch", c_double), ("coherence_before", c_double), ("coherence_max", c_double),
        ("coherence_rms", c_double), ("reached", c_int64), ("change", c_double), ("moved", c_int64), ("signals", c_int64),
        ("mean_cardinality", c_double), ("relative_error_before", c_double), ("relative_error", c_double),
        ("stages", c_int64), ("iterations", c_int64), ("threads", c_int64), ("seconds_code", c_double),
        ("seconds_total", c_double),
    ]


class FrameInfo(Sized):
    """inco_frame_info"""

    _fields_ = [
        ("size", c_size_t), ("dim", c_int64), ("atoms", c_int64), ("precision", c_int), ("coherence_max", c_double),
        ("coherence_rms", c_double), ("welch", c_double), ("tightness", c_double), ("starts", c_int64), ("start", c_int64),
        ("stopped_by", c_char_p), ("threads", c_int64), ("seconds_total", c_double),
    ]


class Online(Sized):
    """inco_online"""

    _fields_ = [
        ("size", c_size_t), ("dictionary", POINTER(Mat)), ("a", POINTER(Mat)), ("b", POINTER(Mat)), ("energy", c_double),
        ("weight", c_double), ("signals", c_int64), ("relative_error", c_double), ("mean_cardinality", c_double),
        ("objective", c_double), ("gamma", c_double), ("result", POINTER(Mat)), ("total_weight", c_double),
        ("observed", c_double),
    ]


class Path(Sized):
    """inco_path"""

    _fields_ = [
        ("size", c_size_t), ("count", c_int64), ("chosen", c_int64), ("points", c_int64), ("held_out", c_int64),
        ("cardinalities", c_int64), ("cardinality", POINTER(c_int64)), ("noise", c_double), ("seconds", c_double),
    ]


class PathPoint(Sized):
    """inco_path_point"""

    _fields_ = [
        ("size", c_size_t), ("gamma", c_double), ("gamma_relative", c_double), ("coherence_max", c_double),
        ("coherence_rms", c_double), ("singular_max", c_double), ("singular_min", c_double), ("relative_error", c_double),
        ("mean_cardinality", c_double), ("residual", POINTER(c_double)), ("judgement", c_double), ("cost", c_double),
        ("order", c_int64),
    ]


class Option(Sized):
    """inco_option"""

    _fields_ = [
        ("size", c_size_t), ("name", c_char_p), ("type", c_int64), ("default_text", c_char_p), ("low", c_double),
        ("high", c_double), ("choices", c_char_p), ("commands", c_int64), ("metavar", c_char_p), ("group", c_char_p),
        ("help", c_char_p),
    ]


class Summary(Sized):
    """inco_summary"""

    _fields_ = [
        ("size", c_size_t), ("dictionary", POINTER(Mat)), ("metrics", POINTER(Metrics)), ("fact_count", c_int64),
        ("fact_names", POINTER(c_char_p)), ("fact_values", POINTER(c_char_p)), ("fact_notes", POINTER(c_char_p)),
        ("fact_kinds", c_char_p), ("iteration_count", c_int64), ("iterations", POINTER(POINTER(Progress))),
        ("usage", POINTER(c_int64)), ("signals", c_int64), ("relative_error", c_double), ("mean_cardinality", c_double),
        ("patch_rows", c_int64), ("patch_cols", c_int64), ("rate", c_double), ("held_out", c_void_p),
        ("duplicates", c_double),
    ]


def view(array):
    """A view of a 2-D float array whose rows are contiguous: the same bytes, one column per row."""
    step = array.strides[0] // array.itemsize if array.shape[0] > 1 else array.shape[1]
    return Mat(TYPES[array.dtype], array.shape[1], array.shape[0], step, array.ctypes.data, None)


def copy_array(pointer, count, dtype):
    """A NumPy copy of `count` values at an address or pointer, which may be NULL if there are none."""
    if not count or not pointer:
        return np.empty(0, dtype)
    address = ctypes.cast(pointer, c_void_p).value
    raw = (c_char * (count * np.dtype(dtype).itemsize)).from_address(address)
    return np.frombuffer(raw, dtype).copy()
