"""Calls: progress, Ctrl-C, exceptions, threads, forks, and the thread count of OpenBLAS."""
import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import inco
from inco import _library

OMP = dict(coder="omp", sparsity=3)
LONG = dict(atoms=64, iterations=1000000, **OMP)


# ---- Callbacks ----

def test_progress_is_reported(X):
    seen = []
    result = inco.learn(X, atoms=20, iterations=3, callbacks=[seen.append], **OMP)
    ends = [p for p in seen if p.phase == "iteration"]
    assert [p.iteration for p in ends] == [1, 2, 3] and ends[0].iterations == 3
    assert [p.objective for p in ends] == result.history["objective"].tolist()
    assert {p.phase for p in seen} >= {"code", "update", "iteration", "final"}


def test_a_callback_stops_a_run(X):
    result = inco.learn(X, callbacks=[lambda p: p.phase == "iteration" and p.iteration == 2], **LONG)
    assert result.stopped_by == "callback" and result.iterations == 2 and result.dictionary.shape == (64, 16)


def test_an_exception_in_a_callback_reaches_the_caller(X):
    def fail(progress):
        if progress.iteration == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        inco.learn(X, callbacks=[fail], **LONG)
    model = inco.DictionaryLearning(64, iterations=100, callbacks=[fail], **OMP)
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(X)
    assert model.components_.shape == (64, 16) and model.n_iter_ == 1


def test_every_function_reports(X, dictionary):
    for call in (lambda c: inco.encode(dictionary, X, callbacks=c, **OMP), lambda c: inco.inspect(dictionary, callbacks=c),
                 lambda c: inco.decohere(dictionary, max_coherence=0.4, callbacks=c),
                 lambda c: inco.frame(dim=5, atoms=12, callbacks=c)):
        seen = []
        call([seen.append])
        assert seen


# ---- Ctrl-C ----

INTERRUPTED = """
    import os, signal, threading, time, numpy as np, inco
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a job that a shell started in the background
    X = np.random.default_rng(0).standard_normal((20000, 64))
    inco.DictionaryLearning
    pressed = []
    def press():
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(1.0, press).start()
    {call}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert inco.learn(X[:200], atoms=8, iterations=1, coder="omp", sparsity=2).iterations == 1
    print("usable")
"""
CALLS = {
    "learn": """
    try: inco.learn(X, atoms=256, iterations=1000000, coder="omp", sparsity=10)
    except KeyboardInterrupt as stop: assert stop.result.dictionary.shape == (256, 64), stop
    """,
    "fit": """
    model = inco.DictionaryLearning(256, iterations=1000000, coder="omp", sparsity=10)
    try: model.fit(X)
    except KeyboardInterrupt: assert model.components_.shape == (256, 64)
    """,
    "bound": """
    model = inco.DictionaryLearning(256, iterations=1000000, sparsity=10, max_coherence=0.3, n_jobs=1)
    try: model.fit(X)
    except KeyboardInterrupt: took = time.process_time() - pressed[0]
    assert took < 0.5 and model.coherence_ <= 0.3, took
    """,
    "frame": """
    try: inco.frame(dim=64, atoms=512, starts=1000000)
    except KeyboardInterrupt as stop: assert stop.result.dictionary.shape == (512, 64)
    """,
    "callback": """
    try: inco.learn(X, atoms=256, iterations=1000000, coder="omp", sparsity=10, callbacks=[lambda p: time.sleep(0.2)])
    except KeyboardInterrupt as stop: assert stop.result.dictionary.shape == (256, 64)
    """,
}


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c(name):
    code = textwrap.dedent(INTERRUPTED).replace("{call}", textwrap.dedent(CALLS[name]).strip())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "usable\n", done.stderr


# ---- Threads ----

def test_the_gil_is_released(X):
    """Another thread runs while the library computes."""
    counted = []

    def count():
        while not done.is_set():
            counted.append(1)
            time.sleep(0.001)

    done = threading.Event()
    other = threading.Thread(target=count)
    other.start()
    before = len(counted)
    inco.frame(dim=32, atoms=128, starts=1, steps=300)
    during = len(counted) - before
    done.set()
    other.join()
    assert during > 5


def test_threads_call_at_the_same_time(X):
    expected = inco.learn(X, atoms=20, iterations=3, **OMP).dictionary
    found = [None] * 4

    def run(i):
        found[i] = inco.learn(X, atoms=20, iterations=3, **OMP).dictionary

    workers = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.array_equal(expected, each) for each in found)


# ---- OpenBLAS ----

def openblas():
    """The OpenBLAS that the library uses, if it is one."""
    if not _library.lib.inco_blas().startswith(b"OpenBLAS"):
        pytest.skip("another BLAS")
    blas = ctypes.CDLL("libopenblas.so.0")
    return blas.openblas_get_num_threads, blas.openblas_set_num_threads


def test_the_thread_count_of_openblas_is_restored(X, dictionary):
    get, put = openblas()
    before = get()

    def fail(progress):
        assert get() == 1
        raise RuntimeError

    def stop(progress):
        return True

    put(2)
    try:
        for callbacks in ([], [stop], [fail]):
            for call in (lambda c: inco.learn(X, atoms=20, iterations=2, callbacks=c, **OMP),
                         lambda c: inco.encode(dictionary, X, callbacks=c, **OMP),
                         lambda c: inco.inspect(dictionary, callbacks=c),
                         lambda c: inco.decohere(dictionary, max_coherence=0.4, callbacks=c),
                         lambda c: inco.frame(dim=5, atoms=12, callbacks=c),
                         lambda c: inco.DictionaryLearning(20, callbacks=c, **OMP).partial_fit(X)):
                try:
                    call(callbacks)
                except RuntimeError:
                    pass
                assert get() == 2
        with pytest.raises(inco.InvalidError):
            inco.learn(X * np.nan, atoms=20)
        assert get() == 2
    finally:
        put(before)


# ---- Forks ----

def learn_in_child(X, expected, pipe):
    model = inco.DictionaryLearning(20, iterations=2, **OMP).fit(X)
    pipe.send(bool(np.array_equal(model.components_, expected)))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_fit_then_fork_then_fit(X):
    expected = inco.DictionaryLearning(20, iterations=2, **OMP).fit(X).components_
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=learn_in_child, args=(X, expected, theirs))
    child.start()
    assert ours.poll(120), "the child hangs"
    assert ours.recv()
    child.join(60)
    assert child.exitcode == 0


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_fork_during_a_run(X):
    """A fork from another thread while the library computes; the child uses the library."""
    context = multiprocessing.get_context("fork")
    results = []

    def fork():
        ours, theirs = context.Pipe()
        child = context.Process(target=learn_in_child, args=(X, None, theirs))
        child.start()
        results.append(ours.poll(120))
        child.kill()
        child.join()

    worker = threading.Timer(0.2, fork)
    worker.start()
    inco.learn(X, callbacks=[lambda p: not worker.is_alive()], **LONG)
    worker.join()
    assert results == [True]


def test_one_warning_where_openblas_does_not_know_the_processor(monkeypatch, X):
    class Strange:
        def inco_blas_advice(self):
            return b"HASWELL"

    monkeypatch.setattr(_library, "lib", Strange())
    monkeypatch.setattr(_library, "_advised", False)
    with pytest.warns(RuntimeWarning, match="OPENBLAS_CORETYPE=HASWELL"):
        _library.advise()
    _library.advise()


def test_signals_of_the_program_are_left_alone(X):
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        result = inco.learn(X, atoms=20, iterations=3, callbacks=[lambda p: os.kill(os.getpid(), signal.SIGINT)], **OMP)
        assert result.iterations == 3 and seen
    finally:
        signal.signal(signal.SIGINT, before)
