"""inco learn."""
import json
import os
import re

import numpy as np

import tool

FIELDS = dict(tool.COMMON, **{
    "method": str, "dim": int, "rank": int, "atoms": int, "signals": int, "iterations": int, "gamma": float, "gamma_relative": float,
    "dropout": float, "stop_gain": float,
    "precision": str, "relative_error": float, "mean_cardinality": float, "objective": float, "coherence.max": float,
    "coherence.rms": float, "coherence.mean": float, "coherence.welch": float, "singular_values.max": float,
    "singular_values.min": float, "replaced": int, "stopped_by": str, "seed": int, "threads": int, "isa": str,
    "blas": str, "options": dict, "seconds.update": float})
SHORT = ["--atoms", "24", "--iterations", "3", "--coder", "omp", "--sparsity", "3"]
LAST_LINE = r"inco \d+\.\d+\.\d+: [\d.]+ s, \d+ MB peak"


class Learn(tool.Case):
    def setUp(self):
        super().setUp()
        self.signals, _ = tool.planted()
        self.save("X.npy", self.signals)

    def learn(self, *more, out="D.npy"):
        self.inco("learn", "X.npy", "-o", out, *SHORT, *more)
        return self.load(out)

    def test_results(self):
        for dtype, name in ("f4", "f32"), ("f8", "f64"):
            self.save("X.npy", self.signals.astype(dtype))
            found = self.json("learn", "X.npy", "-o", "D.npy", *SHORT, "--seed", "5", "--threads", "1")
            self.assert_types(found, FIELDS)
            atoms = self.load("D.npy")
            self.assertEqual((atoms.shape, atoms.dtype), ((24, 16), np.dtype(dtype)))
            np.testing.assert_allclose(np.linalg.norm(atoms.astype("f8"), axis=1), 1, atol=1e-6)
            self.assertEqual([found[k] for k in ("command", "method", "dim", "atoms", "signals", "iterations", "seed",
                                                 "threads", "precision", "stopped_by")],
                             ["learn", "idl", 16, 24, 300, 3, 5, 1, name, "iterations"])
            options = found["options"]
            self.assertEqual([options[k] for k in ("atoms", "coder", "sparsity", "gamma", "gamma-relative", "refit")],
                             [24, "omp", 3, None, None, False])
            self.assertAlmostEqual(found["gamma"], found["gamma_relative"] * 300 / 24, 3)  # unit signals: ||X||^2 = 300
            self.assertLess(found["relative_error"], 0.9)
            self.assertLessEqual(found["mean_cardinality"], 3)
            again = self.json("inspect", "D.npy")
            for key in "max", "rms", "mean", "welch":
                np.testing.assert_allclose(found["coherence"][key], again["coherence"][key], rtol=1e-9)
            np.testing.assert_allclose(found["singular_values"]["max"], again["singular_values"][0], rtol=1e-9)
            np.testing.assert_allclose(found["singular_values"]["min"], again["singular_values"][-1], rtol=1e-9)

    def test_codes_that_are_not_sparse_are_reported(self):
        self.save("X.npy", np.random.RandomState(1).standard_normal((400, 30)))
        learn = ["learn", "X.npy", "-o", "D.npy", "--atoms", "80", "--iterations", "2"]
        self.assertNotIn("not sparse", self.inco(*learn).text)
        done = self.inco(*learn, "--coder", "larc", "--residual-coherence", "0.2")
        note = re.search(r"note +codes are not sparse: more than a third of the 30 dimensions; stop them earlier, by "
                         r"--residual-coherence (0\.\d+) or --coder omp --sparsity 2\n", done.text)
        self.assertTrue(note, done.text)
        for advice in ["--coder", "larc", "--residual-coherence", note.group(1)], ["--coder", "omp", "--sparsity", "2"]:
            self.assertNotIn("not sparse", self.inco(*learn, *advice).text)
        dense = self.inco(*learn, "--coder", "omp", "--sparsity", "11").text
        self.assertIn("stop them earlier, by --coder omp --sparsity 2\n", dense)
        self.assertNotIn("not sparse", self.inco(*learn, "--coder", "omp", "--sparsity", "10").text)

    def test_iterations_in_batches_are_passes(self):
        learn = ["learn", "X.npy", *SHORT, "--threads", "1"]
        done = self.inco(*learn, "-o", "A.npy", "--log", "A.jsonl")
        self.assertEqual(re.findall(r"^iteration (\d)/3: error", done.text, re.M), ["1", "2", "3"])
        with open(self.path("A.jsonl")) as file:
            events = [json.loads(line) for line in file]
        iterations = [e for e in events if e["event"] == "iteration"]
        self.assertEqual([e["iteration"] for e in iterations], [1, 2, 3])
        for e in iterations:
            self.assertLessEqual(e["objective"], e["objective_before"])
        self.inco(*learn, "-o", "B.npy", "--schedule", "growing")
        np.testing.assert_array_equal(self.load("A.npy"), self.load("B.npy"))  # 300 signals, 24 atoms
        self.inco(*learn, "-o", "C.npy", "--schedule", "batch")
        self.assertFalse(np.array_equal(self.load("A.npy"), self.load("C.npy")))

    def test_lines_not_on_a_terminal(self):
        done = self.inco("learn", "X.npy", "-o", "D.npy", *SHORT)
        self.assertEqual(done.stdout, b"")
        self.assertNotIn("\r", done.text)
        self.assertNotIn("\033", done.text)
        self.assertIn("1 matrix file: 300 signals of 16 values, f64\n", done.text)
        lines = re.findall(r"^iteration (\d)/3: error \d\.\d+, cardinality .*, \d+\.\d s$", done.text, re.M)
        self.assertEqual(lines, ["1", "2", "3"])
        self.assertRegex(done.text, r"coherence +max 0\.\d+, rms .* \(Welch bound 0\.\d+\)\n")
        self.assertRegex(done.text, r"gamma +\d\S* \(relative 0\.0\d+;")
        self.assertRegex(done.text, r"wrote D.npy\n" + LAST_LINE + r"\n\Z")

    def test_quiet(self):
        self.assertEqual(self.inco("learn", "X.npy", "-o", "D.npy", "--quiet", *SHORT).text, "")

    def test_standard_output(self):
        self.learn()
        done = self.inco("learn", "X.npy", "-o", "-", *SHORT)
        with open(self.path("D.npy"), "rb") as file:
            self.assertEqual(done.stdout, file.read())

    def test_same_bits_for_any_threads(self):
        one, two = self.learn("--threads", "1"), self.learn("--threads", "2", out="E.npy")
        self.assertEqual(one.tobytes(), two.tobytes())

    def test_says_threads_above_the_processors(self):
        one = self.learn("--threads", "1")
        available = len(os.sched_getaffinity(0))
        line = rf"^--threads \d+: this process may use {available} processors?; more threads than that gain nothing$"
        self.assertNotRegex(self.inco("learn", "X.npy", "-o", "E.npy", *SHORT, "--threads", available).text, "--threads")
        more = self.inco("learn", "X.npy", "-o", "E.npy", *SHORT, "--threads", available + 3)
        self.assertEqual(len(re.findall(line, more.text, re.M)), 1)
        self.assertEqual(self.load("E.npy").tobytes(), one.tobytes())
        quiet = self.inco("learn", "X.npy", "-o", "E.npy", *SHORT, "--threads", available + 3, "--quiet")
        self.assertEqual(quiet.text, "")
        many = self.inco("learn", "X.npy", "-o", "E.npy", *SHORT, "--threads", 1000, "--quiet")
        self.assertEqual(many.text, "")
        self.assertEqual(self.load("E.npy").tobytes(), one.tobytes())

    def test_seed(self):
        zero, one = self.learn(), self.learn("--seed", "1", out="E.npy")
        self.assertNotEqual(zero.tobytes(), one.tobytes())

    def test_the_last_of_two_values_holds(self):
        found = self.json("learn", "X.npy", "-o", "D.npy", *SHORT, "--seed", "1", "--seed=7")
        self.assertEqual(found["seed"], 7)

    def test_log(self):
        found = self.json("learn", "X.npy", "-o", "D.npy", "--log", "run.jsonl", *SHORT)
        with open(self.path("run.jsonl")) as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual([line["event"] for line in lines], ["start"] + 3 * ["iteration"] + ["end"])
        self.assert_types(lines[0], {"version": str, "command_line": list, "options": dict, "data": dict, "seed": int,
                                     "time": str, "threads": int, "isa": str, "blas": str})
        self.assertEqual(lines[0]["command_line"][1:3], ["learn", "X.npy"])
        self.assertEqual(lines[0]["data"], {"kind": "matrix", "files": 1, "signals": 300, "dim": 16, "precision": "f64"})
        for i, line in enumerate(lines[1:4]):
            self.assertEqual(line["iteration"], i + 1)
            self.assert_types(line, {"relative_error": float, "mean_cardinality": float, "objective": float,
                                     "objective_before": float, "coherence.max": float, "coherence.rms": float,
                                     "replaced": int, "update_iterations": int, "seconds.code": float,
                                     "seconds.update": float, "seconds.total": float})
            self.assertLessEqual(line["objective"], line["objective_before"])
        self.assertEqual(lines[4]["relative_error"], found["relative_error"])
        self.assert_types(lines[4], FIELDS)

    def test_log_on_standard_output(self):
        done = self.inco("learn", "X.npy", "-o", "D.npy", "--log", "-", *SHORT)
        self.assertEqual(len([json.loads(line) for line in done.stdout.splitlines()]), 5)

    @tool.needs("npz")
    def test_meta(self):
        self.inco("learn", "X.npy", "-o", "D.npz", "--seed", "3", *SHORT)
        with np.load(self.path("D.npz")) as file:
            atoms, meta = file["components"], json.loads(str(file["meta"]))
        self.assertEqual(atoms.shape, (24, 16))
        self.assertEqual((meta["command"], meta["seed"], meta["data"]["files"]), ("learn", 3, 1))
        self.assertEqual(meta["options"]["sparsity"], 3)
        self.assertEqual(meta["command_line"][1:], ["learn", "X.npy", "-o", "D.npz", "--seed", "3"] + SHORT)
        self.assertRegex(meta["version"], r"^\d+\.\d+\.\d+$")
        self.save("D.npy", atoms)
        self.assertEqual(self.json("inspect", "D.npz")["coherence"], self.json("inspect", "D.npy")["coherence"])

    @tool.needs("npz")
    def test_codes_are_of_the_signals_as_given(self):
        given = self.signals * np.linspace(0.01, 100, len(self.signals))[:, None]
        self.save("given.npy", given)
        for more, means in ([], 0), (["--center", "signal"], given.mean(1)[:, None]), (["--normalize", "none"], 0):
            found = self.json("learn", "given.npy", "-o", "D.npy", "--codes", "C.npz", *SHORT, *more)
            norms = 1 if "none" in more else np.linalg.norm(given - means, axis=1, keepdims=True)
            trained, codes = (given - means) / norms, tool.load_codes(self.path("C.npz")) / norms
            rest = np.linalg.norm(trained - codes @ self.load("D.npy")) / np.linalg.norm(trained)
            self.assertAlmostEqual(rest, found["relative_error"], 9)
            self.inco("decode", "-D", "D.npy", "C.npz", "-o", "Y.npy")
            rest = np.linalg.norm((self.load("Y.npy") - given) / norms) / np.linalg.norm(trained)
            self.assertAlmostEqual(rest, found["relative_error"], 9)

    def test_init_from_a_file(self):
        start = self.learn()
        self.assertEqual(self.json("learn", "X.npy", "-o", "E.npy", "--init", "D.npy", "--iterations", "0",
                                   "--coder", "omp", "--sparsity", "3")["atoms"], 24)
        np.testing.assert_allclose(self.load("E.npy"), start, atol=1e-14)
        self.json("learn", "X.npy", "-o", "E.npy", "--init", "D.npy", *SHORT)
        self.refused("learn", "X.npy", "-o", "F.npy", "--init", "D.npy", "--atoms", "25", code=2,
                     says=["--atoms is 25", "D.npy", "24 atoms"])
        self.save("wrong.npy", np.eye(5))
        self.refused("learn", "X.npy", "-o", "F.npy", "--init", "wrong.npy", says=["5", "16"])
        self.refused("learn", "X.npy", "-o", "D.npy", "--init", "D.npy", code=2, says="D.npy")

    def test_inits(self):
        for init in "dct", "random":
            self.assertEqual(self.learn("--init", init).shape, (24, 16))

    def test_methods_and_norms(self):
        self.assertEqual(self.json("learn", "X.npy", "-o", "D.npy", "--method", "mod", *SHORT)["method"], "mod")
        self.learn("--norms", "rescale")
        flat = self.json("learn", "X.npy", "-o", "D.npy", "--gamma", "0", *SHORT)
        high = self.json("learn", "X.npy", "-o", "D.npy", "--gamma", "50", *SHORT)
        self.assertEqual((flat["gamma"], high["gamma"]), (0, 50))
        self.assertLess(high["coherence"]["rms"], flat["coherence"]["rms"])

    def test_methods_with_codes(self):
        for method in "ksvd", "aksvd":
            found = self.json("learn", "X.npy", "-o", "D.npy", "--method", method, "--replace", "0.5", *SHORT)
            self.assertEqual((found["method"], found["gamma"]), (method, 0))
            self.assertLessEqual(found["replaced_coherent"], found["replaced"])
            self.assertGreater(found["replaced_coherent"], 0)
            self.assertNotIn("spread", found)

    def test_last_replacements(self):
        """Of the rule `published` the atoms differ that the last update has led to, and these are signals."""
        given = ["learn", "X.npy", "--method", "ksvd", "--replace", "0.5", *SHORT]
        ours = self.json(*given, "-o", "D.npy")
        published = self.json(*given, "-o", "E.npy", "--replace-last", "published")
        d, e, x = self.load("D.npy"), self.load("E.npy"), self.load("X.npy")
        changed = np.flatnonzero(np.any(d != e, axis=1))
        self.assertEqual(ours["options"]["replace-last"], "skip")
        self.assertEqual(published["options"]["replace-last"], "published")
        self.assertEqual(ours["replaced_last"], published["replaced_last"])
        self.assertEqual(published["replaced"], ours["replaced"] + ours["replaced_last"])
        self.assertEqual(len(changed), ours["replaced_last"])
        self.assertGreater(len(changed), 0)
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
        for j in changed:
            self.assertGreater(np.max(x @ e[j]), 1 - 1e-6)
            others = np.vstack([e[:j], d[j + 1:]])  # with the replacements made so far
            self.assertGreater(np.max(np.abs(others @ d[j])), 0.5 - 1e-6)
        text = self.inco(*given, "-o", "E.npy", "--replace-last", "published").text
        self.assertIn(f"  last update       {len(changed)} to replace, applied (--replace-last published)\n", text)
        self.inco(*given, "-o", "E.npy", "--iterations", "1", "--checkpoint", "state")
        more = ["-o", "E.npy", "--resume", "state"]
        self.assertEqual(self.json(*given, *more)["replaced"], ours["replaced"])
        self.assertEqual(self.load("E.npy").tobytes(), d.tobytes())
        self.refused("learn", "X.npy", "-o", "E.npy", "--method", "ksvd", *SHORT, "--replace-last", "published", code=2,
                     says="--replace-last needs --replace")

    def test_exchange(self):
        how = ["learn", "X.npy", "-o", "D.npy", "--method", "aksvd", *SHORT]
        self.assertEqual(self.json(*how)["replaced_exchanged"], 0)
        found = self.json(*how, "--exchange")
        self.assertGreater(found["replaced_exchanged"], 0)
        self.assertLessEqual(found["replaced_exchanged"], found["replaced"])
        few = self.json(*how, "--min-uses", "30")
        self.assertGreater(few["replaced"], self.json(*how)["replaced"])
        self.refused(*how, "--exchange", "--replace", "0.9", code=2, says="give one of them")
        self.refused(*how, "--unused", "keep", "--min-uses", "4", code=2, says="--unused keep")

    def test_targets(self):
        for method, limit in ("inksvd", "--decorrelation-passes"), ("ipr", "--ipr-iterations"):
            how = ["learn", "X.npy", "-o", "D.npy", "--method", method, *SHORT, "--max-coherence"]
            found = self.json(*how, "0.5")
            self.assertLessEqual(found["coherence"]["max"], 0.501)
            self.assertGreater(found["spread"]["passes"], 0)
            self.assertAlmostEqual(found["spread"]["target"], 0.501)
            done = self.inco(*how, "0.01", limit, "2", "--log", "run.jsonl", code=3)
            self.assertIn("above the target --max-coherence 0.01", done.text)
            self.assertEqual(self.load("D.npy").shape, (24, 16))
            with open(self.path("run.jsonl")) as log:
                lines = [json.loads(line) for line in log]
            self.assertEqual([line["spread_passes"] for line in lines if line["event"] == "iteration"], [2, 2, 2])

    def test_checkpoint_and_resume(self):
        whole = self.learn("--unused", "keep")
        half = SHORT[:2] + ["--iterations", "1"] + SHORT[4:] + ["--unused", "keep"]
        self.inco("learn", "X.npy", "-o", "E.npy", "--checkpoint", "state", "--log", "run.jsonl", *half)
        self.inco("learn", "X.npy", "-o", "E.npy", "--resume", "state", "--checkpoint", "state", "--log", "run.jsonl",
                  *SHORT[2:], "--unused", "keep")
        self.assertEqual(self.load("E.npy").tobytes(), whole.tobytes())
        with open(self.path("run.jsonl")) as file:
            events = [json.loads(line)["event"] for line in file]
        self.assertEqual(events, ["start", "iteration", "end", "start", "iteration", "iteration", "end"])
        self.refused("learn", "X.npy", "-o", "F.npy", "--resume", "state", *SHORT, "--unused", "worst", code=2,
                     says="unused")
        self.refused("learn", "X.npy", "-o", "F.npy", "--resume", "X.npy", *SHORT, says="checkpoint")
        self.refused("learn", "X.npy", "-o", "F.npy", "--resume", "none", *SHORT, says="none")

    def test_several_files_folders_and_patterns(self):
        os.mkdir(self.path("data"))
        self.save("data/a.npy", self.signals[:100])
        self.save("data/b.npy", self.signals[100:])
        whole = self.learn().tobytes()
        for names in ["data"], ["data/*.npy"], ["data/b.npy", "data/a.npy"]:
            found = self.json("learn", *names, "-o", "E.npy", *SHORT)
            self.assertEqual((found["signals"], found["data"]["files"]), (300, 2))
            self.assertEqual(self.load("E.npy").tobytes(), whole)
        self.inco("learn", "data", "-o", "data/D.npy", *SHORT)
        for name in "data", "data/*.npy", "data/D.npy":
            self.refused("learn", name, "-o", "data/D.npy", *SHORT, code=2, says="also an input")

    def test_columns(self):
        rows = self.learn()
        self.save("T.npy", np.ascontiguousarray(self.signals.T))
        self.inco("learn", "T.npy", "--columns", "-o", "E.npy", *SHORT)
        np.testing.assert_array_equal(self.load("E.npy"), rows.T)

    @tool.needs("audio")
    def test_audio(self):
        noise = np.random.default_rng(7).integers(-9000, 9000, 3000)
        tool.write_wav(self.path("a.wav"), noise)
        found = self.json("learn", "a.wav", "--window", "16", "--signals", "200", "-o", "D.npy", *SHORT)
        self.assertEqual((found["dim"], found["signals"], found["data"]["kind"], found["precision"]),
                         (16, 200, "audio", "f32"))
        self.refused("learn", "a.wav", "-o", "E.npy", *SHORT, code=2, says="--window")

    def test_images(self):
        tool.write_pgm(self.path("a.pgm"), np.random.default_rng(8).integers(0, 256, (40, 30)))
        found = self.json("learn", "a.pgm", "--patch", "4x4", "--center", "signal", "--signals", "200", "-o", "D.npy",
                          *SHORT)
        self.assertEqual((found["dim"], found["signals"], found["data"]["kind"]), (16, 200, "image"))
        self.refused("learn", "a.pgm", "-o", "E.npy", *SHORT, code=2, says="--patch")
