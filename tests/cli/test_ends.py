"""Ends of runs: nothing is lost when messages or logs cannot be written, memory is limited, or the program is killed."""
import os
import resource
import signal
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
        size = os.path.getsize(self.path("run.jsonl"))
        os.remove(self.path("D.npy"))
        done = self.run_with(words, stderr=subprocess.PIPE,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size - 9, size - 9)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"the log 'run.jsonl' could not be written", done.stderr)
        self.assertEqual(self.load("D.npy").shape, (12, 8))

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


KINDS = [[], ["--method", "online", "--batch", "64"], ["--method", "ksvd"], ["--gamma", "auto"],
         ["--max-coherence", ".6"], ["--method", "aksvd", "--exchange", "--precision", "f32"]]


class Killed(tool.Case):
    """INCO_TEST_KILLS sets how often each kind of run is killed, with one and two threads."""

    def kill_and_resume(self, kind, threads, seed):
        words = ["learn", "X.npy", "--atoms", "24", "--sparsity", "3", "--iterations", "6", "--threads", threads, *kind]
        rng = np.random.default_rng(seed)
        for name in "state", "E.npy":
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        for _ in range(40):
            resume = ["--resume", "state"] if os.path.exists(self.path("state")) else []
            process = subprocess.Popen([tool.INCO, *words, "-o", "E.npy", "--checkpoint", "state", "-q", *resume],
                                       cwd=self.home, env=tool.environment(), stdin=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            try:
                _, text = process.communicate(timeout=float(rng.uniform(.03, .3)))
                self.assertEqual(process.returncode, 0, text)
                return
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
        resume = ["--resume", "state"] if os.path.exists(self.path("state")) else []
        self.inco(*words, "-o", "E.npy", "--checkpoint", "state", *resume)

    def test_killed_runs_resume(self):
        signals, _ = tool.planted(signals=3000, dim=16, atoms=24, sparsity=3)
        self.save("X.npy", signals)
        for number, kind in enumerate(KINDS):
            self.inco("learn", "X.npy", "--atoms", "24", "--sparsity", "3", "--iterations", "6", *kind, "-o", "D.npy")
            for turn in range(int(os.environ.get("INCO_TEST_KILLS", "1"))):
                for threads in "1", "2":
                    self.kill_and_resume(kind, threads, 100 * turn + 10 * number + int(threads))
                    self.assertEqual(self.load("E.npy").tobytes(), self.load("D.npy").tobytes(), (kind, threads, turn))
        left = [name for name in os.listdir(self.home) if name.startswith(".inco-")]
        self.assertEqual(left, [])
