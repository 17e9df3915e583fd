"""Builds libinco with CMake and places it in the package, so that one wheel serves every Python.

With INCO_USE_SYSTEM_LIBRARY=1 the package has no library of its own and uses an installed one.
"""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel  # from setuptools 70
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parents[2]
SYSTEM_LIBRARY = os.environ.get("INCO_USE_SYSTEM_LIBRARY") == "1"


def version():
    """The version has one source: the macros in inco.h."""
    text = (ROOT / "include" / "inco" / "inco.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"#define INCO_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def build_library(build, target):
    """Compiles the shared library in the folder `build` and copies it to `target`."""
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON",
                    "-DINCO_TESTS=OFF", "-DWITH_OCTAVE=OFF", "-DWITH_MPI=OFF", "-DCMAKE_SHARED_LINKER_FLAGS=-s"], check=True)
    subprocess.run(["cmake", "--build", str(build), "--target", "inco_shared", "--parallel", str(os.cpu_count())],
                   check=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(build / "libinco.so", target)


class BuildPackage(build_py):
    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib, "inco")
        (package / "_build.py").write_text(f'VERSION = "{version()}"\nSYSTEM_LIBRARY = {SYSTEM_LIBRARY}\n')
        if not SYSTEM_LIBRARY:
            base = pathlib.Path(self.get_finalized_command("build").build_base)
            build_library(base.resolve() / "cmake", package / "lib" / "libinco.so")


class BuildWheel(bdist_wheel):
    def get_tag(self):
        """Any Python 3; the platform of the library, if there is one inside."""
        return ("py3", "none", "any" if SYSTEM_LIBRARY else super().get_tag()[2])


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return not SYSTEM_LIBRARY


setup(version=version(), cmdclass={"build_py": BuildPackage, "bdist_wheel": BuildWheel}, distclass=WithLibrary)
