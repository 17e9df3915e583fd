"""A call of the library: its options, its progress, Ctrl-C, and exceptions from Python code that it calls back."""
import ctypes
import signal
import threading
import types

import numpy as np

from . import _library as library
from . import _options
from . import _structs as s

lib = library.lib

# Of inco_progress, what is kept of every iteration.
RECORDED = (
    "iteration", "seconds", "relative_error", "mean_cardinality", "objective_before", "objective", "coherence_max",
    "coherence_rms", "replaced", "update_iterations", "gamma", "seconds_code", "seconds_update",
)


class Progress(types.SimpleNamespace):
    """State of a running call, as a callback gets it: `phase`, `iteration`, `iterations`, `done`, `total`, `seconds`, ...

    Phases of learning are 'code', 'update', 'iteration' (one is complete), 'path', 'point', 'bound' and 'final'; those of
    the other functions are 'code', 'inspect', 'decohere' and 'frame'. Fields that do not apply to the phase are zero.
    """


class Call:
    """Context of one call. Calls back on the thread that made it, and keeps Ctrl-C until the library has returned."""

    def __init__(self, settings, callbacks=(), names=None):
        self.names = names         # of options, in messages, where they differ
        self.callbacks = list(callbacks or ())
        self.history = {name: [] for name in RECORDED}
        self.exception = None      # raised by Python code that the library called
        self._interrupted = False
        self._inside = False       # Python code of the caller is running
        self._trampoline = s.PROGRESS(self._on_progress)
        self.options = lib.inco_options_new()
        if not self.options:
            raise library.OutOfMemoryError("out of memory")
        try:
            for name, text in settings.items():
                self("inco_options_set", self.options, name.encode(), text.encode())
            self("inco_options_on_progress", self.options, self._trampoline, None, ctypes.sizeof(s.Progress))
        except BaseException:
            lib.inco_options_free(self.options)
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.inco_options_free(self.options)

    def __call__(self, name, *arguments):
        """Calls a function of the library whose last parameter is an inco_error; returns 0 or STOPPED."""
        error = s.Error()
        status = getattr(lib, name)(*arguments, ctypes.byref(error))
        if status < 0 and self.exception is None:
            message = _options.speak(error.message.decode(errors="replace"), self.names)
            raise library.EXCEPTIONS.get(status, library.Error)(message)
        if status < 0:
            self.finish(None)
        return status

    def run(self, name, *arguments):
        """The same for a function that takes time: meanwhile Ctrl-C asks it to stop."""
        library.advise()
        with _Interrupt(self):
            return self(name, *arguments)

    def finish(self, result):
        """Returns the result; or raises what Python code raised, or Ctrl-C, which carry the result."""
        exception, self.exception = self.exception, None
        if self._interrupted or isinstance(exception, KeyboardInterrupt):
            stop = library.Interrupted("interrupted; `result` is what was computed until then")
            stop.result = result
            raise stop from None
        if exception is not None:
            raise exception
        return result

    def guard(self, function, *arguments):
        """Runs Python code of the caller inside a callback. What it raises is kept for `finish`."""
        self._inside = True
        try:
            return function(*arguments)
        except BaseException as trouble:
            self.exception = trouble
            return None
        finally:
            self._inside = False

    def _on_progress(self, _, pointer):
        progress = pointer.contents
        if progress.phase == b"iteration":
            for name in RECORDED:
                self.history[name].append(getattr(progress, name))
        stop = False
        if self.callbacks and not self._interrupted:
            now = Progress(**progress.as_dict())
            for callback in self.callbacks:
                stop = bool(self.guard(callback, now)) or stop
        return int(stop or self._interrupted or self.exception is not None)

    def recorded(self):
        """The iterations, as arrays by name."""
        return {name: np.array(values) for name, values in self.history.items()}


class _Interrupt:
    """Within it, Ctrl-C sets a flag that the next progress report sees.

    Only on the main thread, and only where Python's own handler would run: another handler is the program's business; what
    it raises in a callback is raised after the call.
    """

    def __init__(self, call):
        self.call, self.before = call, None

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                self.before = signal.signal(signal.SIGINT, self._handle)

    def __exit__(self, *_):
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)

    def _handle(self, number, frame):
        if self.call._inside:
            raise KeyboardInterrupt
        self.call._interrupted = True


