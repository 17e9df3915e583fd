"""What the package knows of the library: structs, functions and options, each declared once."""
import ast
import ctypes
import inspect
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

import inco
from inco import _compare, _estimator, _functions, _inspect, _library, _options, _structs

PACKAGE = pathlib.Path(inco.__file__).parent
ROOT = pathlib.Path(__file__).resolve().parents[3]
HEADER = ROOT / "include" / "inco" / "inco.h"
in_tree = pytest.mark.skipif(not HEADER.exists(), reason="outside the source tree")

KINDS = {
    "size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64, "double": ctypes.c_double, "int": ctypes.c_int,
    "inco_type": ctypes.c_int,
}


def members(body):
    """Name and type of the members of a struct in the header; functions and arrays as pointers."""
    for declaration in filter(None, (" ".join(part.split()) for part in body.split(";"))):
        function = re.match(r"\w+ \(\*(\w+)\)", declaration)
        if function:
            yield function.group(1), "pointer"
            continue
        kind, names = re.match(r"((?:const )?\w+(?: \*const)?) (.*)", declaration).groups()
        for name in names.split(","):
            word = re.search(r"\w+", name.replace("const", "")).group()
            text = kind == "const char" and name.count("*") == 1
            yield word, "text" if text else "pointer" if "*" in name else kind.replace("const ", "")


def kind_of(ctype):
    for name, known in KINDS.items():
        if ctype is known and name != "inco_type":
            return {"unsigned long": "size_t"}.get(name, name)
    return "text" if ctype is ctypes.c_char_p else "pointer"


@in_tree
@pytest.mark.parametrize("name", [n for n, c in vars(_structs).items() if isinstance(c, type)
                                  and issubclass(c, ctypes.Structure) and n not in ("Sized", "Error")])
def test_structs_are_those_of_the_header(name):
    struct = getattr(_structs, name)
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    body = re.search(r"struct %s \{(.*?)\n\}" % struct.__doc__.split(":")[0].split()[0], text, flags=re.S).group(1)
    wanted = [(member, "int" if kind == "inco_type" else kind) for member, kind in members(body)]
    found = [(member, kind_of(ctype)) for member, ctype, *_ in struct._fields_]
    loose = {"pointer", "text"}
    assert [member for member, _ in found] == [member for member, _ in wanted][:len(found)]  # it may grow at its end
    for (member, one), (_, other) in zip(found, wanted):
        assert one == other or {one, other} <= loose, member


@in_tree
def test_functions_have_the_parameters_of_the_header():
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    for name, (_, arguments) in _library.FUNCTIONS.items():
        inside = re.search(r"\b%s\(([^;]*)\);" % name, text).group(1)
        count = 0 if inside.strip() == "void" else inside.count(",") + 1
        assert len(arguments) == count, name


FUNCTIONS = {"learn": _functions._LEARN, "encode": _functions._ENCODE, "decohere": _functions._DECOHERE,
             "frame": _functions._FRAME, "inspect": _inspect._INSPECT, "compare": _compare._COMPARE}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_of_functions_come_from_the_table(name):
    function, parameters = getattr(inco, name), inspect.signature(getattr(inco, name)).parameters
    for parameter, row in FUNCTIONS[name].names.items():
        assert parameters[parameter].default == row.default
        if parameter != "init":
            assert f"{parameter} : {row.type_text}" in function.__doc__
    assert all(row.name in _options.TABLE for row in FUNCTIONS[name].names.values())


def test_parameters_of_the_estimator_come_from_the_table():
    parameters = inspect.signature(inco.DictionaryLearning.__init__).parameters
    for name, row in _estimator.PARAMETERS.names.items():
        if name != "n_jobs":
            assert parameters[name].default == row.default
        if name not in ("n_components", "n_jobs", "random_state", "init"):
            assert f"{name} : {row.type_text}" in inco.DictionaryLearning.__doc__
    own = {"self", "warm_start", "sparse_output", "callbacks"}
    assert set(parameters) - own == set(_estimator.PARAMETERS.names)
    assert set(_estimator.WITHOUT) <= set(_options.TABLE)


def test_no_option_is_declared_in_python():
    """No parameter in the sources has the name of an option, but for the initial dictionary, which may be an array."""
    names = {_options.python_name(name) for name in _options.TABLE} - {"init", "dim", "atoms"}
    for source in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name not in ("clip_sparsity",):
                declared = {argument.arg for argument in node.args.args + node.args.kwonlyargs}
                assert not declared & names, (source.name, node.name, declared & names)


# ---- Types ----

@in_tree
def test_the_stub_is_current():
    """The types for editors and type checkers, inco/__init__.pyi, are those of the table."""
    script = ROOT / "scripts" / "python-stub"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_type_checker_knows_options_and_results(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(textwrap.dedent("""
        import inco, numpy
        X = numpy.zeros((5, 4))
        model = inco.DictionaryLearning(8, max_coherence=0.5, gamma="auto", patch=(2, 2)).fit(X)
        model.components_.shape, model.coherence_ + 1, model.max_coherence, model.set_params(gamma=1.0)
        result = inco.learn(X, atoms=8, method="ksvd", callbacks=[lambda progress: progress.iteration > 3])
        result.coherence_max + inco.inspect(result.dictionary).pairs[0][2]
        inco.encode(result.dictionary, "X.npy", sparse=False).shape
        inco.learn(X, atoms="8")  # error: argument
        inco.learn(X, metod="idl")  # error: keyword
        inco.learn(X, method="ild")  # error: value
        inco.DictionaryLearning(no_such=1)  # error: keyword
        result.no_such  # error: attribute
    """))
    command = [sys.executable, "-m", "mypy", "--config-file=", "--ignore-missing-imports", "--follow-imports=silent", "user.py"]
    done = subprocess.run(command, cwd=tmp_path, env=dict(os.environ, MYPYPATH=str(PACKAGE.parent)), capture_output=True,
                          text=True)
    wrong = {i for i, line in enumerate((tmp_path / "user.py").read_text().split("\n"), 1) if "# error" in line}
    found = {int(line) for line in re.findall(r"^user\.py:(\d+): error", done.stdout, flags=re.M)}
    assert found == wrong, done.stdout + done.stderr


def test_help_reads_as_python():
    text = inco.DictionaryLearning.__doc__
    assert "K-SVD is min_uses=4" in " ".join(text.split()) and "Atoms that no signal uses" in text
    assert "Stop at sparsity atoms per signal" in text and "option '" not in text and " --" not in text
    assert "gamma ||D'D - I||^2" in " ".join(text.split()) and "\n    idl: least squares" in text


def test_every_default_is_accepted_by_the_library():
    for row in _options.TABLE.values():
        if row.default is not None and row.default_text is not None:
            _functions.Call({row.name: row.text(row.default)}).__exit__()


def test_messages_name_parameters():
    with pytest.raises(inco.InvalidError, match="residual_coherence"):
        inco.learn([[1.0, 2.0]], atoms=1, residual_coherence=7)
    with pytest.raises(inco.InvalidError, match="n_components"):
        inco.DictionaryLearning(n_components=-3).fit([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(TypeError, match="unexpected keyword argument 'no_such'"):
        inco.learn([[1.0, 2.0]], atoms=1, no_such=1)


def run(code, **environment):
    """A Python of its own; returns what it prints."""
    done = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, **environment), capture_output=True, text=True)
    return done.stdout + done.stderr


def test_a_missing_library_is_named():
    assert "cannot load /no/libinco.so" in run("import inco", INCO_LIBRARY="/no/libinco.so")
    assert _library.debian_package("libopenblas.so.0") == "libopenblas0"
    assert _library.debian_package("libpng16.so.16") == "libpng16-16"
    text = _library._explain("/x/libinco.so", OSError("libzip.so.4: cannot open shared object file: No such file"))
    assert "apt-get install libzip4" in text


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(_library, "VERSION", "99.1.0")
    with pytest.raises(inco.LibraryError, match="needs version 99.1"):
        _library._check_version(_library.lib, "libinco.so")


def test_it_needs_numpy_alone():
    code = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in ('scipy', 'sklearn', 'matplotlib', 'pandas'):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import numpy as np, inco
X = np.random.default_rng(0).standard_normal((200, 8))
model = inco.DictionaryLearning(12, coder='omp', sparsity=2, iterations=2)
codes = model.fit_transform(X)
assert codes.shape == (200, 12) and model.inverse_transform(codes).shape == X.shape
assert list(model.get_feature_names_out())[0] == 'dictionarylearning0'
print(repr(model), model.set_params(sparsity=3).get_params()['sparsity'])
for wrong in (lambda: model.transform(X[:, :3]), lambda: inco.DictionaryLearning().transform(X)):
    try: wrong()
    except ValueError as e: print(e)
try: inco.encode(model.components_, X)
except inco.MissingFeatureError as e: print(e)
"""
    text = run(code)
    assert "DictionaryLearning(n_components=12, iterations=2, sparsity=2) 3" in text.replace("\n", " "), text
    assert "X has 3 features" in text and "not fitted yet" in text and "python3-scipy" in text, text
