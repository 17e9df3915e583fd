"""Help, version, and the golden transcripts."""
import glob
import os
import re
import tempfile
import unittest

import tool
import transcript

COMMANDS = ["learn", "encode", "decode", "inspect", "compare", "frame", "decohere", "report", "reproduce"]
TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "man")


class Golden(unittest.TestCase):
    def test_transcripts(self):
        self.assertTrue(transcript.files())
        for path in transcript.files():
            with tempfile.TemporaryDirectory() as folder:
                for line, lines in transcript.blocks(path):
                    if line is None:
                        continue
                    with self.subTest(file=os.path.basename(path), command=line):
                        self.assertEqual(transcript.perform(line, folder), lines)


class Help(tool.Case):
    def options_of(self, command):
        return re.findall(r"^  (?:-\w, )?--([\w-]+)", self.inco(command, "--help").stdout.decode(), re.M)

    def test_every_command_has_help(self):
        for command in COMMANDS:
            done = self.inco(command, "--help")
            text = done.stdout.decode()
            self.assertTrue(text.startswith("usage: inco %s " % command))
            self.assertEqual(done.text, "")
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertEqual(text, self.inco("help", command).stdout.decode())
            self.assertEqual(text, self.inco(command, "nonsense", "--what", "-h").stdout.decode())

    def test_help_has_the_options(self):
        self.assertLessEqual({"atoms", "method", "gamma", "gamma-relative", "norms", "coder", "residual-coherence",
                              "sparsity", "tolerance", "lambda", "refit", "nonnegative", "iterations",
                              "update-iterations", "init", "unused", "precision", "normalize", "center", "log", "codes",
                              "checkpoint", "resume", "window", "hop", "rate", "patch", "signals", "seed", "threads",
                              "json", "quiet", "output", "columns"}, set(self.options_of("learn")))
        self.assertLessEqual({"dictionary", "coder", "output", "json"}, set(self.options_of("encode")))
        self.assertNotIn("atoms", self.options_of("encode"))
        self.assertLessEqual({"columns", "json", "duplicates"}, set(self.options_of("inspect")))

    def test_help_has_live_defaults(self):
        text = " ".join(self.inco("learn", "--help").stdout.decode().split())
        self.assertRegex(text, r"--iterations N [^-]*\(default 25\)")
        self.assertRegex(text, r"--coder omp\|ols[a-z|]* [^(]*\(default omp\)")

    def test_version(self):
        text = self.inco("--version").stdout.decode()
        self.assertRegex(text, r"\Ainco \d+\.\d+\.\d+\nkernels: \w+\nBLAS: .+\nthreads: \d+\nbuilt with: .+\n")
        self.assertEqual(text, self.inco("-V").stdout.decode())

    @unittest.skipUnless(os.path.isdir(TEMPLATES), "no templates of manual pages here")
    def test_manual_pages(self):
        pages = 2 + len(COMMANDS)  # those of inco and of inco-mpi, which has commands of inco
        self.assertEqual(len(glob.glob(os.path.join(TEMPLATES, "*.in"))), pages)
        for command in COMMANDS:
            page = self.inco("help", "--man", os.path.join(TEMPLATES, "inco-%s.1.in" % command), command)
            page = page.stdout.decode()
            for option in self.options_of(command):
                if option != "help":
                    self.assertIn("\\-\\-%s\\fR" % option.replace("-", "\\-"), page)
            self.assertNotRegex(page, "@[A-Z]+@")
        page = self.inco("help", "--man", os.path.join(TEMPLATES, "inco.1.in")).stdout.decode()
        for command in COMMANDS:
            self.assertIn("inco\\-%s" % command, page)
        self.inco("help", "--man", "missing.in", code=1)

    def test_full_standard_output_fails(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        done = tool.shell("inco --help > /dev/full", self.home)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)
