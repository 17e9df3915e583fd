"""Ends of runs: nothing is lost when messages or logs cannot be written, memory is limited, or the program is killed."""
import os
import resource
import subprocess
import time

import numpy as np

import tool

SHORT = ["--atoms", "12", "--sparsity", "2", "--iterations", "3"]


class Ends(tool.Case):
    def setUp(self):
        super().setUp()
        signals, _ = tool.planted(signals=400, dim=8, atoms=12, sparsity=2)
        self.save("X.npy", signals)

    def run_with(self, words, **more):
        return subprocess.run([tool.INCO, *words], cwd=self.home, env=tool.environment(), stdin=subprocess.DEVNULL,
                              timeout=tool.PATIENCE, **more)

    def test_messages_that_nobody_reads(self):
        """As in 2>&1 | head -1."""
        read, write = os.pipe()
        os.close(read)
        done = self.run_with(["learn", "X.npy", "-o", "D.npy", *SHORT], stdout=write, stderr=write)
        os.close(write)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.load("D.npy").shape, (12, 8))

    def test_results_that_nobody_reads(self):
        read, write = os.pipe()
        os.close(read)
        done = self.run_with(["learn", "X.npy", "-o", "D.npy", "--json", *SHORT], stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write to standard output", done.stderr)
        self.assertEqual(self.load("D.npy").shape, (12, 8))

    def test_a_log_without_its_last_line(self):
        words = ["learn", "X.npy", "-o", "D.npy", "--log", "run.jsonl", *SHORT]
        self.inco(*words)
        with open(self.path("run.jsonl"), "rb") as file:
            lines = file.readlines()
        limit = sum(map(len, lines)) - len(lines[-1]) // 2  # within the last line, also if times have fewer digits
        os.remove(self.path("D.npy"))
        done = self.run_with(words, stderr=subprocess.PIPE,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"the log 'run.jsonl' could not be written", done.stderr)
        self.assertEqual(self.load("D.npy").shape, (12, 8))

    def test_data_that_shrink(self):
        """The run ends with an error, never by a signal, and continues from its checkpoint once the data are back."""
        words = [tool.INCO, "learn", "X.npy", "--checkpoint", "state", "--iterations", "100000", *SHORT[:-2], "-q", "-o",
                 "D.npy"]
        with open(self.path("X.npy"), "rb") as file:
            signals = file.read()
        run = subprocess.Popen(words, cwd=self.home, env=tool.environment(), stderr=subprocess.PIPE)
        while not os.path.exists(self.path("state")) and run.poll() is None:
            time.sleep(.01)
        os.truncate(self.path("X.npy"), len(signals) // 2)
        self.assertIn(b"X.npy has become shorter", run.communicate(timeout=tool.PATIENCE)[1])
        self.assertEqual(run.returncode, 1)
        self.assertEqual(sorted(os.listdir(self.home)), ["X.npy", "state"])
        self.write("X.npy", signals)
        log = self.inco("learn", "X.npy", "--resume", "state", *SHORT[:-2], "--iterations", "100000", "--stop-seconds",
                        ".1", "-o", "D.npy")
        self.assertEqual(self.load("D.npy").shape, (12, 8), log.text)

    def test_limited_memory(self):
        """OpenBLAS would retry for ever to get memory. Whatever the limit, the run ends by itself."""
        if any(word in os.environ.get("INCO_TEST_SANITIZER", "") for word in ("address", "thread")):
            self.skipTest("a sanitizer needs more addresses")
        ends = set()
        for megabytes in 150, 200, 250, 300, 400, 700:
            limit = megabytes * 1000 * 1024
            done = self.run_with(["learn", "X.npy", "-o", "D.npy", "--threads", "2", *SHORT], stderr=subprocess.PIPE,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            ends.add(done.returncode)
            if done.returncode == 1:
                self.assertIn(b"out of memory", done.stderr)
        self.assertLessEqual(ends, {0, 1, 127})  # 127: not even the libraries fit
        self.assertIn(0, ends)
