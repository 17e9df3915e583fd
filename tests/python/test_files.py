"""Exchange of files with NumPy and SciPy, in both directions.

The program in INCO_TOOL_CONVERT reads a file and writes it as another.
"""
import json
import os
import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.sparse

TOOL = os.environ.get("INCO_TOOL_CONVERT")
if not TOOL:
    pytest.skip("INCO_TOOL_CONVERT names no program", allow_module_level=True)


def run(*args, cwd):
    return subprocess.run([TOOL, *map(str, args)], cwd=cwd, capture_output=True, text=True)


def convert(folder, *args):
    result = run(*args, cwd=folder)
    assert result.returncode == 0, result.stderr


def refused(folder, *args):
    result = run(*args, cwd=folder)
    assert result.returncode == 1
    return result.stderr


def has(folder, ending):
    np.save(folder / "probe.npy", np.ones((2, 2)))
    result = run("matrix", "probe.npy", "probe" + ending, cwd=folder)
    if "lacks" in result.stderr:
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0, result.stderr


def some(dtype, shape=(7, 5), seed=0):
    values = np.random.default_rng(seed).integers(-100, 100, shape)
    if np.dtype(dtype).kind == "u":
        values = np.abs(values)
    if np.dtype(dtype).kind == "b":
        values = values > 0
    if np.dtype(dtype).kind == "f":
        values = values / 8 + 1 / 3
    return values.astype(dtype)


# ---- .npy ----

NUMBERS = ["?", "i1", "u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8",
           "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_npy_types(tmp_path, dtype, order):
    x = some(dtype)
    np.save(tmp_path / "x.npy", np.asarray(x, order=order))
    convert(tmp_path, "matrix", "x.npy", "y.npy")
    y = np.load(tmp_path / "y.npy")
    narrow = x.dtype.itemsize <= 2 or (x.dtype.kind == "f" and x.dtype.itemsize == 4)
    assert y.dtype == ("<f4" if narrow else "<f8")
    assert y.flags["C_CONTIGUOUS"]
    np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_versions(tmp_path, version):
    x = some("f4")
    with open(tmp_path / "x.npy", "wb") as file:
        np.lib.format.write_array(file, x, version=version)
    convert(tmp_path, "matrix", "x.npy", "y.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), x)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv"])
def test_columns(tmp_path, order, ending):
    """Signals in columns: for the input alone the array is transposed, for both files it is unchanged."""
    has(tmp_path, ending)
    x = some("f8", (4, 6))
    np.save(tmp_path / "x.npy", np.asarray(x, order=order))
    convert(tmp_path, "matrix", "x.npy", "y.npy", "in:columns=yes")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), x.T)
    convert(tmp_path, "matrix", "x.npy", "z" + ending, "columns=yes")
    convert(tmp_path, "matrix", "z" + ending, "back.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "back.npy"), x)


def test_npy_of_the_machine_is_written_in_c_order(tmp_path):
    x = some("f8", (4, 6))
    np.save(tmp_path / "x.npy", x)
    convert(tmp_path, "matrix", "x.npy", "y.npy")
    assert (tmp_path / "x.npy").read_bytes() == (tmp_path / "y.npy").read_bytes()


def test_standard_output(tmp_path):
    x = some("f4")
    np.save(tmp_path / "x.npy", x)
    out = subprocess.run([TOOL, "matrix", tmp_path / "x.npy", "-"], capture_output=True, check=True).stdout
    assert out == (tmp_path / "x.npy").read_bytes()


@pytest.mark.parametrize("array,text", [
    (np.array([[None, 1]], dtype=object), "Python objects"),
    (np.ones((2, 2), dtype="c16"), "complex"),
    (np.ones((2, 2, 2)), "3-d array"),
    (np.ones(5), "1-d array of 5 values"),
    (np.array([["a", "b"]]), "text"),
    (np.zeros((2, 2), dtype=[("a", "f4"), ("b", "i4")]), "structured"),
    (np.zeros((2, 2), dtype="M8[s]"), "dates"),
    (np.zeros((2, 2), dtype=np.longdouble), "extended floats"),
    (np.zeros((0, 3)), "empty"),
    (np.array([[1, 2], [3, np.nan]]), "NaN at row 1, column 1 (counted from 0)"),
    (np.array([[1, -np.inf], [3, 4]], dtype="f2"), "Inf at row 0, column 1 (counted from 0)"),
])
def test_npy_refused(tmp_path, array, text):
    np.save(tmp_path / "x.npy", array, allow_pickle=True)
    message = refused(tmp_path, "matrix", "x.npy", "y.npy")
    assert text in message and "x.npy" in message
    assert not (tmp_path / "y.npy").exists()


# ---- .npz ----

@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
def test_npz_read(tmp_path, save, dtype):
    has(tmp_path, ".npz")
    x = some(dtype)
    save(tmp_path / "x.npz", a=x, note="text", weights=np.ones(3))
    convert(tmp_path, "matrix", "x.npz", "y.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), x)
    save(tmp_path / "two.npz", a=x, b=x + 1)
    assert "a (7, 5), b (7, 5)" in refused(tmp_path, "matrix", "two.npz", "y.npy")
    convert(tmp_path, "matrix", "two.npz", "y.npy", "variable=b")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), x + 1)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_npz_written(tmp_path, dtype):
    has(tmp_path, ".npz")
    x = some(dtype)
    meta = {"command": "learn", "data": "naïve/\U0001d11e.wav", "seed": 3}
    np.save(tmp_path / "x.npy", x)
    convert(tmp_path, "matrix", "x.npy", "y.npz", "meta=" + json.dumps(meta, ensure_ascii=False))
    with np.load(tmp_path / "y.npz", allow_pickle=False) as y:
        assert sorted(y.files) == ["components", "meta"]
        assert y["components"].dtype == dtype
        np.testing.assert_array_equal(y["components"], x)
        assert json.loads(str(y["meta"])) == meta
        assert json.loads(y["meta"].item()) == meta


# ---- Codes ----

def some_codes(dtype="f4", shape=(40, 13), density=0.2):
    codes = scipy.sparse.random(*shape, density, format="csr", random_state=1)
    codes.data = codes.data.round(3)
    return codes.astype(dtype)


def assert_same(a, b):
    assert a.shape == b.shape
    assert (a != b).nnz == 0


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_codes_npz(tmp_path, layout, compressed, dtype):
    has(tmp_path, ".npz")
    codes = some_codes("f4" if dtype != "i4" else "f8")
    if dtype == "i4":
        codes.data = np.arange(1, codes.nnz + 1, dtype="f8")
    scipy.sparse.save_npz(tmp_path / "c.npz", codes.astype(dtype).asformat(layout), compressed=compressed)
    convert(tmp_path, "codes", "c.npz", "d.npz")
    back = scipy.sparse.load_npz(tmp_path / "d.npz")
    assert back.format == "csr" and back.indices.dtype == back.indptr.dtype == np.int32
    assert back.dtype == ("f4" if dtype == "f4" else "f8")
    assert back.has_canonical_format
    assert_same(back, codes)


@pytest.mark.parametrize("indices", ["i4", "i8"])
@pytest.mark.parametrize("pointers", ["i4", "i8"])
def test_codes_of_either_integer(tmp_path, indices, pointers):
    has(tmp_path, ".npz")
    codes = some_codes()
    np.savez(tmp_path / "c.npz", indices=codes.indices.astype(indices), indptr=codes.indptr.astype(pointers),
             format=np.array("csr"), shape=codes.shape, data=codes.data)
    convert(tmp_path, "codes", "c.npz", "d.npz")
    assert_same(scipy.sparse.load_npz(tmp_path / "d.npz"), codes)


def test_codes_unsorted_and_doubled(tmp_path):
    has(tmp_path, ".npz")
    values, columns, starts = np.array([1.0, 2, 3, 4]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])
    codes = scipy.sparse.csr_matrix((values, columns, starts), shape=(2, 3))
    scipy.sparse.save_npz(tmp_path / "c.npz", codes)
    convert(tmp_path, "codes", "c.npz", "d.npz")
    back = scipy.sparse.load_npz(tmp_path / "d.npz")
    np.testing.assert_array_equal(back.indices, [0, 2, 1])
    np.testing.assert_array_equal(back.toarray(), codes.toarray())


def test_codes_without_entries(tmp_path):
    has(tmp_path, ".npz")
    codes = scipy.sparse.csr_matrix((5, 4))
    scipy.sparse.save_npz(tmp_path / "c.npz", codes)
    convert(tmp_path, "codes", "c.npz", "d.npz")
    assert_same(scipy.sparse.load_npz(tmp_path / "d.npz"), codes)


def test_origin_survives_and_scipy_ignores_it(tmp_path):
    has(tmp_path, ".npz")
    codes = some_codes("f8", (4, 13))
    np.savez(tmp_path / "c.npz", indices=codes.indices, indptr=codes.indptr, format=b"csr", shape=codes.shape,
             data=codes.data, origin_kind=1, origin_window=160, origin_hop=80, origin_rate=8000.0,
             origin_shape=np.array([[240, 1], [230, 1]]), origin_mean=np.arange(4.0))
    convert(tmp_path, "codes", "c.npz", "d.npz")
    assert_same(scipy.sparse.load_npz(tmp_path / "d.npz"), codes)
    with np.load(tmp_path / "d.npz", allow_pickle=False) as d:
        assert d["origin_kind"] == 1 and d["origin_rate"] == 8000
        assert d["origin_window"] == 160 and d["origin_hop"] == 80 and d["origin_hop"].dtype.kind == "i"
        np.testing.assert_array_equal(d["origin_shape"], [[240, 1], [230, 1]])
        np.testing.assert_array_equal(d["origin_mean"], np.arange(4.0))


# ---- .csv ----

@pytest.mark.parametrize("ending,delimiter", [(".csv", ","), (".tsv", "\t"), (".csv", ";"), (".csv", " ")])
def test_csv(tmp_path, ending, delimiter):
    x = some("f8")
    np.savetxt(tmp_path / ("x" + ending), x, fmt="%.17g", delimiter=delimiter, header="a comment")
    convert(tmp_path, "matrix", "x" + ending, "y.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), x)
    convert(tmp_path, "matrix", "y.npy", "z" + ending)
    back = np.loadtxt(tmp_path / ("z" + ending), delimiter="\t" if ending == ".tsv" else ",")
    np.testing.assert_array_equal(back, x)


# ---- .mat ----

@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_mat(tmp_path, dtype, compressed):
    """Signals are columns in a MAT file: the transpose of the array in Python."""
    has(tmp_path, ".mat")
    x = some(dtype)
    scipy.io.savemat(tmp_path / "x.mat", {"D": x.T, "note": "text", "scalar": 3.0}, do_compression=compressed)
    convert(tmp_path, "matrix", "x.mat", "y.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), x)
    convert(tmp_path, "matrix", "y.npy", "z.mat", "meta=" + json.dumps({"a": "é"}, ensure_ascii=False))
    z = scipy.io.loadmat(tmp_path / "z.mat")
    np.testing.assert_array_equal(z["components"], x.T)
    assert z["components"].dtype == np.load(tmp_path / "y.npy").dtype
    assert json.loads(z["meta"][0]) == {"a": "é"}


def test_mat_codes(tmp_path):
    has(tmp_path, ".mat")
    has(tmp_path, ".npz")
    codes = some_codes("f8")
    scipy.io.savemat(tmp_path / "c.mat", {"C": codes.T.tocsc()})
    convert(tmp_path, "codes", "c.mat", "d.npz")
    assert_same(scipy.sparse.load_npz(tmp_path / "d.npz"), codes)
    convert(tmp_path, "codes", "d.npz", "e.mat")
    assert_same(scipy.io.loadmat(tmp_path / "e.mat")["codes"].T, codes)


# ---- .safetensors ----

TENSORS = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}


def write_tensors(path, arrays):
    """The format by its description: a length, a header in JSON, the bytes; bfloat16 is the upper half of a float32."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, array) in arrays.items():
        part = (array.astype("<f4").view("<u4") >> 16).astype("<u2") if dtype == "BF16" else array.astype(TENSORS[dtype])
        header[name] = {"dtype": dtype, "shape": array.shape, "data_offsets": [len(data), len(data) + part.nbytes]}
        data += part.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def read_tensors(path):
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    meta = header.pop("__metadata__", None)
    assert start % 8 == 0
    assert max(entry["data_offsets"][1] for entry in header.values()) == len(data) - start
    arrays = {name: np.frombuffer(data[start:][slice(*entry["data_offsets"])], TENSORS[entry["dtype"]]).reshape(entry["shape"])
              for name, entry in header.items()}
    return arrays, meta


@pytest.mark.parametrize("dtype", ["F64", "F32", "F16", "BF16"])
def test_safetensors(tmp_path, dtype):
    has(tmp_path, ".safetensors")
    x = some("f4" if dtype == "BF16" else TENSORS[dtype])
    write_tensors(tmp_path / "x.safetensors", {"b": (dtype, x[0]), "W_dec": (dtype, x), "step": ("F32", x[0, 0])})
    convert(tmp_path, "matrix", "x.safetensors", "y.npy")
    y = np.load(tmp_path / "y.npy")
    assert y.dtype == ("f8" if dtype == "F64" else "f4")
    np.testing.assert_array_equal(y, (x.view("<u4") & 0xFFFF0000).view("<f4") if dtype == "BF16" else x)
    convert(tmp_path, "matrix", "y.npy", "z.safetensors", "meta=" + json.dumps({"a": "é"}, ensure_ascii=False))
    arrays, meta = read_tensors(tmp_path / "z.safetensors")
    assert list(arrays) == ["components"] and arrays["components"].dtype == y.dtype
    np.testing.assert_array_equal(arrays["components"], y)
    assert json.loads(meta["meta"]) == {"a": "é"}


def test_safetensors_by_its_own_package(tmp_path):
    """Where Hugging Face's package is installed, which Debian 12 lacks."""
    package = pytest.importorskip("safetensors.numpy")
    has(tmp_path, ".safetensors")
    x = some("f4")
    package.save_file({"W_enc": np.ascontiguousarray(x.T), "W_dec": x, "b": x[0]}, tmp_path / "x.safetensors")
    convert(tmp_path, "matrix", "x.safetensors", "y.safetensors", "variable=W_dec", "meta={}")
    back = package.load_file(tmp_path / "y.safetensors")
    assert list(back) == ["W_dec"]
    np.testing.assert_array_equal(back["W_dec"], x)


# ---- Patches ----

def test_patches_are_those_of_numpy(tmp_path):
    """An image of 16 bits, cut like NumPy's sliding windows."""
    image = np.random.default_rng(0).integers(0, 65536, (11, 9))
    with open(tmp_path / "x.pgm", "wb") as file:
        file.write(b"P5\n9 11\n65535\n" + image.astype(">u2").tobytes())
    convert(tmp_path, "cut", "y.npy", "x.pgm", "patch=4x3", "hop=1")
    windows = np.lib.stride_tricks.sliding_window_view(image, (4, 3)).reshape(-1, 12)
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), (windows / 65535).astype("f4"))


# ---- Large files ----

def test_a_file_larger_than_4_gb(tmp_path):
    """A sparse file of 5 GB is mapped: it takes neither memory nor time."""
    rows = 40_000_000
    with open(tmp_path / "x.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (rows, 32)})
        start = file.tell()
        try:
            file.truncate(start + rows * 128)
        except OSError as error:
            pytest.skip(f"no such large file can be made here: {error}")
        file.seek(start + 5 * 128)
        file.write(np.full(32, 7, "f4").tobytes())
    convert(tmp_path, "cut", "y.npy", "x.npy", "signals=300", "seed=1", "precision=f64")
    y = np.load(tmp_path / "y.npy")
    assert y.shape == (300, 32) and y.dtype == "f8" and not y.any()
    with open(tmp_path / "x.npy", "r+b") as file:
        file.truncate(start + rows * 128 - 1)
    assert "truncated" in refused(tmp_path, "cut", "y.npy", "x.npy", "signals=3")
