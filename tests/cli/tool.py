"""Runs the program, and creates data for it."""
import json
import os
import re
import struct
import subprocess
import tempfile
import unittest
import wave

import numpy as np

INCO = os.path.abspath(os.environ.get("INCO", "inco"))
PATIENCE = 300  # seconds until a run counts as hung; sanitizers are slow


def environment():
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "INCO_ISA")}
    clean["PATH"] = os.path.dirname(INCO) + os.pathsep + clean.get("PATH", "")
    return clean


def shell(line, folder):
    return subprocess.run(line, shell=True, cwd=folder, env=environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)


def features():
    text = subprocess.run([INCO, "--version"], capture_output=True, text=True, env=environment()).stdout
    found = re.search(r"^built with:(.*)$", text, re.M)
    return found.group(1).split() if found else []


def needs(*names):
    """Skips a test if the build lacks a feature."""
    missing = [name for name in names if name not in features()]
    return unittest.skipIf(missing, "this build lacks " + " ".join(missing))


class Case(unittest.TestCase):
    """A test with its own folder, in which the program runs."""

    def setUp(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = home.name

    def path(self, name):
        return os.path.join(self.home, name)

    def inco(self, *words, code=0):
        words = [str(w) for w in words]
        done = subprocess.run([INCO] + words, cwd=self.home, env=environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
        done.text = done.stderr.decode()
        if code is not None:
            self.assertEqual(done.returncode, code, "inco %s\n%s" % (" ".join(words), done.text))
        self.assertNotRegex(done.text, "options? '[a-z]", "options are named as they are written: --name")
        return done

    def json(self, *words):
        done = self.inco(*words, "--json")
        lines = done.stdout.decode().splitlines()
        self.assertEqual(len(lines), 1, "one JSON object on one line")
        return json.loads(lines[0])

    def refused(self, *words, code=1, says=()):
        """The program fails with this exit status and a message that contains all of `says`, and leaves no files."""
        before = self.listing()
        done = self.inco(*words, code=code)
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, done.text)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(done.text, r"(?m)^inco \w+: ")
        hint = "try 'inco %s --help'" % words[0]
        self.assertEqual(hint in done.text, code == 2, done.text)
        self.assertEqual(self.listing(), before, "nothing may be left behind")
        return done

    def listing(self):
        found = {}
        for folder, _, names in os.walk(self.home):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        found[path] = file.read()
        return found

    def save(self, name, array):
        np.save(self.path(name), array)
        return name

    def load(self, name):
        return np.load(self.path(name))

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def assert_types(self, object, fields):
        """Every field is present and has its type; float includes whole numbers, None means a number or null."""
        for name, kind in fields.items():
            value = object
            for part in name.split("."):
                self.assertIn(part, value, name)
                value = value[part]
            if kind is None:
                self.assertTrue(value is None or isinstance(value, (int, float)), name)
            elif kind is float:
                self.assertTrue(isinstance(value, (int, float)) and not isinstance(value, bool), (name, value))
            else:
                self.assertIsInstance(value, kind, name)
                self.assertFalse(kind is int and isinstance(value, bool), name)


COMMON = {"schema": int, "version": str, "command": str, "seconds.code": float, "seconds.io": float,
          "seconds.total": float}


def planted(signals=300, dim=16, atoms=24, sparsity=3, seed=1, dtype="f8"):
    """Sparse combinations of random atoms, and the atoms."""
    random = np.random.default_rng(seed)
    dictionary = random.standard_normal((atoms, dim))
    dictionary /= np.linalg.norm(dictionary, axis=1, keepdims=True)
    codes = np.zeros((signals, atoms))
    for row in codes:
        row[random.choice(atoms, sparsity, replace=False)] = random.standard_normal(sparsity)
    return (codes @ dictionary).astype(dtype), dictionary.astype(dtype)


def load_codes(path):
    """A dense matrix from a CSR .npz, by NumPy alone."""
    with np.load(path) as file:
        assert bytes(file["format"].item()) == b"csr"
        dense = np.zeros(tuple(file["shape"]), file["data"].dtype)
        start, index, value = file["indptr"], file["indices"], file["data"]
        for n in range(dense.shape[0]):
            dense[n, index[start[n]:start[n + 1]]] = value[start[n]:start[n + 1]]
    return dense


def write_wav(path, samples, rate=8000):
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, rate, len(samples), "NONE", ""))
        file.writeframes(struct.pack("<%dh" % len(samples), *samples))


def read_wav(path):
    """The samples of a mono .wav of 16-bit integers or 32-bit floats, from -1 to 1."""
    with open(path, "rb") as file:
        content = file.read()
    assert content[:4] == b"RIFF" and content[8:12] == b"WAVE"
    at, chunks = 12, {}
    while at + 8 <= len(content):
        size = struct.unpack("<I", content[at + 4:at + 8])[0]
        chunks[content[at:at + 4]] = content[at + 8:at + 8 + size]
        at += 8 + size + size % 2
    kind, channels, _, _, _, bits = struct.unpack("<HHIIHH", chunks[b"fmt "][:16])
    assert channels == 1 and (kind, bits) in ((1, 16), (3, 32))
    return np.frombuffer(chunks[b"data"], "<f4") if kind == 3 else np.frombuffer(chunks[b"data"], "<i2") / 32768


def write_pgm(path, pixels):
    with open(path, "wb") as file:
        file.write(b"P5\n%d %d\n255\n" % (pixels.shape[1], pixels.shape[0]))
        file.write(pixels.astype("u1").tobytes())
