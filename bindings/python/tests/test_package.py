"""The package as a user installs it: by pip from a clean tree, and from its wheel. Slow: it builds the library.

Runs only where INCO_TEST_PACKAGE is set, as scripts/test does.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOUR = ROOT / "bindings" / "python" / "examples" / "tour.py"
pytestmark = pytest.mark.skipif(not os.environ.get("INCO_TEST_PACKAGE"), reason="INCO_TEST_PACKAGE is not set")

HIDDEN = ("INCO_LIBRARY", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "LD_LIBRARY_PATH")
SOURCES = ("include", "src", "cli", "reproduce", "cmake", "docs", "bench", "bindings", "examples", "CMakeLists.txt", "LICENSE",
           "README.md", "CHANGELOG.md", "CITATION.cff")


def run(*command, cwd):
    environment = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a clean copy of the sources and a virtual environment that sees the packages of the system."""
    place = tmp_path_factory.mktemp("package")
    ignore = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / "tree" / name, ignore=ignore)
        else:
            shutil.copy(ROOT / name, place / "tree" / name)
    run(sys.executable, "-m", "venv", "--system-site-packages", place / "venv", cwd=place)
    return place


PIP = ("-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-index", "--no-deps", "--force-reinstall")


def test_install_from_a_clean_tree(place):
    python = place / "venv" / "bin" / "python"
    run(python, *PIP, "./bindings/python", cwd=place / "tree")
    where = run(python, "-c", "import inco; print(inco._library.PATH)", cwd=place)
    assert where.startswith(str(place / "venv"))
    run(python, TOUR, "--quick", cwd=place)


def test_wheel_in_a_folder_without_the_sources(place):
    python, wheels = place / "venv" / "bin" / "python", place / "wheels"
    run(python, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-index", "--no-deps", "-w", wheels,
        "./bindings/python", cwd=place / "tree")
    (wheel,) = wheels.glob("inco-*-py3-none-linux_*.whl")
    assert {"inco/lib/libinco.so", "inco/py.typed", "inco/__init__.pyi"} <= set(zipfile.ZipFile(wheel).namelist())
    shutil.rmtree(place / "tree")
    run(python, *PIP, wheel, cwd=wheels)
    run(python, TOUR, "--quick", cwd=wheels)


def test_package_without_a_library_uses_an_installed_one(place):
    library = os.environ["INCO_LIBRARY"]
    tree = place / "again"
    (tree / "include" / "inco").mkdir(parents=True)
    shutil.copy(ROOT / "include" / "inco" / "inco.h", tree / "include" / "inco")
    shutil.copytree(ROOT / "bindings" / "python", tree / "bindings" / "python",
                    ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    python = place / "venv" / "bin" / "python"
    run(python, *PIP, "--config-settings", "use_system_libinco=yes", "./bindings/python", cwd=tree)
    code = f"import os; os.environ['INCO_LIBRARY'] = {library!r}; import inco; print(inco._library.PATH)"
    assert run(python, "-c", code, cwd=place).strip() == library
