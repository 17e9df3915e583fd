"""scripts/stackloops finds the bad loops of tests/stackloops.s and no others.

    stackloops_example.py SCRIPT EXAMPLE.s COMPILER OBJDUMP
"""
import re
import subprocess
import sys
import tempfile


def found(script, objdump, path, *options):
    """The functions named by the script, and its exit status."""
    done = subprocess.run([sys.executable, script, "--objdump", objdump, *options, path], capture_output=True, text=True)
    return set(re.findall(r"\.o: (\w+): ", done.stdout)), done.returncode


def main():
    script, example, compiler, objdump = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([compiler, "-c", example, "-o", f"{folder}/example.o"], check=True)
        names, status = found(script, objdump, f"{folder}/example.o")
        assert names == {"bad_pointer", "bad_next_iteration", "bad_branch"} and status == 1, names
        names, status = found(script, objdump, f"{folder}/example.o", "--spills")
        assert names == {"bad_pointer", "bad_next_iteration", "bad_branch", "spill"} and status == 1, names


main()
