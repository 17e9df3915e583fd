"""Ctrl-C in Octave: the prompt returns, the run is over, and what was learned is available.

Usage: interrupt.py OCTAVE [OPTION...]   (options that put the package on the path)
"""
import signal
import subprocess
import sys

START = r"""
X = randn (40, 4000);
function stop = told (progress)
  stop = false;
  if strcmp (progress.phase, "iteration") && progress.iteration == 3
    puts ("three iterations\n");
    fflush (stdout);
  end
end
inco_learn (X, "atoms", 80, "iterations", 1000000, "callback", %s); puts ("not interrupted\n");
"""
END = r"""
printf ("prompt\n");
[D, C, info] = inco_learn ();
printf ("%d %d %s %d\n", size (D), info.stopped_by, info.iterations >= 3);
[D, ~, info] = inco_learn (X, "atoms", 80, "iterations", 1);
printf ("again %d %s\n", columns (D), info.stopped_by);
exit
"""


def interrupt(octave, callback):
    """Presses Ctrl-C after three iterations; returns what Octave prints then."""
    process = subprocess.Popen(
        [*octave, "--interactive", "--no-line-editing"], text=True, bufsize=1, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    process.stdin.write(START % callback)
    process.stdin.flush()
    for line in process.stdout:
        if "three iterations" in line:
            break
    process.send_signal(signal.SIGINT)
    return process.communicate(END, timeout=300)[0]


def main():
    octave = sys.argv[1:]
    for callback in ("@told", '@(progress) told (progress) || any (cumsum (ones (1, 3e6)) < 0)'):
        said = interrupt(octave, callback)
        for wanted in ("prompt", "40 80 callback 1", "again 80 iterations"):
            assert wanted in said, said
        assert "not interrupted" not in said, said
    print("interrupted in the library and in a callback: passed")


main()
