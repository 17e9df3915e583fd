"""inco compare."""
import json

import numpy as np

import tool

FIELDS = dict(tool.COMMON, **{
    "dim": int, "atoms_a": int, "atoms_b": int, "zero_atoms_a": int, "zero_atoms_b": int, "matched": int,
    "recovered": dict, "mean_similarity": float, "coherence_a.max": float, "coherence_b.rms": float,
    "most_similar.a.mean_similarity": float, "most_similar.a.collisions": int, "most_similar.b.recovered": dict,
    "pairs.a": list, "pairs.b": list, "pairs.similarity": list, "histogram": list})


def cosines(a, b):
    unit = [d.astype("f8") / np.linalg.norm(d.astype("f8"), axis=1, keepdims=True) for d in (a, b)]
    return unit[0] @ unit[1].T


class Compare(tool.Case):
    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def check(self, a, b):
        """The whole result against SciPy and NumPy."""
        from scipy.optimize import linear_sum_assignment
        similarity = cosines(a, b)
        sizes = np.abs(similarity)
        best = sizes[linear_sum_assignment(-sizes)]
        found = self.json("compare", self.save("A.npy", a), self.save("B.npy", b))
        self.assert_types(found, FIELDS)
        self.assertEqual((found["command"], found["dim"], found["atoms_a"], found["atoms_b"], found["matched"]),
                         ("compare", a.shape[1], len(a), len(b), min(len(a), len(b))))
        np.testing.assert_allclose(found["mean_similarity"], best.mean(), atol=2.0 ** -27)
        pairs = found["pairs"]
        self.assertEqual(len(set(pairs["a"])), len(best))
        self.assertEqual(len(set(pairs["b"])), len(best))
        np.testing.assert_allclose(pairs["similarity"], similarity[pairs["a"], pairs["b"]], atol=1e-12)
        matched = np.abs(pairs["similarity"])
        self.assertEqual(found["recovered"], {str(t): int((matched >= t).sum()) for t in (0.99, 0.95, 0.9)})
        self.assertEqual(found["histogram"], np.histogram(matched, 100, (0, 1))[0].tolist())
        for key, axis in ("a", 1), ("b", 0):
            side, nearest = found["most_similar"][key], sizes.max(axis)
            np.testing.assert_allclose(side["mean_similarity"], nearest.mean(), atol=1e-9)
            self.assertEqual(side["collisions"], len(nearest) - len(set(sizes.argmax(axis))))
            self.assertEqual(side["recovered"], {str(t): int((nearest >= t).sum()) for t in (0.99, 0.95, 0.9)})
        gram = np.abs(cosines(a, a))[np.triu_indices(len(a), 1)]
        np.testing.assert_allclose([found["coherence_a"]["max"], found["coherence_a"]["rms"]],
                                   [gram.max(), np.sqrt((gram ** 2).mean())], atol=1e-12)

    def test_against_scipy(self):
        try:
            import scipy.optimize  # noqa: F401
        except ImportError:
            self.skipTest("no SciPy")
        random = np.random.default_rng(1)
        a = random.standard_normal((300, 24)).astype("f4")
        self.check(a, random.standard_normal((300, 24)))       # unrelated
        self.check(a, random.standard_normal((420, 24)))
        self.check(a, random.standard_normal((120, 24)).astype("f4"))
        self.check(a, -3 * a[::-1] + 0.2 * random.standard_normal((300, 24)))

    def test_text_list_and_report(self):
        random = np.random.default_rng(2)
        a = random.standard_normal((40, 16))
        b = np.vstack([-2 * a[5:], random.standard_normal((9, 16)), np.zeros((1, 16))])
        self.save("A.npy", a)
        self.save("B.npy", b)
        done = self.inco("compare", "A.npy", "B.npy", "--pairs", "pairs.csv", "--report", "page.html", "--csv", "numbers",
                         "--patch", "4x4")
        text = done.stdout.decode()
        self.assertRegex(text, r"\AA.npy: 40 atoms of 16 dimensions, f64, coherence 0\.\d+, rms 0\.\d+\n")
        self.assertRegex(text, r"\nB.npy: 45 atoms .*, 1 of the atoms zero and ignored below\n")
        self.assertRegex(text, r"matched +40 pairs one to one, mean \|cosine\| 0\.9\d+\n +recovered +35 \(87.5 %\) at 0.99")
        table = np.genfromtxt(self.path("pairs.csv"), delimiter=",", names=True)
        np.testing.assert_array_equal(table["a"], np.arange(40))
        np.testing.assert_array_equal(table["b"][5:], np.arange(35))
        np.testing.assert_allclose(table["similarity"][5:], -1, atol=1e-12)
        np.testing.assert_array_equal(table["most_similar"][5:], np.arange(35))
        self.assertIn("wrote 2 CSV files to numbers\n", done.text)
        rows = self.read("numbers/matched.csv").split("\n")
        self.assertEqual(sum(float(row.split(",")[1]) for row in rows[1:-1]), 40)
        page = self.read("page.html")
        self.assertEqual(page.count("<div class=two>"), 20)
        self.inco("compare", "B.npy", "A.npy", "--pairs", "pairs.json")
        match = json.loads(self.read("pairs.json"))
        self.assertEqual((len(match["b"]), match["b"][44], match["b"][:35]), (45, None, list(range(5, 40))))

    def test_refused(self):
        self.save("A.npy", np.eye(6))
        self.save("B.npy", np.eye(5))
        self.refused("compare", "A.npy", "B.npy", code=1, says="the atoms of 'A.npy' have 6 dimensions, those of 'B.npy' 5")
        self.refused("compare", "A.npy", code=2, says="name two dictionaries to compare, not 1")
        self.refused("compare", "A.npy", "A.npy", "--patch", "2x3", code=2, says="--patch applies to the report")
        self.refused("compare", "A.npy", "A.npy", "--patch", "2x2",
                     "--report", "r.html", code=1, says="--patch 2x2 has 4 values, the atoms have 6")
        self.refused("compare", "A.npy", "A.npy", "--pairs", "A.npy", code=2, says="--pairs 'A.npy'")
