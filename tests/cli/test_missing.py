"""--missing and --mask: signals with missing entries."""
import os

import numpy as np

import tool

LEARN = ["--atoms", "20", "--sparsity", "3", "--iterations", "3"]
OMP = ["--coder", "omp", "--sparsity", "3"]


@tool.needs("npz")
class Missing(tool.Case):
    def setUp(self):
        super().setUp()
        self.signals, self.atoms = tool.planted(signals=600, atoms=20)
        self.gone = np.random.default_rng(5).random(self.signals.shape) < 0.3
        self.gaps = np.where(self.gone, np.nan, self.signals)
        self.save("X.npy", self.signals)
        self.save("G.npy", self.gaps)
        self.save("D.npy", self.atoms)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_nan_is_refused_and_the_remedy_is_named(self):
        row, column = np.argwhere(self.gone)[0]
        self.refused("learn", "G.npy", "-o", "E.npy", *LEARN,
                     says=f"NaN at row {row}, column {column} (counted from 0); such values cannot be used, unless they "
                          "mark missing entries: --missing nan")
        self.assertFalse(os.path.exists(self.path("E.npy")))

    def test_gaps_are_filled(self):
        found = self.json("encode", "-D", "D.npy", "G.npy", "--missing", "nan", "-o", "C.npz", *OMP)
        self.json("decode", "-D", "D.npy", "C.npz", "-o", "Y.npy")
        filled, seen = self.load("Y.npy"), ~self.gone
        error = np.linalg.norm((filled - self.signals)[seen]) / np.linalg.norm(self.signals[seen])
        self.assertAlmostEqual(found["relative_error"], error, 9)
        self.assertEqual((found["missing_entries"], found["empty_signals"]), (self.gone.sum(), 0))
        lost = np.linalg.norm((filled - self.signals)[self.gone]) / np.linalg.norm(self.signals[self.gone])
        self.assertLess(lost, 0.7)

    def test_masks_of_any_type_are_as_good_as_nan(self):
        self.inco("learn", "G.npy", "--missing", "nan", "-o", "A.npy", *LEARN)
        self.inco("encode", "-D", "A.npy", "G.npy", "--missing", "nan", "-o", "A.npz", *OMP)
        codes = tool.load_codes(self.path("A.npz"))
        for dtype in "?", "u1", "f4", "f8":
            self.save("M.npy", (~self.gone).astype(dtype))
            self.inco("learn", "X.npy", "--mask", "M.npy", "-o", "B.npy", *LEARN)
            self.assertEqual(self.bytes_of("A.npy"), self.bytes_of("B.npy"))
            self.inco("encode", "-D", "B.npy", "X.npy", "--mask", "M.npy", "-o", "B.npz", *OMP)
            np.testing.assert_array_equal(tool.load_codes(self.path("B.npz")), codes)

    def test_what_lies_under_a_mask_does_not_matter(self):
        self.save("M.npy", ~self.gone)
        self.inco("learn", "X.npy", "--mask", "M.npy", "-o", "A.npy", *LEARN)
        self.save("X.npy", np.where(self.gone, np.where(self.signals > 0, np.inf, np.nan), self.signals))
        self.inco("learn", "X.npy", "--mask", "M.npy", "-o", "B.npy", *LEARN)
        self.assertEqual(self.bytes_of("A.npy"), self.bytes_of("B.npy"))

    def test_text_files(self):
        np.savetxt(self.path("G.csv"), self.gaps, delimiter=",")
        self.inco("learn", "G.npy", "--missing", "nan", "-o", "A.npy", *LEARN)
        self.inco("learn", "G.csv", "--missing", "nan", "-o", "B.npy", *LEARN)
        np.testing.assert_allclose(self.load("A.npy"), self.load("B.npy"), atol=1e-9)

    def test_a_mask_of_another_shape_is_refused(self):
        self.save("M.npy", ~self.gone[:-1])
        self.refused("learn", "X.npy", "--mask", "M.npy", "-o", "E.npy", *LEARN, says="M.npy is a mask of 599 signals")

    def test_empty_signals_and_features(self):
        gaps = self.gaps.copy()
        gaps[7] = np.nan
        self.save("G.npy", gaps)
        found = self.json("learn", "G.npy", "--missing", "nan", "-o", "E.npy", "--codes", "C.npz", *LEARN)
        self.assertEqual((found["signals"], found["empty_signals"]), (599, 1))
        self.assertFalse(tool.load_codes(self.path("C.npz"))[7].any())
        gaps[:, 2] = np.nan
        self.save("G.npy", gaps)
        self.refused("learn", "G.npy", "--missing", "nan", "-o", "E.npy", *LEARN,
                     says="feature 2 (counted from 0) is missing in all signals")

    def test_coders_and_commands_that_need_all_entries(self):
        self.refused("learn", "G.npy", "--missing", "nan", "-o", "E.npy", "--atoms", "20", "--coder", "larc",
                     says="--coder larc needs all entries of a signal", code=2)
        self.save("M.npy", ~self.gone)
        self.refused("learn", "X.npy", "--mask", "M.npy", "-o", "E.npy", "--atoms", "20", "--coder", "larc",
                     says="--coder larc needs all entries of a signal", code=2)
        self.refused("decohere", "D.npy", "--max-coherence", "0.9", "--data", "G.npy", "-o", "E.npy", says="NaN")

    def test_centred_features(self):
        self.save("G.npy", self.gaps + np.arange(self.gaps.shape[1]))
        self.inco("learn", "G.npy", "--missing", "nan", "--center", "feature", "-o", "E.npz", *LEARN)
        with np.load(self.path("E.npz")) as saved:
            np.testing.assert_allclose(saved["mean"].ravel(), np.nanmean(self.gaps + np.arange(self.gaps.shape[1]), 0),
                                       atol=1e-9)
        self.save("M.npy", ~self.gone)
        self.save("X.npy", self.signals + np.arange(self.gaps.shape[1]))
        found = [self.json("encode", "-D", "E.npz", *words, "-o", "C.npz", *OMP)["relative_error"]
                 for words in (["G.npy", "--missing", "nan"], ["X.npy", "--mask", "M.npy"])]
        self.assertEqual(*found)

    def test_centred_signals(self):
        self.save("G.npy", self.gaps + 5)
        self.inco("encode", "-D", "D.npy", "G.npy", "--missing", "nan", "--center", "signal", "-o", "C.npz", *OMP)
        self.inco("decode", "-D", "D.npy", "C.npz", "-o", "Y.npy")
        filled, codes = self.load("Y.npy"), tool.load_codes(self.path("C.npz"))
        np.testing.assert_allclose(filled - codes @ self.atoms, np.nanmean(self.gaps + 5, 1)[:, None] + 0 * filled,
                                   atol=1e-9)

    def test_a_dry_run(self):
        done = self.inco("learn", "G.npy", "--missing", "nan", "--dry-run", "-o", "E.npy", *LEARN)
        self.assertIn("dry run, nothing is written", done.text)
