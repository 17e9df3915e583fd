"""The mean of --center feature: kept with the dictionary, subtracted by encode, added by decode."""
import importlib.util
import os
import shutil
import subprocess

import numpy as np

import tool

LEARN = ["--atoms", "24", "--iterations", "2", "--coder", "omp", "--sparsity", "4", "--center", "feature"]
OMP = ["--coder", "omp", "--sparsity", "4"]


def formats():
    return [".npy", ".npz", ".csv"] + ([".mat"] if "mat" in tool.features() else [])


@tool.needs("npz")
class Mean(tool.Case):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(2)
        self.mean = 5 * random.standard_normal(16)
        self.x, self.new = (np.cumsum(random.standard_normal((n, 16)), axis=1) + self.mean for n in (600, 40))
        self.save("X.npy", self.x)
        self.save("NEW.npy", self.new)

    def learn(self, name, *more):
        return self.inco("learn", "X.npy", "-o", name, *LEARN, *more)

    def approximate(self, name):
        found = self.json("encode", "-D", name, "NEW.npy", "-o", "C.npz", *OMP)
        self.inco("decode", "-D", name, "C.npz", "-o", "Y.npy")
        return found, self.load("Y.npy")

    def test_there_and_back(self):
        """The approximations are those of the new signals, in every format."""
        for ending in formats():
            self.learn("D" + ending)
            found, y = self.approximate("D" + ending)
            centred = self.new - self.x.mean(0)
            error = np.linalg.norm(self.new - y) / np.linalg.norm(centred)
            self.assertTrue(found["mean"])
            self.assertAlmostEqual(found["relative_error"], error, 9)
            self.assertLess(error, 0.4)
            codes = tool.load_codes(self.path("C.npz"))
            if ending == ".npy":
                np.testing.assert_allclose(y, codes @ self.load("D.npy") + self.x.mean(0), atol=1e-9)

    def test_other_programs_read_it(self):
        done = self.learn("D.npy")
        self.assertIn("wrote D.npy\nwrote D.meta.npz, the mean of the features\n", done.text)
        with np.load(self.path("D.meta.npz")) as file:
            np.testing.assert_allclose(file["mean"], self.x.mean(0), rtol=1e-12)
        self.learn("E.npz")
        self.assertFalse(os.path.exists(self.path("E.meta.npz")))
        with np.load(self.path("E.npz")) as file:
            np.testing.assert_allclose(file["mean"], self.x.mean(0), rtol=1e-12)
            self.assertEqual(file["components"].tobytes(), self.load("D.npy").tobytes())
        if "mat" in tool.features():
            self.learn("F.mat")
            self.check_matlab()

    def check_matlab(self):
        """By SciPy and by Octave, where they are installed."""
        if importlib.util.find_spec("scipy"):
            import scipy.io
            found = scipy.io.loadmat(self.path("F.mat"))
            np.testing.assert_allclose(found["mean"][:, 0], self.x.mean(0), rtol=1e-12)
            self.assertEqual(found["components"].shape, (16, 24))
        if shutil.which("octave"):
            np.savetxt(self.path("mean.txt"), self.x.mean(0), fmt="%.17g")
            check = "f = load('F.mat'); assert (f.mean, load ('mean.txt'), 1e-12); assert (size (f.components), [16, 24])"
            subprocess.run(["octave", "--norc", "--quiet", "--no-window-system", "--eval", check], cwd=self.home, check=True)

    def test_made_by_another_program(self):
        """Components and a mean, such as those of a principal component analysis."""
        np.savez(self.path("P.npz"), components=np.eye(16), mean=self.mean)
        self.inco("encode", "-D", "P.npz", "NEW.npy", "-o", "C.npz", "--coder", "omp", "--sparsity", "16")
        np.testing.assert_allclose(tool.load_codes(self.path("C.npz")), self.new - self.mean, atol=1e-9)

    def test_a_plain_copy(self):
        """Without its second file it is a dictionary without a mean."""
        self.learn("D.npy")
        shutil.copy(self.path("D.npy"), self.path("E.npy"))
        found, _ = self.approximate("E.npy")
        self.assertFalse(found["mean"])
        self.assertFalse(self.json("inspect", "E.npy")["mean"])
        self.assertTrue(self.json("inspect", "D.npy")["mean"])

    def test_what_does_not_belong_together(self):
        self.learn("D.npy")
        self.save("D.npy", np.eye(16))
        for words in ["encode", "-D", "D.npy", "NEW.npy", "-o", "C.npz", *OMP], ["inspect", "D.npy"]:
            self.refused(*words, says="D.meta.npz has the mean of another dictionary than D.npy: delete it")
        self.learn("D.npy")
        self.refused("encode", "-D", "D.npy", "NEW.npy", "-o", "C.npz", *OMP, "--center", "signal", code=2,
                     says=["--center signal does not apply", "D.npy"])
        with open(self.path("D.meta.npz"), "rb") as file:
            whole = file.read()
        self.write("D.meta.npz", whole[:-40])
        self.refused("decode", "-D", "D.npy", "C.npz", "-o", "Y.npy", says="D.meta.npz")
        np.savez(self.path("D.npz"), components=np.eye(16), mean=np.ones(5))
        self.refused("encode", "-D", "D.npz", "NEW.npy", "-o", "C.npz", *OMP,
                     says="D.npz: the mean has 5 values, the atoms have 16 dimensions")
        np.savez(self.path("D.npz"), components=np.eye(16), mean=np.full(16, np.nan))
        self.refused("encode", "-D", "D.npz", "NEW.npy", "-o", "C.npz", *OMP, says="NaN or Inf at feature 0")

    def test_a_new_dictionary_without_a_mean(self):
        """The mean of an earlier one is removed; another file of this name is not."""
        self.learn("D.npy")
        self.inco("learn", "X.npy", "-o", "D.npy", *LEARN[:-2])
        self.assertFalse(os.path.exists(self.path("D.meta.npz")))
        np.savez(self.path("D.meta.npz"), notes=np.eye(2))
        self.inco("learn", "X.npy", "-o", "D.npy", *LEARN[:-2])
        self.assertTrue(os.path.exists(self.path("D.meta.npz")))

    def test_names(self):
        self.refused("learn", "X.npy", "-o", "D.npy", *LEARN, "--codes", "D.meta.npz", code=2, says="name the same file")
        os.mkdir(self.path("D.meta.npz"))
        self.refused("learn", "X.npy", "-o", "D.npy", *LEARN, says="D.meta.npz")
        done = self.inco("learn", "X.npy", "-o", "-", *LEARN)
        self.assertIn("the mean of the features is not written: standard output has no place for it", done.text)

    def test_is_carried(self):
        """By codes of the training signals, a resumed run, decohere, and the report's test signals."""
        self.learn("D.npy", "--codes", "C.npz")
        self.inco("decode", "-D", "D.npy", "C.npz", "-o", "Y.npy")
        self.assertLess(np.linalg.norm(self.load("Y.npy") - self.x) / np.linalg.norm(self.x - self.x.mean(0)), 0.4)
        self.learn("E.npy", "--iterations", "1", "--checkpoint", "state")
        self.learn("E.npy", "--resume", "state")
        self.assertEqual(self.load("E.npy").tobytes(), self.load("D.npy").tobytes())
        with np.load(self.path("E.meta.npz")) as one, np.load(self.path("D.meta.npz")) as other:
            self.assertEqual(one["mean"].tobytes(), other["mean"].tobytes())
        self.inco("decohere", "D.npy", "--max-coherence", "0.6", "-o", "F.npz")
        with np.load(self.path("F.npz")) as file:
            np.testing.assert_allclose(file["mean"], self.x.mean(0), rtol=1e-12)
        self.inco("inspect", "D.npy", "--csv", "numbers", "--test", "NEW.npy")
        self.save("Z.npy", self.new - self.x.mean(0))
        shutil.copy(self.path("D.npy"), self.path("G.npy"))
        self.inco("inspect", "G.npy", "--csv", "plain", "--test", "Z.npy")
        names = [name for name in os.listdir(self.path("plain")) if name.startswith("residual")]
        self.assertTrue(names)
        for name in names:
            one, other = (np.loadtxt(self.path(folder + "/" + name), delimiter=",", skiprows=1)
                          for folder in ("numbers", "plain"))
            np.testing.assert_allclose(one, other, rtol=1e-9)
        self.learn("H.npy", "--report", "page.html", "--test", "NEW.npy")

    def test_as_initial_dictionary(self):
        """The mean is that of the new signals; without one the program says that the start had one."""
        self.learn("D.npy")
        again = ["learn", "NEW.npy", "-o", "E.npy", "--init", "D.npy", "--iterations", "1", *OMP]
        self.assertNotIn("'D.npy' was learned", self.inco(*again, "--center", "feature").text)
        with np.load(self.path("E.meta.npz")) as file:
            np.testing.assert_allclose(file["mean"], self.new.mean(0), rtol=1e-12)
        self.assertIn("--init 'D.npy' was learned with --center feature, this run is not", self.inco(*again).text)
        self.assertFalse(os.path.exists(self.path("E.meta.npz")))
