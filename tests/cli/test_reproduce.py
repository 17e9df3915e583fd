"""inco reproduce: the whole experiment on a small synthetic corpus."""
import csv
import json
import os
import signal
import subprocess
import time
import unittest

import numpy as np

import tool

SMALL = ["--quick", "--signals", 260, "--iterations", 2]
RUNS = ["ksvd-1", "ksvd-0.5", "ksvd-0.2", "mod", "idl-rescale-0", "idl-rescale-5", "idl-rescale-50", "idl-rescale-500",
        "idl-sphere-0", "idl-sphere-5", "idl-sphere-50", "idl-sphere-500", "bound-0.5", "bound-0.3", "inksvd-0.5",
        "inksvd-0.3", "inksvd-0.2", "inksvd-0.1"]


def speak(path, seed):
    """A fifth of a second of a synthetic voice: harmonics of a gliding pitch, two formants, noise, and a pause."""
    random = np.random.default_rng(seed)
    t = np.arange(1600) / 8000
    phase = 2 * np.pi * np.cumsum(110 + 40 * random.random() + 30 * np.sin(9 * t + 6 * random.random())) / 8000
    formants = random.uniform([300, 1000], [900, 2600])
    sound = sum(np.exp(-np.abs(125 * k - formants).min() / 250) * np.sin(k * phase + k) for k in range(1, 25))
    sound *= np.where(t < 0.14, 1, 0.1)
    sound += 0.05 * random.standard_normal(len(t))
    tool.write_wav(path, [int(v) for v in 8000 * sound / np.abs(sound).max()])


class Case(tool.Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("voice"))

    def record(self, count):
        for i in range(count):
            speak(self.path("voice/%03d.wav" % i), i)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def files(self, folder):
        """All files of a folder: bytes and modification times."""
        found = {}
        for home, _, names in os.walk(self.path(folder)):
            for name in names:
                path = os.path.join(home, name)
                found[os.path.relpath(path, self.path(folder))] = (self.bytes(path), os.stat(path).st_mtime_ns)
        return found


@tool.needs("audio", "json")
class Experiment(Case):
    def check_claims(self, name):
        with open(self.path(name)) as file:
            found = json.load(file)
        self.assertEqual(found["schema"], 1)
        self.assertEqual([c["id"] for c in found["claims"]], ["C%d" % i for i in range(1, 14)])
        for claim in found["claims"]:
            self.assertEqual(sorted(claim), ["claim", "id", "measured", "verdict"])
            self.assertIn(claim["verdict"], ("holds", "partly", "fails"))
            self.assertTrue(claim["claim"] and claim["measured"])
            self.assertNotIn("nan", claim["measured"])
            self.assertNotIn("inf", claim["measured"])
        return found["claims"]

    def check_figures(self, folder, name):
        """Compares the results of a run with its dictionary, by NumPy."""
        with open(self.path("%s/%s.csv" % (folder, name))) as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["name", "at", "value"])
        found = {}
        for what, at, value in rows[1:]:
            found.setdefault(what, {})[float(at)] = float(value)
        atoms = self.load("%s/%s.npy" % (folder, name)).astype("f8")
        atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
        singular = np.linalg.svd(atoms, compute_uv=False)
        np.testing.assert_allclose(list(found["singular"].values()), singular, atol=1e-6)
        gram = np.abs(atoms @ atoms.T)[np.triu_indices(len(atoms), 1)]
        self.assertAlmostEqual(found["coherence_max"][0], gram.max(), 6)
        self.assertAlmostEqual(found["deviation"][0], np.sqrt(np.mean((singular / np.sqrt(200 / 160) - 1) ** 2)), 6)
        self.assertAlmostEqual(sum(found["histogram"].values()), 1, 9)
        self.assertEqual(max(found["residual"]), 120)
        if gram.max() < 0.999:  # else two atoms may be interchangeable
            self.assertEqual(found["recovered_atoms"][1], 1)
        self.assertGreater(found["recovered_atoms"][1], found["recovered_atoms"][60])
        self.assertEqual(len(found["iteration_error"]), 2)
        return found

    def check_parts(self, folder, name, found):
        """Residuals of recordings, speech and pauses, from codes by inco encode."""
        windows, k = self.load("%s/test.npy" % folder).astype("f8"), 10
        if name == "ksvd-1":
            self.save("test64.npy", windows)
            self.inco("encode", "-D", "%s/%s.npy" % (folder, name), "test64.npy", "-o", "C.npz", "--coder", "omp",
                      "--sparsity", k)
            self.inco("decode", "-D", "%s/%s.npy" % (folder, name), "C.npz", "-o", "Y.npy")
            energy, rest = (windows ** 2).sum(1), ((windows - self.load("Y.npy")) ** 2).sum(1)
            pause = energy < 0.1 * np.repeat(energy.reshape(20, 10).mean(1), 10)
            self.assertEqual(found["test_pauses"][0], pause.sum())
            self.assertTrue(0 < pause.sum() < 200)
            whole = np.sqrt(rest.reshape(20, 10).sum(1) / energy.reshape(20, 10).sum(1))
            share = np.sqrt(rest / energy)
            for part, want in (("recording", whole), ("speech", share[~pause]), ("pause", share[pause]), ("", share)):
                list_name = part + "_residual" if part else "residual"
                self.assertAlmostEqual(found[list_name][k], np.median(want), 6)
        for part in "recording", "speech", "pause":
            self.assertEqual(sorted(found[part + "_residual"]), sorted(found["residual"]))

    def test_all_of_it(self):
        self.record(26)
        done = self.inco("reproduce", "sigg2012", "--data", "voice", "-o", "out", *SMALL)
        claims = self.check_claims("out/claims.json")
        printed = done.stdout.decode()
        for claim in claims:
            self.assertRegex(printed, r"(?m)^%-4s %-6s " % (claim["id"], claim["verdict"]))
        self.assertIn("run 18/18 inksvd-0.1, seed 0", done.text)

        made = sorted(name for name in os.listdir(self.path("out/seed-0")) if name not in ("train.npy", "test.npy", "test.txt"))
        self.assertEqual(made, sorted(run + end for run in RUNS for end in (".npy", ".jsonl", ".csv")))
        kept = [line.split() for line in self.bytes("out/seed-0/test.txt").decode().splitlines()]
        self.assertEqual(len({name for name, _ in kept}), 20)
        self.assertEqual([int(windows) for _, windows in kept], 20 * [10])
        self.assertEqual(self.load("out/seed-0/train.npy").shape, (260, 160))
        self.assertEqual(self.load("out/seed-0/test.npy").shape, (20 * 10, 160))
        for name in RUNS:
            self.check_parts("out/seed-0", name, self.check_figures("out/seed-0", name))
        self.assertIn("\nmedian test residual with 10 and 40 atoms, over\n", printed)
        self.assertEqual(claims[0]["verdict"], "holds")  # a theorem
        self.assertEqual(claims[10]["verdict"], "holds")

        text = self.bytes("out/index.html").decode()
        for word in ["C13", "Where this measurement contradicts the paper", "spectrum-ksvd", "residual-inksvd",
                     "histogram-idl-rescale", "recovered-supports-idl-sphere"]:
            self.assertTrue(word in text, word)
        numbers = os.listdir(self.path("out/csv"))
        for word in "claims", "runs", "paired", "parts", "cost", "spectrum-bound", "residual-ratio", "recordings-ksvd":
            self.assertIn(word + ".csv", numbers)

        self.again()
        self.by_hand()
        self.one_more_seed()

    def again(self):
        """Existing results are reused, with the same output."""
        before = self.files("out")
        found = self.json("reproduce", "sigg2012", "--data", "voice", "-o", "out/", "--threads", 1, *SMALL)
        self.assertEqual((found["made"], found["runs"], len(found["claims"])), (0, 18, 13))
        self.assertEqual(([r["run"] for r in found["residuals"]], found["pause_energy"]), (RUNS, 0.1))
        for run in found["residuals"]:
            rows = {tuple(row[:2]): float(row[2]) for row in csv.reader(open(self.path("out/seed-0/%s.csv" % run["run"])))
                    if row[0] != "name"}
            for part, name in ("windows", "residual"), ("recordings", "recording_residual"), ("pauses", "pause_residual"):
                self.assertEqual(run[part], [rows[name, "%g" % k] for k in run["cardinalities"]])
        after = self.files("out")
        self.assertEqual(sorted(before), sorted(after))
        for name in before:
            if name.startswith("seed-0"):
                self.assertEqual(before[name], after[name], name)
            elif name != "index.html":  # it contains the command
                self.assertEqual(before[name][0], after[name][0], name)

        os.remove(self.path("out/seed-0/ksvd-0.5.csv"))  # measured again without learning
        found = self.json("reproduce", "sigg2012", "--data", "voice", "-o", "out", *SMALL)
        self.assertEqual(found["made"], 1)
        after = self.files("out")
        self.assertEqual(before["seed-0/ksvd-0.5.npy"], after["seed-0/ksvd-0.5.npy"])
        self.assertEqual(before["seed-0/ksvd-0.5.csv"][0], after["seed-0/ksvd-0.5.csv"][0])

        self.write("out/seed-0/mod.csv", "name,at,value\nresidual,1\n")
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "out", *SMALL, says=["mod.csv", "delete it"])
        self.write("out/seed-0/mod.csv", before["seed-0/mod.csv"][0])

    def by_hand(self):
        """The log of a run has its command; INK-SVD at 1 is K-SVD at 1."""
        with open(self.path("out/seed-0/idl-rescale-5.jsonl")) as file:
            words = json.loads(file.readline())["command_line"][1:]
        for option, name in ("-o", "hand.npy"), ("--log", "hand.jsonl"), ("--checkpoint", "hand.state"):
            words[words.index(option) + 1] = name
        self.inco(*words)
        self.assertEqual(self.bytes("hand.npy"), self.bytes("out/seed-0/idl-rescale-5.npy"))
        self.inco("learn", "out/seed-0/train.npy", "--method", "inksvd", "--max-coherence", 1, "--atoms", 200,
                  "--iterations", 2, "--coder", "larc", "--residual-coherence", 0.2, "-o", "one.npy")
        self.assertEqual(self.bytes("one.npy"), self.bytes("out/seed-0/ksvd-1.npy"))

    def one_more_seed(self):
        """Two runs of a second seed; the others are in its folder already, with the results of the first."""
        before = self.files("out/seed-0")
        os.mkdir(self.path("out/seed-1"))
        for run in RUNS[2:]:
            for end in ".npy", ".jsonl", ".csv":
                self.write("out/seed-1/" + run + end, before[run + end][0])
        found = self.json("reproduce", "sigg2012", "--data", "voice", "-o", "out", "--seeds", 2, *SMALL)
        self.assertEqual((found["made"], found["runs"]), (2, 36))
        for run in RUNS:
            self.assertEqual(self.bytes("out/seed-1/%s.npy" % run) == before[run + ".npy"][0], run in RUNS[2:])
        self.assertEqual(self.files("out/seed-0"), before)
        self.check_claims("out/claims.json")
        self.assertNotEqual(self.bytes("out/seed-1/test.txt"), self.bytes("out/seed-0/test.txt"))
        self.assertTrue("Medians over the seeds" in self.bytes("out/index.html").decode())

    def test_stopped_and_gone_on(self):
        """Interrupted in the middle of a run, and killed: the same bytes at the end."""
        self.record(22)
        words = ["reproduce", "sigg2012", "--data", "voice", "--quick", "--signals", 400, "--iterations", 12, "--atoms", 200]
        done = self.stop(words + ["-o", "out"], signal.SIGINT)
        self.assertEqual(done[0], 130, done[1])
        self.assertIn("the same command continues from here", done[1])
        self.assertEqual(self.stop(words + ["-o", "out"], signal.SIGKILL)[0], -signal.SIGKILL)
        finished = [name[:-4] for name in os.listdir(self.path("out/seed-0")) if name.endswith(".csv")]
        self.assertLess(len(finished), 18)
        self.finish_runs(words, 2)
        os.mkdir(self.path("-other"))  # looks like an option
        self.finish_runs(words, 2, "-other/out")
        for name in "ksvd-1", "ksvd-0.5":
            self.assertEqual(self.bytes("out/seed-0/%s.npy" % name), self.bytes("-other/out/seed-0/%s.npy" % name))

    def stop(self, words, number):
        """Starts the experiment, waits for a new checkpoint, and sends a signal."""
        with open(self.path("err.txt"), "w+") as err:
            run = subprocess.Popen([tool.INCO] + [str(w) for w in words], cwd=self.home, env=tool.environment(), stderr=err)
            self.wait(run, lambda: any(n.endswith(".state") for n in self.listing_of("out/seed-0")))
            run.send_signal(number)
            code = run.wait(timeout=tool.PATIENCE)
            err.seek(0)
            return code, err.read()

    def finish_runs(self, words, count, out="out"):
        """Continues until some runs are complete, then stops."""
        run = subprocess.Popen([tool.INCO] + [str(w) for w in words] + ["-o", out, "--quiet"], cwd=self.home,
                               env=tool.environment())
        self.wait(run, lambda: sum(n.endswith(".csv") for n in self.listing_of(out + "/seed-0")) >= count)
        run.send_signal(signal.SIGKILL)
        run.wait(timeout=tool.PATIENCE)

    def listing_of(self, folder):
        return os.listdir(self.path(folder)) if os.path.isdir(self.path(folder)) else []

    def wait(self, run, condition):
        end = time.monotonic() + tool.PATIENCE
        while not condition():
            self.assertIsNone(run.poll(), "it ended early")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.005)

    def test_refusals(self):
        self.refused("reproduce", "--data", "voice", "-o", "out", code=2, says="inco reproduce sigg2012")
        self.refused("reproduce", "sigg2013", "--data", "voice", "-o", "out", code=2, says="inco reproduce sigg2012")
        self.refused("reproduce", "sigg2012", "-o", "out", code=2, says="--data DIR")
        self.refused("reproduce", "sigg2012", "--data", "voice", code=2, says="-o DIR")
        self.refused("reproduce", "sigg2012", "--data", "nowhere", "-o", "out", says="'nowhere' is not a folder")
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "out", says=["voice", "not a folder of recordings"])
        self.save("voice/x.npy", np.eye(3))
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "out", says=["x.npy", "not a folder of recordings"])
        os.remove(self.path("voice/x.npy"))
        self.record(20)
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "out", says="20 recordings")
        self.record(21)
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "voice", code=2, says="is also an input")
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "no/where", says="cannot create the folder")
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "voice/000.wav", says="is not a folder")
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "out", "--atoms", 160, code=2, says="dimension of the signals, 160")
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "out", "--iterations", 1, code=2, says="--iterations")
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "out", "--signals", 100, "--atoms", 200, code=2,
                     says="less than the 200 atoms")
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "out", "--columns", code=2, says="--columns")
        os.mkdir(self.path("other"))
        self.write("other/experiment.txt", "inco %s reproduce sigg2012\nrecordings 7 (0)\n" % self.version())
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "other", code=2,
                     says=["another experiment", '"recordings 7 (0)"', '"recordings 21 ('])

    def version(self):
        return subprocess.run([tool.INCO, "--version"], capture_output=True, text=True).stdout.split()[1]

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_a_folder_that_cannot_be_written(self):
        self.record(21)
        os.mkdir(self.path("out"), 0o555)
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "out", says="is not a folder in which files can be created")


@unittest.skipIf({"audio", "json"} <= set(tool.features()), "this build has what it takes")
class Without(Case):
    def test_says_what_it_lacks(self):
        self.refused("reproduce", "sigg2012", "--data", "voice", "-o", "out", says="this build lacks")
