"""inco learn --gamma auto: the regularisation path, its output, and resuming after a kill."""
import json
import os
import signal
import subprocess
import time

import numpy as np

import tool

LEARN = ["--atoms", "24", "--iterations", "2", "--coder", "omp", "--sparsity", "4", "--gamma", "auto"]
POINT = {"order": int, "gamma": float, "gamma_relative": float, "coherence.max": float, "coherence.rms": float,
         "singular_values.max": float, "singular_values.min": float, "relative_error": float,
         "mean_cardinality": float, "residuals": list, "judgement": float}


class Path(tool.Case):
    def setUp(self):
        super().setUp()
        self.save("X.npy", np.cumsum(np.random.default_rng(5).standard_normal((1500, 16)), axis=1))

    def lines(self, name):
        with open(self.path(name)) as file:
            return [json.loads(line) for line in file]

    def test_results_and_log(self):
        found = self.json("learn", "X.npy", "-o", "D.npy", *LEARN, "--log", "run.jsonl")
        path = found["path"]
        self.assertEqual((path["cardinalities"], path["complete"]), ([1, 2, 4], True))
        self.assertIn(path["held_out"], range(100, 201), "one of ten, by content: 150, with a standard deviation of 12")
        self.assertEqual([p["gamma_relative"] for p in path["points"]], [0, 0.001, 0.01, 0.1, 1, 10])
        for point in path["points"]:
            self.assert_types(point, {**POINT, "cost": float, "chosen": bool})
        best = min(p["judgement"] for p in path["points"])
        good = [p for p in path["points"] if p["judgement"] <= best + path["noise"]]
        self.assertEqual([p for p in path["points"] if p["chosen"]], good[-1:])
        self.assertAlmostEqual(found["gamma_relative"], good[-1]["gamma_relative"], 9)
        self.assertEqual(found["options"]["gamma"], "auto")
        lines = self.lines("run.jsonl")
        self.assertEqual([line["event"] for line in lines],
                         ["start"] + 6 * ["iteration"] + 6 * ["iteration", "iteration", "point"] + ["end"])
        self.assertEqual([line.get("point") for line in lines[1:-1]],
                         6 * [None] + [i for point in range(1, 7) for i in 3 * [point]])
        for line in (line for line in lines if line["event"] == "point"):
            self.assert_types(line, {**POINT, "point": int, "held_out": int, "cardinalities": list})
            point, = (point for point in path["points"] if point["order"] == line["point"])
            self.assertEqual({key: line[key] for key in ("gamma", "judgement", "residuals", "coherence")},
                             {key: point[key] for key in ("gamma", "judgement", "residuals", "coherence")})
        self.assertEqual(lines[-1]["path"], path)
        if "json" in tool.features():
            self.check_report(good[-1], lines)

    def check_report(self, chosen, lines):
        """The figure of the iterations is that of the dictionary written."""
        self.inco("report", "run.jsonl", "D.npy", "-o", "page.html", "--csv", "numbers")
        with open(self.path("numbers/convergence-objective.csv")) as file:
            rows = [line.split(",") for line in file.read().splitlines()[1:]]
        want = [line["objective"] for line in lines if line["event"] == "iteration" and line.get("point") == chosen["order"]]
        self.assertEqual(len(rows), 2)
        for row, value in zip(rows, want):
            self.assertIn(f"{value:.6g}", [f"{float(cell):.6g}" for cell in row if cell])

    def assert_describes_file(self, found, *files):
        """The row chosen has the figures of the file written, as inspect and encode measure them."""
        chosen, = (point for point in found["path"]["points"] if point["chosen"])
        seen = self.json("inspect", "D.npy")
        coded = self.json("encode", "-D", "D.npy", *files, "-o", "C.npz", "--coder", "omp", "--sparsity", "4")
        for key in ("max", "rms"):
            self.assertEqual(chosen["coherence"][key], found["coherence"][key])
            self.assertAlmostEqual(chosen["coherence"][key], seen["coherence"][key], 12)
        self.assertEqual(chosen["relative_error"], found["relative_error"])
        self.assertAlmostEqual(chosen["relative_error"], coded["relative_error"], 9)
        self.assertAlmostEqual(chosen["singular_values"]["max"], seen["singular_values"][0], 9)

    @tool.needs("npz")
    def test_describes_the_file(self):
        given = ["learn", "X.npy", "-o", "D.npy", *LEARN[:-2], "--normalize", "none"]
        self.assert_describes_file(self.json(*given, "--gamma", "auto"), "X.npy")
        self.assert_describes_file(self.json(*given, "--target-error", "0.3"), "X.npy")
        self.assert_describes_file(self.json(*given, "--target-rms", "0.3"), "X.npy")

    def test_target(self):
        found = self.json("learn", "X.npy", "-o", "D.npy", *LEARN[:-2], "--target-error", "0.3")
        self.assertLessEqual(found["relative_error"], 0.3)
        for point in found["path"]["points"]:
            self.assert_types(point, {key: POINT[key] for key in POINT if key not in ("residuals", "judgement")})
            if point["relative_error"] <= 0.3:
                self.assertGreaterEqual(point["coherence"]["rms"], found["coherence"]["rms"])
        missed = self.inco("learn", "X.npy", "-o", "D.npy", *LEARN[:-2], "--target-error", "0.01", "--json", code=3)
        points = json.loads(missed.stdout)["path"]["points"]
        self.assertEqual([p["chosen"] for p in points],
                         [p["relative_error"] == min(q["relative_error"] for q in points) for p in points])
        self.assertIn("above --target-error 0.01: try more --atoms", missed.text)
        self.assertIn("\n  * written: the lowest error; none is at most 0.01\n", missed.text)
        met = self.inco("learn", "X.npy", "-o", "D.npy", *LEARN[:-2], "--target-rms", "0.3").text
        self.assertIn("\n  * written: the lowest error with an rms coherence of at most 0.3\n", met)

    def test_table(self):
        done = self.inco("learn", "X.npy", "-o", "D.npy", *LEARN)
        self.assertRegex(done.text, r"\ngamma 6/6: weight \d+(?:\.\d+)?, error 0\.\d+, cardinality 4\.0, coherence max 0\.\d+ rms 0\.\d+, ")
        self.assertRegex(done.text, r"\ncost of incoherence: median residual of 1\d\d held-out signals, with k atoms by OMP\n")
        self.assertRegex(done.text, r"\n +relative +gamma +coherence max +rms +error +atoms  k =   1  k =   2  k =   4 +cost\n")
        rows = [line for line in done.text.splitlines() if line.endswith("%") and "written" not in line]
        self.assertEqual(len(rows), 6)
        self.assertEqual(sum(row.startswith("  * ") for row in rows), 1)
        self.assertEqual(len({len(row) for row in rows}), 1, "columns that stand in line")
        quiet = self.inco("learn", "X.npy", "-o", "D.npy", *LEARN, "-q")
        self.assertEqual(quiet.text, "")

    def test_survives_a_kill(self):
        """Killed on the path, it computes only the missing points, to the same bits."""
        self.inco("learn", "X.npy", "-o", "D.npy", *LEARN)
        words = [tool.INCO, "learn", "X.npy", "-o", "E.npy", *LEARN, "-q", "--checkpoint", "state", "--log", "run.jsonl"]
        run = subprocess.Popen(words, cwd=self.home, env=tool.environment())
        while not os.path.exists(self.path("state")) and run.poll() is None:
            time.sleep(0.002)
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.assertTrue(os.path.exists(self.path("state")))
        before = [line for line in self.lines("run.jsonl") if line["event"] == "iteration"]
        self.inco("learn", "X.npy", "-o", "E.npy", *LEARN, "--resume", "state", "--log", "more.jsonl")
        after = [line for line in self.lines("more.jsonl") if line["event"] == "iteration"]
        self.assertEqual(self.load("D.npy").tobytes(), self.load("E.npy").tobytes())
        self.assertLess(len(after), 18)
        self.assertGreaterEqual(len(before) + len(after), 18)

    def test_says_where_it_was_stopped(self):
        """Enough signals for the path to take some time."""
        self.save("many.npy", np.random.default_rng(6).standard_normal((20000, 32)))
        words = [tool.INCO, "learn", "many.npy", "-o", "D.npy", *LEARN, "--atoms", "200", "--sparsity", "8"]
        run = subprocess.Popen(words, cwd=self.home, env=tool.environment(), stderr=subprocess.PIPE, text=True)
        while "gamma 1/6" not in run.stderr.readline():
            self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)
        text = run.communicate(timeout=tool.PATIENCE)[1]
        self.assertEqual(run.returncode, 130, text)
        self.assertIn("interrupted on the regularisation path; the dictionary is saved", text)

    def test_is_cut_short(self):
        """If the time is over, the path ends, with a message; a resumed run has the bits of an uninterrupted one."""
        given = ["learn", "X.npy", *LEARN[:-2]]
        for goal in ["--gamma", "auto"], ["--target-error", "0.3"]:
            self.inco(*given, *goal, "-o", "D.npy")
            done = self.inco(*given, *goal, "-o", "E.npy", "--stop-seconds", "0.000001", "--json", "--checkpoint", "state",
                             code=0 if goal[1] == "auto" else None)
            found = json.loads(done.stdout)
            self.assertEqual((found["path"]["points"], found["path"]["complete"], found["stopped_by"]),
                             ([], False, "seconds"))
            self.assertIn("the regularisation path was stopped before its first point", done.text)
            for _ in range(40):  # an iteration each
                done = self.inco(*given, *goal, "-o", "E.npy", "--stop-seconds", "0.000001", "--json", "--checkpoint",
                                 "state", "--resume", "state", code=None)
                if json.loads(done.stdout)["path"]["complete"]:
                    break
            self.assertTrue(json.loads(done.stdout)["path"]["complete"])
            self.assertEqual(self.load("D.npy").tobytes(), self.load("E.npy").tobytes())

    def test_refusals(self):
        def wrong(*more, says, code=2):
            self.refused("learn", "X.npy", "-o", "E.npy", "--atoms", "24", *more, code=code, says=says)
        wrong("--gamma", "auto", "--method", "online", says="--gamma auto belongs to --method idl, not to online")
        wrong("--gamma", "auto", "--method", "ksvd", "--coder", "omp", "--sparsity", "3", says=["--gamma", "ksvd"])
        wrong("--gamma", "auto", "--gamma-relative", "1", says=["--gamma", "--gamma-relative"])
        wrong("--gamma", "Auto", says="--gamma takes a number or auto, not 'Auto'")
        self.save("X.npy", np.random.default_rng(1).standard_normal((900, 16)))
        wrong("--gamma", "auto", code=1, says=["one signal of 10", "1000 signals or more, not 900"])
