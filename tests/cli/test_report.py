"""Reports: inco report, and --report, --csv and --test of learn and inspect."""
import json
import os
import re
import unittest

import numpy as np

import tool


NOT_A_NUMBER = re.compile(r"[^\w](nan|inf)[^\w]")


def reads_json():
    return "json" in tool.features()


class Case(tool.Case):
    def learn(self, *more):
        signals, _ = tool.planted()
        self.save("X.npy", signals)
        return self.inco("learn", "X.npy", "--atoms", 24, "--iterations", 3, "-o", "D.npy", *more)

    def page(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("<!DOCTYPE html>"))
        self.assertTrue(text.endswith("</html>\n"))
        return text

    def numbers(self, folder):
        return sorted(os.listdir(self.path(folder)))


class Page(Case):
    def test_learn(self):
        done = self.learn("--report", "page.html", "--csv", "numbers", "--seed", 7)
        self.assertIn("wrote page.html\n", done.text)
        self.assertIn("wrote 11 CSV files to numbers\n", done.text)
        text = self.page("page.html")
        for word in "D.npy", "24 atoms in 16 dimensions", "--seed 7", "300 signals of 16 values", "idl, 3 iterations":
            self.assertIn(word, text)
        self.assertIn("usage.csv", self.numbers("numbers"))
        self.assertNotIn("residual.csv", self.numbers("numbers"))

    def test_the_dictionary_does_not_depend_on_the_page(self):
        self.learn()
        before = self.load("D.npy")
        self.learn("--report", "page.html", "--csv", "numbers", "--test", "X.npy")
        np.testing.assert_array_equal(before, self.load("D.npy"))

    def test_numbers_alone_and_again(self):
        self.learn("--csv", "numbers")
        first = self.numbers("numbers")
        self.learn("--csv", "numbers")  # replaces them
        self.assertEqual(self.numbers("numbers"), first)
        self.learn("--csv", "more/")  # a new folder, with a slash
        self.assertEqual(self.numbers("more"), first)
        self.assertEqual(sorted(os.listdir(self.home)), ["D.npy", "X.npy", "more", "numbers"])

    def test_designed_without_data(self):
        self.inco("learn", "--method", "parametric", "--window", 64, "--rate", 8000, "--atoms", 80, "--iterations", 3, "-o",
                  "G.npy", "--report", "page.html", "--csv", "numbers")
        self.assertIn("designed without data", self.page("page.html"))
        self.assertIn("A curve is 8 ms long", self.page("page.html"))
        self.assertIn("convergence-coherence.csv", self.numbers("numbers"))
        self.assertNotIn("convergence-error.csv", self.numbers("numbers"))

    def test_page_on_standard_output(self):
        self.learn()
        done = self.inco("inspect", "D.npy", "--report", "-")
        self.assertTrue(done.stdout.startswith(b"<!DOCTYPE html>"))
        self.assertTrue(done.stdout.endswith(b"</html>\n"))

    def test_inspect_still_prints(self):
        self.learn()
        plain = self.inco("inspect", "D.npy").stdout
        self.assertEqual(self.inco("inspect", "D.npy", "--report", "page.html").stdout, plain)
        self.assertIn("singular_values", self.json("inspect", "D.npy", "--report", "page.html"))

    def test_small_and_odd_dictionaries(self):
        random = np.random.default_rng(1)
        zero = random.standard_normal((6, 4))
        zero[2] = 0
        for name, atoms in (("one", random.standard_normal((1, 4))), ("scalars", np.array([[1.0], [2.0]])),
                            ("same", np.ones((3, 4))), ("orthogonal", np.eye(5)), ("zero", zero),
                            ("wide", random.standard_normal((3, 700)).astype("f4"))):
            self.inco("inspect", self.save(name + ".npy", atoms), "--report", name + ".html", "--csv", name)
            text = self.page(name + ".html")
            self.assertIsNone(NOT_A_NUMBER.search(text))
            self.assertEqual(len(open(self.path(name + "/atoms.csv")).readlines()), 1 + len(atoms))

    @tool.needs("audio")
    def test_sounds(self):
        random = np.random.default_rng(2)
        os.mkdir(self.path("train"))
        for name in "train/a.wav", "train/b.wav", "test.wav":
            samples = 8000 * np.sin(np.cumsum(random.uniform(0.1, 0.9, 6000))) * random.random()
            tool.write_wav(self.path(name), [int(s) for s in samples])
        self.inco("learn", "train", "--window", 32, "--signals", 400, "--atoms", 48, "--iterations", 2, "-o", "D.npy",
                  "--log", "run.jsonl", "--test", "test.wav", "--report", "page.html", "--csv", "numbers")
        text = self.page("page.html")
        self.assertTrue("A curve is 4 ms long" in text)
        self.assertTrue("188 of the 188 in test.wav" in text)
        if reads_json():
            self.inco("report", "run.jsonl", "D.npy", "--test", "test.wav", "-o", "again.html", "--csv", "again")
            for name in self.numbers("numbers"):
                with open(self.path("numbers/" + name)) as a, open(self.path("again/" + name)) as b:
                    self.assertEqual(a.read(), b.read(), name)
        self.inco("inspect", "D.npy", "--window", 32, "--test", "test.wav", "--csv", "third")
        with open(self.path("numbers/residual.csv")) as a, open(self.path("third/residual.csv")) as b:
            self.assertEqual(a.read(), b.read())

    def test_refusals(self):
        self.learn()
        self.refused("inspect", "D.npy", "--test", "X.npy", code=2, says=["--test", "--report or --csv"])
        self.refused("inspect", "D.npy", "--patch", "4x4", code=2, says="--patch applies to the report")
        self.refused("inspect", "D.npy", "--report", "p.html", "--window", 16, code=2, says="--window applies to test signals")
        self.refused("inspect", "D.npy", "--report", "p.html", "--patch", "4x5", says="--patch 4x5 has 20 values")
        self.refused("inspect", "D.npy", "--report", "D.npy", code=2, says="is also an input")
        self.refused("inspect", "D.npy", "--report", "no/p.html", says="no folder no")
        self.refused("inspect", "D.npy", "--csv", "-", code=2, says="--csv needs a folder")
        self.refused("inspect", "D.npy", "--csv", "X.npy", says="is not a folder")
        self.refused("inspect", "D.npy", "--csv", "no/where", says="cannot create the folder")
        self.refused("learn", "X.npy", "--atoms", 20, "-o", "E.npy", "--report", "p.html", "--test", "no.npy", says="no.npy")
        self.save("T.npy", np.ones((3, 5)))
        self.refused("learn", "X.npy", "--atoms", 20, "-o", "E.npy", "--report", "p.html", "--test", "T.npy",
                     says="signals of 5 dimensions, the atoms have 16")
        self.save("Z.npy", np.zeros((3, 16)))
        self.refused("inspect", "D.npy", "--report", "p.html", "--test", "Z.npy", says="all 3 test signals are zero")

    def test_signals_that_were_learned_from_are_no_test(self):
        done = self.learn("--report", "page.html", "--test", "../%s/X.npy" % os.path.basename(self.home))
        self.assertIn("1 of its 1 files are also training files", done.text)
        self.assertTrue("not a fair test: 1 of the 1 files are also training files" in self.page("page.html"))
        self.save("T.npy", self.load("X.npy")[:50])
        done = self.learn("--report", "page.html", "--test", "T.npy")
        self.assertNotIn("training files", done.text)

    def test_a_long_command_line_is_cut(self):
        self.save("D.npy", np.eye(4))
        self.inco("inspect", "D.npy", "--report", "page.html", *["--duplicates", "0.%s" % ("9" * 60)] * 200)
        text = self.page("page.html")
        self.assertTrue(" …</dd>" in text)
        self.assertLess(len(text), 60000)


@unittest.skipUnless(reads_json(), "this build reads no JSON")
class Report(Case):
    def test_report(self):
        self.learn("--log", "run.jsonl")
        found = self.json("report", "run.jsonl", "D.npy", "-o", "page.html")
        self.assertEqual((found["command"], found["output"], found["atoms"]), ("report", "page.html", 24))
        self.assertIn("300 signals of 16 values", self.page("page.html"))

    def test_signals_and_atoms_in_columns(self):
        signals, _ = tool.planted()
        self.save("X.npy", signals.T)
        self.save("T.npy", signals[:40].T)
        self.inco("learn", "X.npy", "--columns", "--atoms", 24, "--iterations", 2, "-o", "D.npy", "--log", "run.jsonl",
                  "--test", "T.npy", "--csv", "numbers")
        self.assertEqual(self.load("D.npy").shape, (16, 24))
        self.inco("report", "run.jsonl", "D.npy", "--test", "T.npy", "-o", "page.html", "--csv", "again")
        for name in self.numbers("numbers"):
            with open(self.path("numbers/" + name)) as a, open(self.path("again/" + name)) as b:
                self.assertEqual(a.read(), b.read(), name)

    def test_a_log_cut_short(self):
        self.learn("--log", "run.jsonl")
        with open(self.path("run.jsonl")) as file:
            lines = file.readlines()
        self.write("short.jsonl", "".join(lines[:3]) + lines[3][:40])
        self.inco("report", "short.jsonl", "D.npy", "-o", "page.html", "--csv", "numbers")
        self.assertIn("the log is incomplete: the run was interrupted", self.page("page.html"))
        with open(self.path("numbers/convergence-error.csv")) as file:
            self.assertEqual(len(file.readlines()), 1 + 2)
        self.assertNotIn("usage.csv", self.numbers("numbers"))

    def test_a_resumed_run_counts_its_iterations_once(self):
        self.learn("--log", "run.jsonl", "--checkpoint", "c")
        self.inco("learn", "X.npy", "--atoms", 24, "--iterations", 5, "-o", "D.npy", "--log", "run.jsonl", "--resume", "c")
        with open(self.path("run.jsonl")) as file:
            lines = file.readlines()
        self.write("twice.jsonl", "".join(lines + lines[-4:]))  # repeats the last iterations
        for name in "run", "twice":
            self.inco("report", name + ".jsonl", "D.npy", "-o", "page.html", "--csv", "numbers")
            with open(self.path("numbers/convergence-error.csv")) as file:
                self.assertEqual([line.split(",")[0] for line in file.readlines()[1:]], ["1", "2", "3", "4", "5"])

    def test_refused(self):
        self.learn("--log", "run.jsonl")
        self.refused("report", "run.jsonl", "-o", "p.html", code=2, says="RUN.jsonl D.npy")
        self.refused("report", "run.jsonl", "D.npy", code=2, says="-o FILE")
        self.refused("report", "run.jsonl", "D.npy", "-o", "run.jsonl", code=2, says="is also an input")
        self.refused("report", "D.npy", "run.jsonl", "-o", "p.html", says="not a log of inco learn")
        self.refused("report", "no.jsonl", "D.npy", "-o", "p.html", says="no.jsonl")
        self.write("other.jsonl", '{"event": "iteration"}\n')
        self.refused("report", "other.jsonl", "D.npy", "-o", "p.html", says="no line describes a run")
        self.write("list.jsonl", '[1, 2]\n{"event": "start"}\n')
        self.refused("report", "list.jsonl", "D.npy", "-o", "p.html", says="line 1 is not a JSON object")
        self.save("E.npy", np.eye(16))
        self.refused("report", "run.jsonl", "E.npy", "-o", "p.html", says="they are not from the same run")

    def test_two_runs_make_no_report(self):
        self.learn("--log", "a.jsonl")
        os.rename(self.path("D.npy"), self.path("a.npy"))
        self.learn("--log", "b.jsonl", "--seed", "5")
        self.inco("report", "a.jsonl", "a.npy", "-o", "r.html")
        os.remove(self.path("r.html"))
        self.refused("report", "a.jsonl", "D.npy", "-o", "r.html", says="not from the same run")

    def test_strange_values_in_a_log(self):
        self.learn("--log", "run.jsonl")
        with open(self.path("run.jsonl")) as file:
            start, end = (json.loads(line) for line in (lambda l: (l[0], l[-1]))(file.readlines()))
        start["version"], start["options"]["patch"], end["usage"] = {"a": 1}, "8x<b>", [1, "x", None]
        strange = {"event": "iteration", "iteration": "one", "relative_error": None, "coherence": 3}
        self.write("strange.jsonl", "\n".join(json.dumps(line) for line in (start, strange, end)) + "\n\n")
        self.inco("report", "strange.jsonl", "D.npy", "-o", "page.html")
        self.assertIsNone(NOT_A_NUMBER.search(self.page("page.html")))


@unittest.skipIf(reads_json(), "this build reads JSON")
class WithoutJson(Case):
    def test_report_says_what_it_lacks(self):
        self.learn("--log", "run.jsonl", "--report", "page.html")
        self.refused("report", "run.jsonl", "D.npy", "-o", "p.html", says=["jansson", "libjansson-dev"])
