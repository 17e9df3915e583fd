"""Golden transcripts. A block is a command line, the exit code, and what was printed:

    $ inco lern
    exit 2
    ! a line of standard error
    > a line of standard output

Commands run one after the other in one empty folder, in a shell; lines that begin with # are remarks. Time and memory
in the last line of a run, and the version, are written as V, T and M.
"""
import glob
import os
import re
import tempfile

import tool


def files():
    return sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden", "*.txt")))


def normalised(text):
    text = re.sub(r"inco \d+\.\d+\.\d+: [\d.]+ s, \d+ MB peak", "inco V: T s, M MB peak", text)
    return re.sub(r"inco \d+\.\d+\.\d+", "inco V", text)


def perform(line, folder):
    done = tool.shell(line, folder)
    lines = ["exit %d" % done.returncode]
    lines += ["! " + text for text in normalised(done.stderr.decode()).splitlines()]
    lines += ["> " + text for text in normalised(done.stdout.decode()).splitlines()]
    return lines


def blocks(path):
    """(command line or None, lines) in the order of the file."""
    found = [(None, [])]
    with open(path) as file:
        for text in file.read().splitlines():
            if text.startswith("$ "):
                found.append((text[2:], []))
            elif text.startswith("#") or not text:
                found.append((None, [text]))
            else:
                found[-1][1].append(text)
    return found


def update(path):
    with tempfile.TemporaryDirectory() as folder:
        out = []
        for line, lines in blocks(path):
            out += lines if line is None else ["$ " + line] + perform(line, folder)
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")
