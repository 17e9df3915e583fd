"""Every size that a file declares passes the gate, limit_check of src/base/limit.h, before memory is taken for it.

The first table lists the callers of the gate; the second lists the other functions of src/io that allocate, and what
bounds them. A new reader, or a new allocation, must be added here: to the first table by calling the gate, to the
second with a bound that does not come from a file."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CALLERS = {
    "io/archive.c": {"member_size"},
    "io/audio.c": {"reserve"},
    "io/csv.c": {"push"},
    "io/file.c": {"file_read"},
    "io/hdf5check.c": {"check_data"},
    "io/matcheck.c": {"check_compressed", "check_sparse_4"},
    "io/matfile_read.c": {"check_size"},
    "io/npy.c": {"check_memory"},
    "io/npz_codes.c": {"read_codes"},
    "io/pgm.c": {"pgm_parse"},
    "io/png.c": {"allocate"},
    "io/reconstruct.c": {"check_extent"},
    "io/resample.c": {"audio_resample"},
}

# What bounds the memory: `gated`, a size that has passed the gate before; `held`, the size of an object in memory;
# `constant`.
ALLOCATIONS = {
    "io/archive.c": {"archive_header": "constant", "open_archive": "constant", "archive_new": "constant"},
    "io/audio.c": {"read_all": "constant", "take_samples": "gated", "reserve": "gated"},
    "io/codes.c": {"tidy": "held"},
    "io/csv.c": {"push": "gated", "csv_parse": "gated", "csv_load": "gated"},
    "io/data.c": {"load_files": "held", "load_drawn": "held", "load_weights": "held", "load_mask": "held", "pick_signals": "held", "inco_data_open": "constant",
                  "read_columns": "held", "find_origin": "held"},
    "io/file.c": {"copy_pipe": "constant", "file_block": "gated", "reserve": "gated"},
    "io/file_stream.c": {"open_file": "held"},
    "io/hdf5check.c": {"check_cells": "gated"},
    "io/log.c": {"take_iteration": "held", "take_usage": "held", "inco_log_load": "constant"},
    "io/matcheck.c": {"check_compressed": "gated"},
    "io/matfile_read.c": {"to_matrix": "gated", "to_codes": "gated", "get_field": "gated"},
    "io/matfile_write.c": {"ascii_json": "held", "copy_sparse": "held", "matfile_save": "held"},
    "io/mean.c": {"name_second": "held", "inco_save_dictionary": "held", "to_mean": "gated"},
    "io/npy.c": {"as_it_lies": "gated", "npy_take": "gated"},
    "io/npz.c": {"add_meta": "held", "npz_save": "held"},
    "io/npz_codes.c": {"read_compressed": "gated", "sort_by_signal": "gated", "get_field": "gated",
                       "short_pointers": "held", "add_origin": "held", "read_csc": "gated"},
    "io/origin.c": {"origin_new": "constant", "get_shape": "gated", "origin_describe": "held"},
    "io/output.c": {"output_open": "constant"},
    "io/paths.c": {"add": "held", "glue": "held"},
    "io/pgm.c": {"pgm_parse": "gated", "image_save_pgm": "held"},
    "io/png.c": {"allocate": "gated", "image_load_png": "gated", "image_save_png": "held"},
    "io/reconstruct.c": {"reassemble": "gated"},
    "io/resample.c": {"audio_resample": "gated"},
    "io/safetensors.c": {"take_tensors": "held", "safetensors_save": "held"},
}

ALLOCATING = re.compile(r"\b(?:NEW|NEW_RAW|memory_new|memory_raw|memory_grow|memory_more|mat_new_raw|inco_mat_new|mat_convert|"
                        r"mat_transpose|csc_new|csc_transpose|malloc|calloc|realloc|HANDLE|mmap)\(")
FUNCTION = re.compile(r"^(?:static )?(?:[a-z]\w* \**)+(\w+)\([^;]*?\) \{\n(.*?)^\}", re.M | re.S)



def users(pattern):
    found = {}
    for path in sorted((ROOT / "src").glob("*/*.c")):
        file = str(path.relative_to(ROOT / "src"))
        names = {name for name, body in FUNCTION.findall(path.read_text()) if pattern.search(body)}
        if names:
            found[file] = names
    return found


def test_callers_of_the_gate():
    assert users(re.compile(r"\blimit_check\(")) == CALLERS


def test_other_allocations_are_bounded():
    found = {file: names for file, names in users(ALLOCATING).items() if file.startswith("io/")}
    missing = [f"{file}: {name}" for file, names in found.items() for name in sorted(names)
               if name not in ALLOCATIONS.get(file, {})]
    assert not missing, "these allocate; what bounds their memory? " + ", ".join(missing)
    stale = [f"{file}: {name}" for file, names in ALLOCATIONS.items() for name in sorted(names)
             if name not in found.get(file, set())]
    assert not stale, "these allocate no more: " + ", ".join(stale)
    assert {bound for names in ALLOCATIONS.values() for bound in names.values()} == {"gated", "held", "constant"}
