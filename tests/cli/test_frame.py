"""inco frame and inco decohere."""
import json
import re
import signal
import subprocess
import unittest

import numpy as np

import tool


def unit(atoms):
    return atoms / np.linalg.norm(atoms.astype(float), axis=1, keepdims=True)


def products(atoms):
    gram = unit(atoms) @ unit(atoms).T
    np.fill_diagonal(gram, 0)
    return gram


def coherence(atoms):
    return np.abs(products(atoms)).max()


class Frame(tool.Case):
    def test_an_equiangular_tight_frame(self):
        found = self.json("frame", "--dim", 6, "--atoms", 16, "-o", "F.npy")
        atoms = np.load(self.path("F.npy"))
        self.assertEqual((atoms.shape, atoms.dtype), ((16, 6), np.float64))
        gram = np.abs(products(atoms)) + np.eye(16) / 3
        self.assertLess(np.abs(gram - 1 / 3).max(), 1e-9)
        self.assertAlmostEqual(found["coherence"]["max"], coherence(atoms), delta=1e-14)
        self.assertAlmostEqual(found["coherence"]["welch"], 1 / 3, delta=1e-14)
        self.assertAlmostEqual(found["coherence"]["welch_ratio"], 1, delta=1e-9)
        self.assertEqual((found["command"], found["stopped_by"]), ("frame", "bound"))
        self.assertEqual(found["start"] + 1, found["starts"])

    def test_more_starts_never_hurt_and_f32_is_measured_as_written(self):
        one = self.json("frame", "--dim", 9, "--atoms", 24, "--starts", 1, "--precision", "f32", "-o", "A.npy")
        many = self.json("frame", "--dim", 9, "--atoms", 24, "--starts", 12, "--precision", "f32", "-o", "B.npy")
        self.assertLessEqual(many["coherence"]["max"], one["coherence"]["max"])
        self.assertEqual(np.load(self.path("B.npy")).dtype, np.float32)
        self.assertEqual(self.json("inspect", "B.npy")["coherence"]["max"], many["coherence"]["max"])
        self.inco("frame", "--dim", 9, "--atoms", 24, "--starts", 12, "--threads", 1, "--precision", "f32", "-o",
                  "C.npy", "-q")
        with open(self.path("B.npy"), "rb") as b, open(self.path("C.npy"), "rb") as c:
            self.assertEqual(b.read(), c.read())

    def test_a_tight_frame(self):
        found = self.json("frame", "--dim", 7, "--atoms", 17, "--tight", "--starts", 2, "-o", "T.npy")
        atoms = np.load(self.path("T.npy"))
        gap = np.abs(atoms.T @ atoms - 17 / 7 * np.eye(7)).max()
        self.assertLess(gap, 1e-10)
        self.assertAlmostEqual(found["tightness"], gap, delta=1e-14)
        self.assertLess(found["coherence"]["max"], 1.25 * found["coherence"]["welch"])

    def test_a_budget_in_seconds(self):
        found = self.json("frame", "--dim", 40, "--atoms", 120, "--starts", 100000, "--stop-seconds", 1, "-o", "F.npy")
        self.assertEqual(found["stopped_by"], "seconds")
        self.assertLess(found["starts"], 100000)
        self.assertAlmostEqual(found["coherence"]["max"], coherence(np.load(self.path("F.npy"))), delta=1e-12)

    def test_an_interrupt_saves_the_best_so_far(self):
        process = subprocess.Popen([tool.INCO, "frame", "--dim", "30", "--atoms", "90", "--starts", "100000", "-o",
                                    "F.npy"], cwd=self.home, env=tool.environment(), stderr=subprocess.PIPE, text=True)
        self.assertIn("90 atoms", process.stderr.readline())  # signals are held from now on
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=tool.PATIENCE)[1]
        self.assertEqual(process.returncode, 130, text)
        self.assertIn("saved", text)
        atoms = np.load(self.path("F.npy"))
        self.assertEqual(atoms.shape, (90, 30))
        said = re.search(r"coherence +max ([0-9.]+)|coherence +([0-9.]+)", text)
        self.assertAlmostEqual(float(said.group(1) or said.group(2)), coherence(atoms), delta=1e-4, msg=text)

    @tool.needs("npz")
    def test_what_made_it_is_kept(self):
        self.inco("frame", "--dim", 4, "--atoms", 6, "--seed", 3, "-o", "F.npz")
        with np.load(self.path("F.npz")) as file:
            meta = json.loads(bytes(file["meta"]).decode() if file["meta"].dtype == np.uint8 else str(file["meta"]))
        self.assertEqual((meta["command"], meta["options"]["seed"], meta["options"]["dim"]), ("frame", 3, 4))


class Decohere(tool.Case):
    def dictionary(self, atoms=40, dim=12, name="D.npy", dtype=float):
        rng = np.random.default_rng(5)
        made = rng.standard_normal((atoms, dim)).astype(dtype)
        return self.save(name, made), made

    def test_the_bound_holds_for_what_is_written(self):
        for dtype in (np.float32, np.float64):
            name, old = self.dictionary(dtype=dtype)
            for bound in (0.7, 0.5, 0.4):
                found = self.json("decohere", name, "--max-coherence", bound, "-o", "E.npy")
                new = np.load(self.path("E.npy"))
                self.assertEqual(new.dtype, dtype)
                self.assertLessEqual(self.json("inspect", "E.npy")["coherence"]["max"], bound)
                self.assertEqual(self.json("inspect", "E.npy")["coherence"]["max"], found["coherence"]["max"])
                self.assertAlmostEqual(found["coherence"]["before"], coherence(old), delta=1e-6)
                np.testing.assert_allclose(np.linalg.norm(new, axis=1), np.linalg.norm(old, axis=1), rtol=1e-6)
                self.assertAlmostEqual(found["change"], np.linalg.norm(new - old) / np.linalg.norm(old), delta=1e-6)
                self.assertEqual((found["command"], found["reached"]), ("decohere", True))

    def test_it_is_the_nearest(self):
        """Only pairs at the bound have multipliers, of the right sign (KKT)."""
        name, old = self.dictionary(atoms=14, dim=6)
        bound = 0.45
        self.inco("decohere", name, "--max-coherence", bound, "-o", "E.npy", "-q")
        weight, t, d = np.linalg.norm(old, axis=1) ** 2, unit(old), unit(np.load(self.path("E.npy")))
        gram = products(d)
        pairs = [(i, j) for i in range(14) for j in range(i) if abs(gram[i, j]) > bound - 1e-3]
        self.assertGreater(len(pairs), 10)
        normals = np.zeros((len(pairs), 14, 6))
        for k, (i, j) in enumerate(pairs):
            sign = np.sign(gram[i, j])
            normals[k, i] = sign * (d[j] - gram[i, j] * d[i])
            normals[k, j] = sign * (d[i] - gram[i, j] * d[j])
        pull = 2 * weight[:, None] * (t - (d * t).sum(1, keepdims=True) * d)  # minus the gradient on the spheres
        multipliers = np.linalg.lstsq(normals.reshape(len(pairs), -1).T, pull.ravel(), rcond=None)[0]
        rest = pull - np.tensordot(multipliers, normals, 1)
        self.assertLess(np.linalg.norm(rest), 2e-3 * np.linalg.norm(pull))
        self.assertGreater(multipliers.min(), -1e-2 * multipliers.max())

    def test_a_dictionary_that_keeps_the_bound_is_written_as_it_is(self):
        name, old = self.dictionary(dtype=np.float32)
        found = self.json("decohere", name, "--max-coherence", 0.99, "-o", "E.npy")
        np.testing.assert_array_equal(np.load(self.path("E.npy")), old)
        self.assertEqual((found["moved"], found["change"]), (0, 0))

    def test_equal_opposite_and_zero_atoms(self):
        _, old = self.dictionary()
        old[1], old[3], old[5] = old[0], -2 * old[2], 0
        found = self.json("decohere", self.save("D.npy", old), "--max-coherence", 0.5, "-o", "E.npy")
        new = np.load(self.path("E.npy"))
        self.assertEqual(found["zero_atoms"], 1)
        self.assertFalse(new[5].any())
        self.assertLessEqual(coherence(np.delete(new, 5, 0)), 0.5)

    @tool.needs("npz")
    def test_data_weighs(self):
        rng = np.random.default_rng(6)
        name, old = self.dictionary(atoms=30)
        signals = self.save("X.npy", rng.standard_normal((500, 4)) @ rng.standard_normal((4, 12)))
        words = ["--max-coherence", 0.5, "--data", signals, "--coder", "omp", "--sparsity", 3]
        found = self.json("decohere", name, *words, "-o", "E.npy")
        self.inco("decohere", name, "--max-coherence", 0.5, "-o", "F.npy", "-q")
        self.assertEqual(found["signals"], 500)
        self.assertAlmostEqual(found["mean_cardinality"], 3, delta=0.01)
        self.assertLessEqual(self.json("inspect", "E.npy")["coherence"]["max"], 0.5)
        errors = [self.json("encode", "-D", d, signals, "-o", "C.mat" if "mat" in tool.features() else "C.npz", "--coder",
                            "omp", "--sparsity", 3)["relative_error"] for d in ("E.npy", "F.npy")]
        self.assertLess(errors[0], errors[1])

    def test_a_bound_that_is_missed(self):
        """The Welch bound is .281, but no 20 atoms in 8 dimensions are known below .315."""
        name, _ = self.dictionary(atoms=20, dim=8)
        done = self.inco("decohere", name, "--max-coherence", 0.29, "-o", "E.npy", code=3)
        reached = coherence(np.load(self.path("E.npy")))
        self.assertIn("%.6f" % reached, done.text)
        self.assertTrue(0.29 < reached < 0.34)

    def test_refused(self):
        name, old = self.dictionary()
        self.refused("decohere", name, "--max-coherence", 0.2, "-o", "E.npy", code=2, says=["0.244600", "Welch"])
        self.refused("decohere", name, "--max-coherence", 0.5, "--sparsity", 3, "-o", "E.npy", code=2, says="--sparsity needs data")
        self.refused("decohere", name, "--max-coherence", 0.5, "-o", name, code=2, says=name)
        old[3, 2] = np.nan
        self.refused("decohere", self.save("N.npy", old), "--max-coherence", 0.5, "-o", "E.npy", says="NaN")
        signals = self.save("X.npy", np.ones((20, 5)))
        self.refused("decohere", name, "--max-coherence", 0.5, "--data", signals, "-o", "E.npy", says=["12", "5"])


if __name__ == "__main__":
    unittest.main()
