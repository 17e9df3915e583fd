"""inco learn with the methods that use statistics of the codes, or no data."""
import json

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


class Online(Updates):
    def test_batches(self):
        found = self.learn("--method", "online", "--batch", "40", "--iterations", "8")
        start = self.learn("--method", "online", "--iterations", "0")
        self.assertEqual((found["method"], found["gamma"]), ("online", 0))
        self.assertLess(found["relative_error"], start["relative_error"])
        penalised = self.learn("--method", "online", "--batch", "40", "--iterations", "8", "--gamma-relative", "1")
        self.assertLess(penalised["coherence"]["rms"], found["coherence"]["rms"])
        self.assertAlmostEqual(penalised["gamma"], 300 / 24, 5)

    def test_log_counts_the_batches(self):
        self.learn("--method", "online", "--batch", "40", "--log", "run.jsonl")
        with open(self.path("run.jsonl")) as file:
            lines = [json.loads(line) for line in file]
        rounds = [line for line in lines if line["event"] == "iteration"]
        self.assertEqual([line["update_iterations"] for line in rounds], [8, 8, 8])
        for line in rounds:
            self.assertLessEqual(line["objective"], line["objective_before"])

    def test_resume(self):
        words = ["--method", "online", "--batch", "70"]
        self.learn(*words, "--iterations", "4")
        self.learn(*words, "--iterations", "2", "--checkpoint", "state", out="half.npy")
        self.learn(*words, "--iterations", "4", "--resume", "state", out="E.npy")
        self.assertEqual(self.load("D.npy").tobytes(), self.load("E.npy").tobytes())
        self.refused("learn", "X.npy", "-o", "F.npy", *SHORT, *words, "--forget", "0.5", "--resume", "state", code=2,
                     says=["--forget", "0.1"])

    def test_options_that_do_not_belong(self):
        self.wrong("--batch", "7", says=["--batch", "online"])
        self.wrong("--forget", "0.5", says=["--forget", "online"])
        for value in "0", "1.5", "-1":
            self.wrong("--method", "online", "--forget", value, says="--forget must be from")
        self.wrong("--method", "online", "--batch", "0", says="--batch")
        self.wrong("--method", "online", "--update-iterations", "3", says=["--update-iterations", "idl"])
        self.wrong("--method", "online", "--norms", "sphere", says=["--norms", "idl"])


class Parametric(tool.Case):
    DESIGN = ["learn", "--method", "parametric", "--atoms", "60", "--window", "48", "--rate", "8000"]

    def test_design(self):
        found = self.json(*self.DESIGN, "-o", "D.npy", "--iterations", "6", "--family", "gammatone")
        self.assertEqual([found[k] for k in ("method", "dim", "atoms", "signals", "iterations", "relative_error")],
                         ["parametric", 48, 60, 0, 6, None])
        for key in "max", "rms":
            self.assertLess(found["coherence"][key], found["start_coherence"][key])
        atoms = self.load("D.npy")
        self.assertEqual((atoms.shape, atoms.dtype), ((60, 48), np.dtype("f4")))
        np.testing.assert_allclose(np.linalg.norm(atoms, axis=1), 1, atol=1e-6)

    def test_lines(self):
        done = self.inco(*self.DESIGN, "-o", "D.npy", "--iterations", "2", "--log", "run.jsonl")
        self.assertIn("designing 60 gammatones of 48 samples at 8000 Hz, without data\n", done.text)
        self.assertRegex(done.text, r"iteration 2/2: coherence max 0\.\d+ rms 0\.\d+, [\d.]+ s\n")
        self.assertNotIn("nan", done.text)
        with open(self.path("run.jsonl")) as file:
            events = [json.loads(line)["event"] for line in file]
        self.assertEqual(events, ["start", "iteration", "iteration", "end"])

    def test_refusals(self):
        self.save("X.npy", np.eye(5))
        self.refused(*self.DESIGN, "X.npy", "-o", "D.npy", code=2, says=["X.npy", "takes no data"])
        self.refused("learn", "-o", "D.npy", "--atoms", "4", code=2, says="no data given")
        for more in (["--coder", "omp"], ["--gamma", "1"], ["--seed", "3"], ["--checkpoint", "state"],
                     ["--codes", "C.npz"], ["--init", "random"], ["--unused", "keep"], ["--normalize", "none"]):
            self.refused(*self.DESIGN, "-o", "D.npy", *more, code=2, says=[more[0], "parametric"]
                         if more[0] != "--gamma" else "--gamma")
        self.refused("learn", "--method", "parametric", "--atoms", "9", "-o", "D.npy", code=2, says=["--window", "--rate"])
        self.refused(*self.DESIGN, "--window", "15", "-o", "D.npy", code=2, says=["--window", "16"])
        self.refused("learn", "X.npy", "-o", "D.npy", "--atoms", "4", "--family", "gammatone", code=2,
                     says=["--family", "parametric"])
