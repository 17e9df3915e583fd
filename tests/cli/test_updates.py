"""inco learn with the methods that work from sums over the codes, or from no data at all."""
import numpy as np

import tool

SHORT = ["--atoms", "24", "--iterations", "3", "--coder", "omp", "--sparsity", "3"]


class Updates(tool.Case):
    def setUp(self):
        super().setUp()
        self.signals, _ = tool.planted()
        self.save("X.npy", self.signals)

    def learn(self, *more, out="D.npy"):
        found = self.json("learn", "X.npy", "-o", out, *SHORT, *more)
        np.testing.assert_allclose(np.linalg.norm(self.load(out), axis=1), 1, atol=1e-12)
        return found

    def wrong(self, *more, says):
        self.refused("learn", "X.npy", "-o", "E.npy", *SHORT, *more, code=2, says=says)


class Mocod(Updates):
    def test_weights(self):
        found = self.learn("--method", "mocod")
        self.assertEqual(found["method"], "mocod")
        np.testing.assert_allclose([found["gamma"], found["eta"]], [0.1 * 300 / 24, 300 / 24], rtol=1e-6)
        done = self.inco("learn", "X.npy", "-o", "D.npy", *SHORT, "--method", "mocod", "--eta", "2.5")
        self.assertRegex(done.text, r"\n  eta +2\.5\n")
        strong = self.learn("--method", "mocod", "--gamma", "300", "--update-iterations", "40")
        self.assertLess(strong["coherence"]["rms"], found["coherence"]["rms"])

    def test_same_bits_for_any_threads(self):
        self.learn("--method", "mocod", "--threads", "1")
        self.learn("--method", "mocod", "--threads", "2", out="E.npy")
        self.assertEqual(self.load("D.npy").tobytes(), self.load("E.npy").tobytes())

    def test_options_that_do_not_belong(self):
        self.wrong("--eta", "1", says=["--eta", "mocod", "idl"])
        self.wrong("--method", "mod", "--eta", "1", says=["--eta", "mocod"])
        self.wrong("--method", "mocod", "--eta", "-1", says="--eta must be 0 or more, not -1")
        self.wrong("--method", "mocod", "--norms", "rescale", says=["--norms", "idl"])
        self.wrong("--method", "mocod", "--gamma", "1", "--gamma-relative", "1", says=["--gamma", "--gamma-relative"])
