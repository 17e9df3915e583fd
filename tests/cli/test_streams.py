"""Standard input and output, pipes and devices; data that do not stay in memory."""
import os
import re
import struct

import numpy as np

import tool

LEARN = "--atoms 12 --iterations 2 --coder omp --sparsity 3 --quiet"


class Streams(tool.Case):
    def setUp(self):
        super().setUp()
        signals, self.atoms = tool.planted(signals=300, atoms=12)
        self.signals = signals.astype("f4")
        self.save("X.npy", self.signals)
        self.signals.tofile(self.path("X.f32"))
        self.save("D.npy", self.atoms)
        self.dim = self.signals.shape[1]

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def shell(self, line, code=0):
        done = tool.shell("bash -c '%s'" % line, self.home)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def test_every_stream_gives_the_same_dictionary(self):
        self.shell("inco learn X.npy -o A.npy " + LEARN)
        for line in ("cat X.npy | inco learn - -o B.npy", "inco learn - -o B.npy < X.npy",
                     "inco learn <(cat X.npy) -o B.npy", "inco learn /dev/stdin -o B.npy < X.npy",
                     "cat X.f32 | inco learn - --dim %d -o B.npy" % self.dim,
                     "inco learn X.f32 --dim %d -o B.npy" % self.dim, "cat X.npy | inco learn - -o - > B.npy"):
            self.shell("%s %s" % (line, LEARN))
            self.assertEqual(self.bytes("A.npy"), self.bytes("B.npy"), line)
            os.remove(self.path("B.npy"))

    def test_the_rest_of_a_shared_input(self):
        """Bytes that another program has read from standard input are not read again."""
        self.write("both", b"0123456789" + self.bytes("X.f32"))
        self.shell("inco learn X.f32 --dim %d -o A.npy %s" % (self.dim, LEARN))
        self.shell("(dd bs=10 count=1 of=head; inco learn - --dim %d -o B.npy %s) < both" % (self.dim, LEARN))
        self.assertEqual(self.bytes("head"), b"0123456789")
        np.testing.assert_array_equal(self.load("A.npy"), self.load("B.npy"))

    def test_other_commands(self):
        for line in ("inspect - < D.npy", "encode -D D.npy - -o /dev/null < X.npy", "encode -D - X.npy -o /dev/null < D.npy",
                     "decohere - --max-coherence .9 -o /dev/null < D.npy", "compare - D.npy < D.npy",
                     "learn X.npy -o /dev/null --log /dev/null --report /dev/null " + LEARN,
                     "frame --dim 4 --atoms 6 -o /dev/null"):
            if "encode" in line and "npz" not in tool.features():
                continue
            self.shell("inco " + line)

    @tool.needs("npz")
    def test_codes_through_pipes(self):
        self.shell("inco encode -D D.npy X.npy -o A.npz -q --coder omp --sparsity 3")
        self.shell("cat X.f32 | inco encode -D D.npy - --dim %d -o - -q --coder omp --sparsity 3 > B.npz" % self.dim)
        np.testing.assert_array_equal(tool.load_codes(self.path("A.npz")), tool.load_codes(self.path("B.npz")))

    def test_what_is_refused(self):
        for line, says in (("inco learn - -o B.npy --atoms 3 < X.f32", "raw float32 numbers need --dim"),
                           ("inco learn - --dim 7 -o B.npy --atoms 3 < X.f32", "not a whole number of signals of 7"),
                           ("inco learn X.npy --dim 7 -o B.npy --atoms 3", "--dim is 7, but the signals of X.npy have"),
                           ("inco learn - -o B.npy --atoms 3 < /dev/null", "standard input is empty"),
                           ("cat X.npy | TMPDIR=/nowhere inco learn - -o B.npy --atoms 3", "set TMPDIR")):
            done = tool.shell(line, self.home)
            self.assertEqual(done.returncode, 1, line)
            self.assertIn(says, done.stderr.decode())
            self.assertFalse(os.path.exists(self.path("B.npy")))


class Codes(tool.Case):
    def test_codes_beyond_the_memory(self):
        """With a bound, the codes are refitted within an iteration: they may be in a temporary file meanwhile."""
        self.save("X.npy", np.random.default_rng(0).standard_normal((150000, 16)).astype("f4"))
        words = ["X.npy", "--atoms", "24", "--coder", "omp", "--sparsity", "5", "--max-coherence", ".6", "--iterations",
                 "2", "--init", "random", "-q"]
        self.inco("learn", *words, "-o", "D.npy")
        self.inco("learn", *words, "-o", "E.npy", "--max-memory", "26")  # 6.5 MB for codes of 7.2 MB
        np.testing.assert_array_equal(self.load("D.npy"), self.load("E.npy"))


def memory_of(text):
    """Megabytes: as foreseen, and taken at most."""
    return [int(re.search(words, text).group(1)) for words in (r"memory needed: about (\d+) MB", r"(\d+) MB peak")]


class Need(tool.Case):
    def setUp(self):
        super().setUp()
        self.save("X.npy", np.random.default_rng(0).standard_normal((8192, 40)).astype("f4"))

    def test_dry_run(self):
        words = ["learn", "X.npy", "--atoms", "50", "--coder", "omp", "--sparsity", "3", "--dry-run"]
        before = self.listing()
        text = self.inco(*words).text
        self.assertRegex(text, r"8192 signals of 40 values")
        self.assertRegex(text, r"memory +about \d+ MB\n +time +about [\d.e+]+ (seconds|minutes|hours) for 25 iterations")
        found = self.json(*words, "--method", "ksvd")
        self.assertEqual((found["dry_run"], found["signals"], found["dim"]), (True, 8192, 40))
        self.assertGreater(found["estimated_seconds"], 0)
        self.assertEqual(self.listing(), before)

    def test_memory_is_foreseen(self):
        """The estimate printed is the memory that the process takes at most, within a third."""
        if os.environ.get("INCO_TEST_SANITIZER"):
            self.skipTest("a sanitizer takes memory of its own")
        for atoms, more in ((100, ""), (700, ""), (700, "--schedule batch"), (700, "--max-coherence .9"),
                            (100, "--method ksvd")):
            line = "inco learn X.npy --atoms %d --iterations 1 --coder omp --sparsity 3 -o /dev/null %s; true"
            text = tool.shell(line % (atoms, more), self.home).stderr.decode()
            needed, taken = memory_of(text)
            self.assertTrue(needed / 1.35 <= taken <= needed * 1.35, (atoms, more, needed, taken))

    def test_max_memory(self):
        words = ["X.npy", "--coder", "omp", "--sparsity", "3", "-o", "D.npy", "--iterations", "1"]
        done = self.inco("learn", *words, "--atoms", "700", "--max-memory", "25", code=1)
        self.assertIn("--method idl needs about", done.text)
        words += ["--atoms", "20", "--method", "ksvd"]
        less = str(int(self.json("learn", *words, "--dry-run")["memory_bytes"] / 1e6) - 1)
        done = self.inco("learn", *words, "--max-memory", less, code=1)
        self.assertRegex(done.text, r"--method ksvd needs about \d+ MB of memory, \d+ bytes of it for each signal, more "
                                    r"than the %s MB of --max-memory" % less)
        self.assertFalse(os.path.exists(self.path("D.npy")))


@tool.needs("audio")
class Audio(tool.Case):
    def write_floats(self, name, samples):
        data = np.asarray(samples, "<f4").tobytes()
        head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 3, 1, 8000, 32000, 4,
                           32, b"data", len(data))
        return self.write(name, head + data)

    def test_only_files_that_are_drawn_are_decoded(self):
        """A damaged file is noticed only if a window of it is drawn; the same windows are drawn either way."""
        random = np.random.default_rng(1)
        names = ["%02d.wav" % i for i in range(20)]
        sounds = {name: random.standard_normal(400) * .1 for name in names}
        for name in names:
            self.write_floats(name, sounds[name])
        words = ["--window", "8", "--signals", "5", "--atoms", "2", "--iterations", "1", "-q"]
        self.inco("learn", *names, "-o", "D.npy", *words)
        broken = 0
        for name in names:
            self.write_floats(name, np.full(400, np.nan))
            done = self.inco("learn", *names, "-o", "E.npy", *words, code=None)
            if done.returncode == 0:
                np.testing.assert_array_equal(self.load("E.npy"), self.load("D.npy"))
            else:
                self.assertIn(name + ": NaN at sample 0", done.text)
                broken += 1
            self.write_floats(name, sounds[name])
        self.assertIn(broken, range(1, 6))

    def test_memory_of_samples_is_foreseen(self):
        if os.environ.get("INCO_TEST_SANITIZER"):
            self.skipTest("a sanitizer takes memory of its own")
        sound = np.random.default_rng(3).standard_normal(600000)
        for i in range(20):
            self.write_floats("%02d.wav" % i, sound)
        line = "inco learn *.wav --window 16 %s --atoms 4 --iterations 1 -o D.npy; true"
        needed, taken = memory_of(tool.shell(line % "--hop 16000", self.home).stderr.decode())
        self.assertGreater(needed, 48)
        self.assertTrue(needed / 1.35 <= taken <= needed * 1.35, (needed, taken))
        text = tool.shell(line % "--hop 16000 --max-memory 30", self.home).stderr.decode()  # the samples are spooled
        self.assertLess(memory_of(text)[0], 30)

    def test_a_small_limit_changes_nothing(self):
        random = np.random.default_rng(2)
        names = [self.write_floats("%d.wav" % i, random.standard_normal(500000)) for i in range(4)]
        for more in (["--signals", "500"], ["--hop", "1600"]):
            words = [*names, "--window", "16", *more, "--atoms", "4", "--iterations", "1", "-q"]
            self.inco("learn", *words, "-o", "D.npy")
            self.inco("learn", *words, "-o", "E.npy", "--max-memory", "26")  # 6.5 MB for samples of 8 MB
            np.testing.assert_array_equal(self.load("D.npy"), self.load("E.npy"))
