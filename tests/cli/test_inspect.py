"""inco inspect."""
import json
import os
import subprocess

import numpy as np

import tool

FIELDS = dict(tool.COMMON, **{
    "dim": int, "atoms": int, "coherence.max": float, "coherence.rms": float, "coherence.mean": float,
    "coherence.median": float, "coherence.welch": float, "coherence.welch_ratio": None, "erc_sparsity": int,
    "rank": int, "babel": list, "singular_values": list, "flat_singular_value": float, "frame_bounds.lower": float,
    "frame_bounds.upper": float, "norms.min": float, "norms.max": float, "duplicates": int, "zero_atoms": int})


def unit(atoms):
    atoms = atoms.astype("f8")
    return atoms / np.linalg.norm(atoms, axis=1, keepdims=True)


def products(atoms):
    gram = np.abs(unit(atoms) @ unit(atoms).T)
    np.fill_diagonal(gram, 0)
    return gram


class Inspect(tool.Case):
    def test_json_agrees_with_numpy(self):
        for dtype in "f4", "f8":
            atoms = (3 * np.random.default_rng(2).standard_normal((40, 12))).astype(dtype)
            found = self.json("inspect", self.save("D.npy", atoms))
            self.assert_types(found, FIELDS)
            gram = products(atoms)
            pairs = gram[np.triu_indices(40, 1)]
            welch = np.sqrt((40 - 12) / (12 * 39))
            values = np.linalg.svd(unit(atoms), compute_uv=False)
            babel = np.cumsum(np.sort(gram, axis=1)[:, ::-1], axis=1).max(axis=0)
            norms = np.linalg.norm(atoms.astype("f8"), axis=1)
            close = lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13)
            self.assertEqual((found["command"], found["dim"], found["atoms"]), ("inspect", 12, 40))
            close(found["coherence"]["max"], pairs.max())
            close(found["coherence"]["rms"], np.sqrt(np.mean(pairs**2)))
            close(found["coherence"]["mean"], pairs.mean())
            close(found["coherence"]["welch"], welch)
            close(found["coherence"]["welch_ratio"], pairs.max() / welch)
            np.testing.assert_allclose(found["coherence"]["median"], np.median(pairs), atol=1e-3)
            close(found["singular_values"], values)
            close(found["flat_singular_value"], np.sqrt(40 / 12))
            close([found["frame_bounds"]["lower"], found["frame_bounds"]["upper"]], values[[-1, 0]]**2)
            close(found["babel"], babel[:len(found["babel"])])
            self.assertEqual(len(found["babel"]), 39)
            close([found["norms"]["min"], found["norms"]["max"]], [norms.min(), norms.max()])
            self.assertEqual(found["erc_sparsity"], int(np.ceil((1 + 1 / pairs.max()) / 2)) - 1)
            self.assertEqual((found["duplicates"], found["zero_atoms"]), (0, 0))

    def test_babel_has_at_most_64_entries(self):
        atoms = np.random.default_rng(3).standard_normal((100, 10))
        self.assertEqual(len(self.json("inspect", self.save("D.npy", atoms))["babel"]), 64)

    def test_zero_and_duplicate_atoms(self):
        atoms = np.random.default_rng(4).standard_normal((20, 8))
        atoms[3] = 0
        atoms[11] = -2 * atoms[5]
        self.save("D.npy", atoms)
        found = self.json("inspect", "D.npy")
        self.assertEqual((found["duplicates"], found["zero_atoms"], found["norms"]["min"]), (1, 1, 0))
        self.assertAlmostEqual(found["coherence"]["max"], 1, 12)
        pair = found["pairs"][0]
        self.assertEqual(sorted((pair["first"], pair["second"])), [5, 11])
        self.assertAlmostEqual(pair["similarity"], -1, 12)
        text = self.inco("inspect", "D.npy").stdout.decode()
        self.assertRegex(text, r"\AD.npy: 20 atoms of 8 dimensions, f64, 1 of the atoms zero")
        self.assertRegex(text, r"near duplicates +1 pair at 0.99 or above")
        self.assertRegex(text, r"\n +5 +11 +-1.0000\n")

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_neighbours_and_pairs(self):
        """The lists in both formats, and the quantiles, agree with NumPy."""
        random = np.random.default_rng(14)
        atoms = random.standard_normal((300, 16)).astype("f4")
        atoms[3], atoms[11] = 0, -2 * atoms[5]
        self.save("D.npy", atoms)
        rest = np.arange(300) != 3
        with np.errstate(invalid="ignore"):
            gram = np.nan_to_num(products(atoms))
        words = "inspect", "D.npy", "--duplicates", "0.7"
        found = self.json(*words, "--neighbours", "n.csv", "--pairs", "p.csv")
        levels = [float(level) for level in found["nearest"]["quantiles"]]
        np.testing.assert_allclose(list(found["nearest"]["quantiles"].values()),
                                   np.quantile(gram.max(axis=0)[rest], levels), atol=1e-12)
        self.assertEqual(sum(found["nearest"]["histogram"]), 299)
        lines = self.read("n.csv").split("\n")
        self.assertEqual((lines[0], lines[4], len(lines)), ("atom,nearest,similarity", "3,,", 302))
        table = np.array([line.split(",") for line in lines[1:-1] if line != "3,,"], "f8")
        np.testing.assert_array_equal(table[:, 0], np.arange(300)[rest])
        np.testing.assert_array_equal(table[:, 1], gram.argmax(axis=0)[rest])
        np.testing.assert_allclose(np.abs(table[:, 2]), gram.max(axis=0)[rest], atol=1e-12)
        pairs = np.loadtxt(self.path("p.csv"), delimiter=",", skiprows=1)
        self.assertEqual(len(pairs), found["duplicates"])
        self.assertEqual({(int(a), int(b)) for a, b, _ in pairs}, set(zip(*np.nonzero(np.triu(gram >= 0.7)))))
        self.assertTrue((np.diff(np.abs(pairs[:, 2])) <= 0).all())
        self.inco(*words, "--neighbours", "n.json", "--pairs", "p.json")
        again = json.loads(self.read("n.json"))
        self.assertIsNone(again["nearest"][3])
        self.assertEqual([a for a in again["nearest"] if a is not None], table[:, 1].tolist())
        again = json.loads(self.read("p.json"))
        self.assertEqual(list(zip(again["first"], again["second"], again["similarity"])),
                         [(int(a), int(b), c) for a, b, c in pairs])
        text = self.inco("inspect", "D.npy", "--pairs", "-").stdout.decode()
        self.assertRegex(text, r"\Afirst,second,similarity\n5,11,-(1|0.9{10}\d*)\n\Z")

    def test_orthogonal_atoms(self):
        found = self.json("inspect", self.save("D.npy", np.eye(6)))
        self.assertEqual(found["coherence"]["max"], 0)
        self.assertEqual(found["coherence"]["welch"], 0)
        self.assertIsNone(found["coherence"]["welch_ratio"])
        self.assertIn("orthogonal", self.inco("inspect", "D.npy").stdout.decode())

    def test_doubtful_orientation(self):
        wide = np.random.default_rng(5).standard_normal((6, 10))
        done = self.inco("inspect", self.save("D.npy", wide))
        self.assertIn("read as 6 atoms of 10 dimensions, one per row", done.text)
        self.assertIn("--columns", done.text)
        done = self.inco("inspect", "D.npy", "--columns")
        self.assertNotIn("read as", done.text)
        self.assertIn("10 atoms of 6 dimensions", done.stdout.decode())
        self.save("E.npy", wide.T)
        same = self.json("inspect", "E.npy")
        for name in "coherence", "babel", "singular_values":
            self.assertEqual(same[name], self.json("inspect", "D.npy", "--columns")[name])
        if "mat" in tool.features():  # atoms are always columns
            self.inco("decohere", "D.npy", "--max-coherence", "1", "-o", "D.mat")
            done = self.inco("inspect", "D.mat")
            self.assertIn("read as 6 atoms of 10 dimensions, one per column, as in all .mat files", done.text)
            self.assertNotIn("--columns", done.text)

    def test_table_and_quiet(self):
        self.save("D.npy", np.random.default_rng(6).standard_normal((30, 10)))
        done = self.inco("inspect", "D.npy")
        for word in "coherence", "Welch bound", "Babel", "singular values", "frame bounds", "norms", "pairs by":
            self.assertIn(word, done.stdout.decode())
        self.assertRegex(done.text, r"\Ainco \d+\.\d+\.\d+: [\d.]+ s, \d+ MB peak\n\Z")
        self.assertEqual(self.inco("inspect", "D.npy", "-q").text, "")

    def test_other_formats(self):
        atoms = np.arange(12.0).reshape(6, 2) + 1
        np.savetxt(self.path("D.csv"), atoms, delimiter=",")
        self.save("D.npy", atoms)
        for name in ["D.csv"] + (["D.npz"] if "npz" in tool.features() else []):
            if name == "D.npz":
                np.savez(self.path(name), components=atoms)
            found, same = self.json("inspect", name), self.json("inspect", "D.npy")
            self.assertEqual(found["coherence"], same["coherence"])

    def test_names_are_escaped(self):
        name = b'a"\\\t\x01\xc3\xa9\xff.npy'
        os.rename(self.path(self.save("D.npy", np.eye(3))), os.path.join(os.fsencode(self.home), name))
        found = json.loads(subprocess.run([tool.INCO, "inspect", name, "--json", "-q"], cwd=self.home,
                                          stdout=subprocess.PIPE, check=True).stdout)
        self.assertEqual(found["file"], 'a"\\\t\x01\u00e9\ufffd.npy')

    @tool.needs("npz")
    def test_variable(self):
        np.savez(self.path("W.npz"), encoder=np.eye(4), decoder=np.ones((5, 4)))
        self.assertEqual(self.json("inspect", "W.npz", "--variable", "decoder")["atoms"], 5)
        self.refused("inspect", "W.npz", "--variable", "bias", says="bias")
