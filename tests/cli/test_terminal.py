"""Interruption, and behaviour on a terminal."""
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading

import numpy as np

import tool

LONG = ["--atoms", "96", "--iterations", "100000", "--coder", "omp", "--sparsity", "4"]


class Interrupted(tool.Case):
    def setUp(self):
        super().setUp()
        signals, _ = tool.planted(signals=5000, dim=32, atoms=96, sparsity=4, dtype="f4")
        self.save("X.npy", signals)

    def start(self, *words):
        """The process after its first iteration."""
        process = subprocess.Popen([tool.INCO, *words], cwd=self.home, env=tool.environment(), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        timer = threading.Timer(tool.PATIENCE, process.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        self.seen = ""
        while "iteration 1/" not in self.seen:
            line = process.stderr.readline()
            self.assertTrue(line, self.seen)
            self.seen += line
        return process

    def test_saves_and_tells(self):
        for number, code in (signal.SIGINT, 130), (signal.SIGTERM, 143):
            process = self.start("learn", "X.npy", "-o", "D.npy", "--log", "run.jsonl", "--json", *LONG)
            process.send_signal(number)
            out, text = process.communicate(timeout=tool.PATIENCE)
            self.assertEqual(process.returncode, code, text)
            self.assertRegex(text, r"interrupted after iteration \d+; the dictionary is saved")
            self.assertIn("wrote D.npy", text)
            atoms = self.load("D.npy")
            self.assertEqual((atoms.shape, atoms.dtype), ((96, 32), np.dtype("f4")))
            np.testing.assert_allclose(np.linalg.norm(atoms, axis=1), 1, atol=1e-5)
            self.assertIn('"stopped_by": "signal"', out)
            self.assertIn('"unused": null', out)  # there was no final coding
            self.assertNotIn("finally unused", text)
            with open(self.path("run.jsonl")) as file:
                self.assertIn('"event": "end"', file.read().splitlines()[-1])
            self.assertEqual(sorted(os.listdir(self.home)), ["D.npy", "X.npy", "run.jsonl"])
            os.unlink(self.path("D.npy"))

    def test_says_that_the_bound_was_missed(self):
        process = self.start("learn", "X.npy", "-o", "D.npy", "--max-coherence", "0.1465", *LONG)  # the Welch bound is .1451
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=tool.PATIENCE)[1]
        self.assertEqual(process.returncode, 130, text)
        self.assertRegex(text, r"the coherence is 0\.\d+, 0\.\d+ above the target --max-coherence 0\.1465")

    def test_goes_on_to_the_same_bits(self):
        rest = [word if word != "100000" else "40" for word in LONG]
        process = self.start("learn", "X.npy", "-o", "D.npy", "--checkpoint", "state", *rest)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=tool.PATIENCE)
        self.assertIn(process.returncode, (0, 130))
        self.inco("learn", "X.npy", "-o", "D.npy", "--resume", "state", *rest)
        self.inco("learn", "X.npy", "-o", "E.npy", *rest)
        self.assertEqual(self.load("D.npy").tobytes(), self.load("E.npy").tobytes())

    def test_two_signals_leave_no_half_file(self):
        process = self.start("learn", "X.npy", "-o", "D.npy", *LONG)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=tool.PATIENCE)
        self.assertEqual(process.returncode, 130)
        if os.path.exists(self.path("D.npy")):
            self.assertEqual(self.load("D.npy").shape, (96, 32))

    def test_nothing_to_save(self):
        os.mkfifo(self.path("D.csv"))  # without a writer, the program waits for its dictionary
        process = subprocess.Popen([tool.INCO, "inspect", "D.csv"], cwd=self.home, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(1)
        process.send_signal(signal.SIGTERM)
        _, text = process.communicate(timeout=tool.PATIENCE)
        self.assertEqual((process.returncode, text), (143, "\ninco: interrupted, nothing was written\n"))

    def test_ignored_signals_stay_ignored(self):
        process = self.start("learn", "X.npy", "-o", "D.npy", *LONG)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=tool.PATIENCE)
        self.assertEqual(process.returncode, 129)
        done = tool.shell("trap '' INT; inco learn X.npy -o E.npy --atoms 4 --iterations 2 & "
                          "sleep 0.2; kill -INT $!; wait $!", self.home)
        self.assertEqual(done.returncode, 0, done.stderr)


def on_terminal(words, folder, columns=90, **more):
    """Output of the program on a terminal of this width, and its exit status."""
    control, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([tool.INCO, *words], cwd=folder, stdin=terminal, stdout=terminal, stderr=terminal,
                               env=dict(tool.environment(), TERM="xterm", **more))
    os.close(terminal)
    text = b""
    while True:
        try:
            part = os.read(control, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(control)
    return text.decode(), process.wait(tool.PATIENCE)


class Terminal(tool.Case):
    def setUp(self):
        super().setUp()
        signals, _ = tool.planted(signals=60000, dim=32, atoms=96, sparsity=4, dtype="f4")
        self.save("X.npy", signals)
        self.words = ["learn", "X.npy", "-o", "D.npy"] + [word if word != "100000" else "8" for word in LONG]

    def test_bar(self):
        text, code = on_terminal(self.words, self.home)
        self.assertEqual(code, 0)
        self.assertRegex(text, r"iteration \d/8 \[=*>? *\] +\d+% \d+ signals/s, \d+:\d\d left")
        self.assertIn("\033[36m", text)
        for line in text.replace("\r", "\n").split("\n"):
            if "[K" in line and "%" in line:
                self.assertLess(len(line.replace("\033[K", "").replace("\033[36m", "").replace("\033[0m", "")), 90)
        self.assertNotIn("iteration 1/8:", text)

    def test_no_colour_and_quiet(self):
        text, _ = on_terminal(self.words, self.home, NO_COLOR="1")
        self.assertNotIn("\033[36m", text)
        self.assertIn("signals/s", text)
        self.assertEqual(on_terminal(self.words + ["--quiet"], self.home)[0], "")

    def test_narrow_terminal(self):
        text, code = on_terminal(self.words, self.home, columns=30)
        self.assertEqual(code, 0)
        for line in text.replace("\r", "\n").split("\n"):
            if "[K" in line and "%" in line:
                self.assertLess(len(line.replace("\033[K", "").replace("\033[36m", "").replace("\033[0m", "")), 30)

    def test_no_binary_data_to_a_terminal(self):
        text, code = on_terminal(["learn", "X.npy", "-o", "-", "--atoms", "4"], self.home)
        self.assertEqual(code, 2)
        self.assertIn("terminal", text)
