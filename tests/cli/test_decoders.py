"""The commands of docs/decoders.md, on made-up decoders with planted duplicates."""
import json
import os
import re

import numpy as np

import tool

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "decoders.md")
FEATURES, DIM = 1024, 64


def blocks(language):
    with open(PAGE, encoding="utf-8") as file:
        return re.findall(r"^```%s\n(.*?)^```" % language, file.read(), re.S | re.M)


def write_tensors(path, arrays):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in arrays.items():
        header[name] = {"dtype": "F16", "shape": array.shape, "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)


def read_tensor(path, name):
    with open(path, "rb") as file:
        data = file.read()
    start = 8 + int.from_bytes(data[:8], "little")
    entry = json.loads(data[8:start])[name]
    values = np.frombuffer(data[start:][slice(*entry["data_offsets"])], {"F16": "<f2", "F32": "<f4"}[entry["dtype"]])
    return values.reshape(entry["shape"])


def unit(atoms):
    return atoms / np.linalg.norm(atoms, axis=1, keepdims=True)


@tool.needs("json")
class Decoders(tool.Case):
    def setUp(self):
        """Features 0 and 1, and 400 and 500, are near duplicates, feature 7 is zero; the second seed has the same
        features in another order with other signs, but for a hundred."""
        super().setUp()
        random = np.random.default_rng(0)
        first = unit(random.standard_normal((FEATURES, DIM)))
        first[1] = first[0] + 0.02 * random.standard_normal(DIM)
        first[500] = -first[400] + 0.03 * random.standard_normal(DIM)
        self.order = random.permutation(FEATURES)
        second = first[self.order] * random.choice([-1, 1], (FEATURES, 1))
        second += 0.002 * random.standard_normal((FEATURES, DIM))
        self.lost = np.arange(300, 400)
        second[self.lost] = random.standard_normal((100, DIM)) / 8
        first[7] = 0
        for name, atoms in ("seed0", first), ("seed1", second):
            write_tensors(self.path(name + ".safetensors"), {
                "W_enc": atoms.T.astype("<f2", order="C"), "W_dec": atoms.astype("<f2"),
                "b_enc": np.zeros(FEATURES, "<f2"), "b_dec": np.zeros(DIM, "<f2")})
        self.first = read_tensor(self.path("seed0.safetensors"), "W_dec").astype("f8")

    def run_page(self):
        """All commands of the page, each in the shell."""
        for line in "".join(blocks("sh")).splitlines():
            done = tool.shell(line, self.home)
            self.assertEqual(done.returncode, 0, line + "\n" + done.stderr.decode())

    def rows(self, name):
        return np.genfromtxt(self.path(name), delimiter=",", names=True)

    def test_the_page(self):
        self.run_page()
        self.check_inspection()
        self.check_comparison()
        self.check_decohered()

    def check_inspection(self):
        pairs = self.rows("pairs.csv")
        self.assertEqual(sorted(zip(pairs["first"], pairs["second"])), [(0, 1), (400, 500)])
        self.assertTrue(pairs["similarity"][pairs["first"] == 400] < -0.9)
        neighbours = self.rows("neighbours.csv")
        self.assertEqual([int(neighbours["nearest"][k]) for k in (0, 1, 400, 500)], [1, 0, 500, 400])
        self.assertTrue(np.isnan(neighbours["nearest"][7]))
        with open(self.path("inspect.json"), encoding="utf-8") as file:
            found = json.load(file)
        self.assertEqual((found["zero_atoms"], found["duplicates"], found["atoms"]), (1, 0, FEATURES))
        self.assertLess(found["nearest"]["quantiles"]["0.95"], 0.6)
        self.assertGreater(found["nearest"]["quantiles"]["1"], 0.9)
        for page in "inspect.html", "compare.html":
            self.assertGreater(os.path.getsize(self.path(page)), 10000)

    def check_comparison(self):
        """Every feature of the first seed finds itself, but for the zero one and the hundred that the second lacks."""
        with open(self.path("compare.json"), encoding="utf-8") as file:
            found = json.load(file)
        place = np.argsort(self.order)  # of each feature of the first seed in the second
        kept = ~np.isin(place, self.lost) & (np.arange(FEATURES) != 7)
        match = self.rows("matched.csv")
        np.testing.assert_array_equal(match["b"][kept], place[kept])
        self.assertEqual((found["matched"], found["recovered"]["0.99"]), (FEATURES - 1, kept.sum()))
        self.assertEqual(found["zero_atoms_a"], 1)
        self.assertGreater(found["most_similar"]["a"]["collisions"], 50)

    def check_decohered(self):
        after = read_tensor(self.path("decohered.safetensors"), "W_dec").astype("f8")
        rest = np.arange(FEATURES) != 7
        gram = np.abs(unit(after[rest]) @ unit(after[rest]).T)
        np.fill_diagonal(gram, 0)
        self.assertLessEqual(gram.max(), 0.6 + 1e-12)
        np.testing.assert_allclose(np.linalg.norm(after, axis=1), np.linalg.norm(self.first, axis=1), rtol=1e-6)
        moved = np.flatnonzero(np.abs(after - self.first).max(axis=1) > 1e-6)
        self.assertTrue(set(moved) <= {0, 1, 400, 500}, moved)

    def test_without_a_name_the_tensors_are_listed(self):
        self.refused("inspect", "seed0.safetensors", says=("W_enc F16 (64, 1024)", "W_dec F16 (1024, 64)", "b_dec F16 1-d",
                                                           "--variable"))

    def test_write_it_back(self):
        try:
            import safetensors.numpy  # noqa: F401
        except ImportError:
            self.skipTest("no package safetensors, which Debian 12 lacks")
        self.inco("decohere", "seed0.safetensors", "--variable", "W_dec", "--max-coherence", "0.6", "-o",
                  "decohered.safetensors")
        home = os.getcwd()
        try:
            os.chdir(self.home)
            exec("".join(blocks("python")), {})
        finally:
            os.chdir(home)
        self.assertLess(self.json("inspect", "model.safetensors", "--variable", "W_dec")["coherence"]["max"], 0.602)
        self.assertEqual(read_tensor(self.path("model.safetensors"), "b_enc").shape, (FEATURES,))
