"""The build backend: setuptools, with one setting of its own.

    pip install --config-settings use_system_libinco=yes ./bindings/python

makes a package without the library, which uses an installed one.
"""
import os

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F401, F403: the hooks of a backend


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if (config_settings or {}).get("use_system_libinco", "no").lower() in ("yes", "true", "1"):
        os.environ["INCO_USE_SYSTEM_LIBRARY"] = "1"
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
