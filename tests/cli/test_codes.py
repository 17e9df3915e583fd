"""inco encode and inco decode."""
import os

import numpy as np

import tool

FIELDS = dict(tool.COMMON, **{"signals": int, "atoms": int, "nonzeros": int, "mean_cardinality": float,
                              "relative_error": float, "snr_db": float, "skipped_atoms": int})
OMP = ["--coder", "omp", "--sparsity", "3"]


@tool.needs("npz")
class Codes(tool.Case):
    def setUp(self):
        super().setUp()
        self.signals, self.atoms = tool.planted(signals=50, atoms=20)
        self.save("X.npy", self.signals)
        self.save("D.npy", self.atoms)

    def test_there_and_back(self):
        for dtype in "f4", "f8":
            self.save("X.npy", self.signals.astype(dtype))
            self.save("D.npy", self.atoms.astype(dtype))
            found = self.json("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", *OMP)
            self.assert_types(found, FIELDS)
            self.assertEqual((found["command"], found["signals"], found["atoms"]), ("encode", 50, 20))
            codes = tool.load_codes(self.path("C.npz"))
            self.assertEqual((codes.shape, codes.dtype), ((50, 20), np.dtype(dtype)))
            self.assertEqual(found["nonzeros"], np.count_nonzero(codes))
            self.assertAlmostEqual(found["mean_cardinality"], np.count_nonzero(codes) / 50, 12)
            rest = np.linalg.norm(self.signals - codes @ self.atoms) / np.linalg.norm(self.signals)
            self.assertAlmostEqual(found["relative_error"], rest, 5)
            self.assertAlmostEqual(found["snr_db"], -20 * np.log10(found["relative_error"]), 9)
            found = self.json("decode", "-D", "D.npy", "C.npz", "-o", "Y.npy")
            self.assert_types(found, dict(tool.COMMON, signals=int, atoms=int, dim=int, nonzeros=int))
            np.testing.assert_allclose(self.load("Y.npy"), codes @ self.atoms.astype(dtype), atol=2e-6)

    def test_messages(self):
        done = self.inco("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", *OMP)
        self.assertRegex(done.text, r"relative error +0\.\d+ \(\d+\.\d+ dB\)")
        self.assertRegex(done.text, r"wrote C.npz\ninco \d+\.\d+\.\d+: [\d.]+ s, \d+ MB peak\n\Z")
        self.assertEqual(self.inco("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", "-q", *OMP).text, "")
        self.assertEqual(self.inco("decode", "-D", "D.npy", "C.npz", "-o", "Y.npy", "-q").text, "")

    def test_atoms_of_any_norm(self):
        self.inco("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", *OMP)
        scale = np.linspace(0.1, 9, 20)
        self.save("E.npy", self.atoms * scale[:, None])
        self.inco("encode", "-D", "E.npy", "X.npy", "-o", "B.npz", *OMP)
        np.testing.assert_allclose(tool.load_codes(self.path("B.npz")) * scale, tool.load_codes(self.path("C.npz")),
                                   atol=1e-10)

    def test_centred_signals_come_back_whole(self):
        self.save("X.npy", self.signals + 10)
        found = self.json("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", "--center", "signal", "--coder", "omp",
                          "--tolerance", "1e-9")
        self.assertLess(found["relative_error"], 1e-8)
        self.inco("decode", "-D", "D.npy", "C.npz", "-o", "Y.npy")
        np.testing.assert_allclose(self.load("Y.npy"), self.signals + 10, atol=1e-6)
        self.refused("encode", "-D", "D.npy", "X.npy", "-o", "B.npz", "--center", "feature", *OMP, code=2,
                     says="--center feature")

    def test_standard_output(self):
        done = self.inco("encode", "-D", "D.npy", "X.npy", "-o", "-", *OMP)
        self.write("B.npz", done.stdout)
        self.inco("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", *OMP)
        np.testing.assert_array_equal(tool.load_codes(self.path("B.npz")), tool.load_codes(self.path("C.npz")))
        done = self.inco("decode", "-D", "D.npy", "C.npz", "-o", "-")
        self.inco("decode", "-D", "D.npy", "C.npz", "-o", "Y.npy")
        with open(self.path("Y.npy"), "rb") as file:
            self.assertEqual(done.stdout, file.read())

    def test_wrong_dimensions(self):
        self.save("E.npy", np.eye(7))
        self.refused("encode", "-D", "E.npy", "X.npy", "-o", "C.npz", *OMP, says=["7", "16"])
        self.inco("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", *OMP)
        self.refused("decode", "-D", "E.npy", "C.npz", "-o", "Y.npy", says=["7", "20"])

    def test_rules_that_do_not_go_together(self):
        self.refused("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", "--coder", "lars", code=2, says="--sparsity")
        self.refused("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", "--coder", "larc", "--nonnegative", code=2, says="--nonnegative")

    def test_codes_of_a_matrix_are_no_audio(self):
        self.inco("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", *OMP)
        self.refused("decode", "-D", "D.npy", "C.npz", "-o", "Y.wav", code=2, says=["C.npz", "Y.wav", ".npy"])

    def test_dictionaries_and_codes_are_told_apart(self):
        self.refused("decode", "-D", "D.npy", "X.npy", "-o", "Y.npy", code=2, says="X.npy")

    @tool.needs("audio")
    def test_another_dictionary(self):
        """Codes carry a fingerprint of their dictionary, which any format and precision preserves."""
        self.inco("encode", "-D", "D.npy", "X.npy", "-o", "C.npz", *OMP)
        self.inco("learn", "X.npy", "-o", "E.npy", "--codes", "E.npz", "--atoms", "20", "--iterations", "1", *OMP)
        for codes, right, wrong in ("C.npz", "D.npy", "E.npy"), ("E.npz", "E.npy", "D.npy"):
            self.inco("decode", "-D", right, codes, "-o", "Y.npy")
            self.refused("decode", "-D", wrong, codes, "-o", "Z.npy", says=["another dictionary", "--force"])
            self.inco("decode", "-D", wrong, codes, "-o", "Z.npy", "--force")
            os.remove(self.path("Z.npy"))
        self.save("F.npy", self.atoms.astype("f4"))
        np.savetxt(self.path("D.csv"), self.atoms, delimiter=",", fmt="%.17g")
        for same in "F.npy", "D.csv":
            self.inco("decode", "-D", same, "C.npz", "-o", "Y.npy")
        with np.load(self.path("C.npz")) as members:
            plain = {name: members[name] for name in members if not name.startswith("origin_")}
        np.savez(self.path("S.npz"), **plain)  # as scipy writes it
        self.inco("decode", "-D", "E.npy", "S.npz", "-o", "Y.npy")

    def test_codes_are_no_dictionary(self):
        tool.write_pgm(self.path("a.pgm"), np.random.default_rng(3).integers(0, 256, (12, 12)))
        self.save("P.npy", np.eye(16))
        self.inco("encode", "-D", "P.npy", "a.pgm", "--patch", "4x4", "-o", "C.npz", *OMP)
        self.refused("inspect", "C.npz", says="these are codes, not a matrix")

    @tool.needs("audio")
    def test_clipping_is_reported(self):
        self.save("P.npy", np.eye(16))
        tool.write_wav(self.path("a.wav"), np.random.default_rng(3).integers(-30000, 30000, 160))
        self.inco("encode", "-D", "P.npy", "a.wav", "--window", "16", "-o", "C.npz", "--coder", "omp", "--sparsity", "16")
        self.save("Q.npy", 2 * np.eye(16))
        done = self.inco("decode", "-D", "Q.npy", "C.npz", "-o", "b.flac", "--force")
        self.assertRegex(done.text, r"b.flac: \d+ of 160 samples are beyond full scale and were clipped")
        done = self.inco("decode", "-D", "Q.npy", "C.npz", "-o", "b.wav", "--force")
        self.assertNotIn("clipped", done.text)
        done = self.inco("decode", "-D", "P.npy", "C.npz", "-o", "c.flac")
        self.assertNotIn("clipped", done.text)

    def test_audio_comes_back(self):
        samples = np.random.default_rng(9).integers(-20000, 20000, 1003)
        tool.write_wav(self.path("a.wav"), samples)
        self.save("D.npy", np.eye(16))
        for hop in "16", "8":
            self.inco("encode", "-D", "D.npy", "a.wav", "--window", "16", "--hop", hop, "-o", "C.npz", "--coder", "omp",
                      "--tolerance", "0")
            self.inco("decode", "-D", "D.npy", "C.npz", "-o", "b.wav")
            back = tool.read_wav(self.path("b.wav"))
            self.assertEqual(len(back), len(samples))
            np.testing.assert_allclose(back * 32768, samples, atol=0.01)

    @tool.needs("audio")
    def test_several_files_come_back_in_a_folder(self):
        for name in "a", "b":
            tool.write_wav(self.path(name + ".wav"), np.random.default_rng(ord(name)).integers(-999, 999, 640))
        self.save("D.npy", np.eye(16))
        self.inco("encode", "-D", "D.npy", "a.wav", "b.wav", "--window", "16", "-o", "C.npz", "--coder", "omp",
                  "--sparsity", "16")
        self.inco("decode", "-D", "D.npy", "C.npz", "-o", "back")
        self.assertEqual(len(os.listdir(self.path("back"))), 2)

    def test_images_come_back(self):
        pixels = np.random.default_rng(10).integers(0, 256, (24, 32))
        tool.write_pgm(self.path("a.pgm"), pixels)
        self.save("D.npy", np.eye(64))
        self.inco("encode", "-D", "D.npy", "a.pgm", "--patch", "8x8", "-o", "C.npz", "--coder", "omp", "--tolerance",
                  "0", "--center", "signal")
        self.inco("decode", "-D", "D.npy", "C.npz", "-o", "b.pgm")
        with open(self.path("b.pgm"), "rb") as file:
            content = file.read()
        self.assertEqual(content.split(maxsplit=4)[:3], [b"P5", b"32", b"24"])
        np.testing.assert_array_equal(np.frombuffer(content[-24 * 32:], "u1").reshape(24, 32), pixels)
