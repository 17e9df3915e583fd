#!/usr/bin/env python3
"""Checks that programs and shared libraries are hardened: hardening.py READELF FILE..."""
import re
import subprocess
import sys


def read(readelf, *words):
    return subprocess.run([readelf, "--wide", *words], check=True, capture_output=True, text=True).stdout


def faults(readelf, path):
    """What is missing in one file."""
    head, segments, dynamic = (read(readelf, word, path) for word in ("--file-header", "--segments", "--dynamic"))
    symbols = read(readelf, "--dyn-syms", path)
    program = "INTERP" in segments
    expected = {
        "position-independent": re.search(r"Type:\s+DYN", head) and (not program or re.search(r"FLAGS_1.*PIE", dynamic)),
        "relocations read-only": "GNU_RELRO" in segments,
        "bound at once": re.search(r"BIND_NOW|FLAGS_1.*NOW", dynamic),
        "stack not executable": re.search(r"GNU_STACK.* RW ", segments),
        "no segment both writable and executable": not re.search(r"LOAD.* RWE ", segments),
        "no path to libraries of others": not re.search(r"R(UN)?PATH.*\[(?!\$ORIGIN|/)", dynamic),
        "stack protector": "__stack_chk_fail" in symbols,
        "_FORTIFY_SOURCE": re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")),
    }
    return [name for name, found in expected.items() if not found]


def main():
    readelf, *files = sys.argv[1:]
    missing = {path: faults(readelf, path) for path in files}
    for path, names in missing.items():
        print(path + ": " + (", ".join(names) + " missing" if names else "hardened"))
    sys.exit(any(missing.values()))


main()
