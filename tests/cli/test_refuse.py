"""Invalid inputs and outputs: a clear message, the right exit status, no files left."""
import os
import shutil
import subprocess
import unittest

import numpy as np

import tool

LEARN = ["-o", "D.npy", "--atoms", "4", "--iterations", "1", "--coder", "omp", "--sparsity", "2"]


class Inputs(tool.Case):
    def bad_matrix(self, name, says, code=1):
        """A matrix that learn and inspect refuse, and encode as signals or dictionary."""
        self.refused("learn", name, *LEARN, code=code, says=says)
        self.refused("inspect", name, code=code, says=says)
        self.save("good.npy", np.eye(3))
        if "npz" in tool.features():
            for dictionary, signals in (name, "good.npy"), ("good.npy", name):
                self.refused("encode", "-D", dictionary, signals, "-o", "C.npz", code=code, says=says)

    def test_missing_file(self):
        self.bad_matrix("nowhere.npy", ["nowhere.npy", "No such file"])
        self.refused("learn", "no*thing.npy", *LEARN, says="no*thing.npy")
        if "npz" in tool.features():
            self.save("good.npy", np.eye(3))
            self.refused("decode", "-D", "good.npy", "codes.npz", "-o", "X.npy", says=["codes.npz", "No such file"])

    def test_empty_file(self):
        self.bad_matrix(self.write("empty.npy", b""), "empty.npy")
        self.bad_matrix(self.write("empty.csv", b""), "empty.csv")

    def test_empty_folder(self):
        os.mkdir(self.path("folder"))
        self.refused("learn", "folder", *LEARN, says="folder")

    def test_truncated_file(self):
        self.save("X.npy", np.ones((20, 3)))
        with open(self.path("X.npy"), "rb") as file:
            whole = file.read()
        for keep in 7, 40, len(whole) - 1:
            self.bad_matrix(self.write("cut.npy", whole[:keep]), "cut.npy")

    @tool.needs("npz")
    def test_truncated_archive(self):
        np.savez(self.path("X.npz"), x=np.ones((20, 3)))
        with open(self.path("X.npz"), "rb") as file:
            whole = file.read()
        self.bad_matrix(self.write("cut.npz", whole[:len(whole) // 2]), "cut.npz")

    def test_text_that_is_no_number(self):
        self.bad_matrix(self.write("X.csv", "1,2,3\n4,five,6\n"), ["X.csv", "five", "row 1", "column 1", "0"])
        self.bad_matrix(self.write("X.csv", "1,2,3\n4,5\n"), ["X.csv", "row 1"])

    def test_nan_and_inf(self):
        for value, word in (np.nan, "NaN"), (np.inf, "Inf"), (-np.inf, "Inf"):
            for dtype in "f4", "f8":
                x = np.ones((9, 3), dtype)
                x[7, 2] = value
                self.bad_matrix(self.save("X.npy", x), ["X.npy", word, "row 7", "column 2", "from 0"])

    def test_object_array(self):
        np.save(self.path("X.npy"), np.array([[1, "a"], [2, None]], object), allow_pickle=True)
        self.bad_matrix("X.npy", ["X.npy", "object"])

    def test_three_dimensions(self):
        self.bad_matrix(self.save("X.npy", np.ones((4, 3, 2))), ["X.npy", "3"])

    def test_text_and_complex_arrays(self):
        self.bad_matrix(self.save("X.npy", np.array([["a", "b"]])), "X.npy")
        self.bad_matrix(self.save("X.npy", np.ones((3, 3), complex)), "X.npy")

    def test_no_signals(self):
        self.refused("learn", self.save("X.npy", np.ones((0, 3))), *LEARN, says=["X.npy", "empty"])

    def test_unknown_ending(self):
        self.bad_matrix(self.write("X.xyz", "1,2\n"), ["X.xyz", ".npy"], code=2)

    def test_different_dimensions(self):
        self.save("a.npy", np.ones((4, 3)))
        self.save("b.npy", np.ones((4, 5)))
        self.refused("learn", "a.npy", "b.npy", *LEARN, says=["3", "5", "b.npy"])

    def test_more_atoms_than_signals(self):
        self.save("X.npy", np.random.default_rng(1).standard_normal((3, 5)))
        self.refused("learn", "X.npy", *LEARN, "--init", "sample", "--log", "run.jsonl", says=["3", "4"])


class Options(tool.Case):
    def setUp(self):
        super().setUp()
        self.save("X.npy", np.random.default_rng(2).standard_normal((30, 5)))

    def test_contradictions(self):
        for more, says in ((["--gamma", "1", "--gamma-relative", "1"], ["--gamma", "--gamma-relative"]),
                           (["--method", "mod", "--gamma", "1"], ["--gamma", "idl"]),
                           (["--method", "mod", "--norms", "rescale"], ["--norms", "idl"]),
                           (["--method", "ksvd", "--gamma", "1"], ["--gamma", "idl"]),
                           (["--replace", "0.9"], ["--replace", "ksvd"]),
                           (["--method", "mod", "--max-coherence", "0.5"], ["--max-coherence", "idl|online|inksvd"]),
                           (["--max-coherence", "0.5", "--norms", "rescale"], ["--max-coherence", "--norms rescale"]),
                           (["--method", "ipr"], ["ipr", "--max-coherence"]),
                           (["--coder", "larc", "--nonnegative"], ["--nonnegative", "larc"])):
            self.refused("learn", "X.npy", *LEARN, *more, code=2, says=says)
        self.refused("learn", "X.npy", "-o", "D.npy", "--atoms", "4", "--coder", "lars", code=2, says="--coder lars")

    def test_negative_gamma(self):
        self.refused("learn", "X.npy", *LEARN, "--gamma", "-1", code=2, says="--gamma must be 0 or more, not -1")
        self.refused("learn", "X.npy", *LEARN, "--gamma=nan", code=2, says="--gamma")


class Outputs(tool.Case):
    def setUp(self):
        super().setUp()
        self.signals, _ = tool.planted()
        self.save("X.npy", self.signals)

    def test_no_folder(self):
        for option in "-o", "--log", "--checkpoint":
            self.refused("learn", "X.npy", *LEARN, option, "none/out.npy", says="none")

    def test_output_is_a_folder(self):
        os.mkdir(self.path("out.npy"))
        self.refused("learn", "X.npy", *LEARN, "-o", "out.npy", says="out.npy")

    def test_unknown_format(self):
        for option, name, ending in ("-o", "D.xyz", ".npy"), ("-o", "D.wav", ".npy"), ("--codes", "C.npy", ".npz"):
            self.refused("learn", "X.npy", *LEARN, option, name, code=2, says=[name, ending])
        self.refused("encode", "-D", "X.npy", "X.npy", "-o", "C.csv", code=2, says=["C.csv", ".npz"])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_read_only_folder(self):
        os.mkdir(self.path("locked"), 0o500)
        self.refused("learn", "X.npy", *LEARN, "-o", "locked/D.npy", says="locked")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root, to become nobody")
    def test_read_only_folder_as_nobody(self):
        os.chmod(self.home, 0o755)
        os.mkdir(self.path("locked"), 0o755)
        done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", tool.INCO, "learn", "X.npy", *LEARN,
                               "-o", "locked/D.npy"], cwd=self.home, env=tool.environment(), capture_output=True)
        if b"setpriv:" in done.stderr:
            self.skipTest(done.stderr.decode().strip())
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"locked", done.stderr)
        self.assertEqual(os.listdir(self.path("locked")), [])

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_device(self):
        os.symlink("/dev/full", self.path("full.npy"))
        self.refused("learn", "X.npy", *LEARN, "-o", "full.npy", says=["full.npy", "No space left"])
        done = tool.shell("inco learn X.npy -o - --atoms 4 --iterations 1 > /dev/full", self.home)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)
        self.assertEqual(tool.shell("inco inspect X.npy --json > /dev/full", self.home).returncode, 1)

    @unittest.skipIf("npz" in tool.features(), "this build has libzip")
    def test_format_that_the_build_lacks(self):
        self.refused("learn", "X.npy", *LEARN, "-o", "D.npz", says=["D.npz", "libzip"])
        self.refused("encode", "-D", "X.npy", "X.npy", "-o", "C.npz", says=["C.npz", "libzip"])
        self.refused("inspect", self.write("D.npz", b""), says=["D.npz", "libzip"])

    def test_log_that_fills_up(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        done = self.inco("learn", "X.npy", *LEARN, "--log", "/dev/full", code=1)
        self.assertIn("/dev/full", done.text)
        self.assertEqual(self.load("D.npy").shape, (4, 16))


class FullDisk(tool.Case):
    def setUp(self):
        super().setUp()
        self.disk = self.path("disk")
        os.mkdir(self.disk)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", self.disk], capture_output=True)
        if done.returncode:
            self.skipTest("cannot mount a small disk: " + done.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)
        self.save("X.npy", np.random.default_rng(3).standard_normal((300, 200)))

    def test_dictionary(self):
        done = self.inco("learn", "X.npy", "-o", "disk/D.npy", "--atoms", "200", "--iterations", "1", "--coder", "omp",
                         "--sparsity", "2", code=1)
        self.assertIn("No space left", done.text)
        self.assertIn("disk/D.npy", done.text)
        self.assertEqual(os.listdir(self.disk), [])

    def test_the_old_file_stays(self):
        self.write("disk/D.npy", b"old")
        self.inco("learn", "X.npy", "-o", "disk/D.npy", "--atoms", "200", "--iterations", "1", "--coder", "omp",
                  "--sparsity", "2", code=1)
        with open(self.path("disk/D.npy"), "rb") as file:
            self.assertEqual(file.read(), b"old")
        self.assertEqual(os.listdir(self.disk), ["D.npy"])

    def test_checkpoint(self):
        done = self.inco("learn", "X.npy", "-o", "D.npy", "--checkpoint", "disk/state", "--atoms", "200",
                         "--iterations", "2", "--coder", "omp", "--sparsity", "2", code=1)
        self.assertIn("disk/state", done.text)
        self.assertEqual(self.load("D.npy").shape, (200, 200))
        self.assertEqual(os.listdir(self.disk), [])

    def test_the_last_checkpoint_stays(self):
        """The disk fills up after the first iteration; the run goes on later."""
        words = ["learn", "X.npy", "--atoms", "12", "--coder", "omp", "--sparsity", "2", "--schedule", "batch", "-q"]
        self.inco(*words, "--iterations", "3", "-o", "whole.npy")
        self.inco(*words, "--iterations", "1", "-o", "D.npy", "--checkpoint", "disk/state")
        with open(self.path("disk/state"), "rb") as file:
            before = file.read()
        self.write("disk/other", bytes((64 << 10) - len(before) - 8192))
        resumed = [*words, "--iterations", "3", "-o", "D.npy", "--checkpoint", "disk/state", "--resume", "disk/state"]
        self.assertIn("disk/state", self.inco(*resumed, code=1).text)
        with open(self.path("disk/state"), "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(sorted(os.listdir(self.disk)), ["other", "state"])
        os.remove(self.path("disk/other"))
        self.inco(*resumed)
        np.testing.assert_array_equal(self.load("D.npy"), self.load("whole.npy"))

    @tool.needs("npz")
    def test_codes(self):
        self.save("D.npy", np.eye(200))
        done = self.inco("encode", "-D", "D.npy", "X.npy", "-o", "disk/C.npz", "--coder", "omp", "--sparsity", "50",
                         code=1)
        self.assertIn("disk/C.npz", done.text)
        self.assertEqual(os.listdir(self.disk), [])
