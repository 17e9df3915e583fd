#!/usr/bin/python3
"""Tests of the program. The environment variable INCO names the program.

run.py [NAME...]   runs all tests, or those whose names contain one of the words
run.py --update    rewrites golden/*.txt with what the program prints now
"""
import os
import sys
import unittest

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
sys.dont_write_bytecode = True

import tool  # noqa: E402
import transcript  # noqa: E402


def main():
    words = sys.argv[1:]
    if os.path.basename(tool.INCO) != "inco" or not os.access(tool.INCO, os.X_OK):
        sys.exit("run.py: the environment variable INCO must name the program inco")
    if words == ["--update"]:
        for path in transcript.files():
            transcript.update(path)
        return 0
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{word}*" for word in words] or None
    result = unittest.TextTestRunner(verbosity=2 if words else 1).run(loader.discover(here, "test_*.py", here))
    for test, reason in result.skipped:
        print(f"skipped: {test.id()}: {reason}")
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())
