#!/usr/bin/env python3
"""Time, memory and traffic of inco-mpi over signals and ranks, and a model of larger clusters fitted to them.

    bench/scaling.py --build build/release [--atoms 1000] [--dim 160] [--signals 16384 32768 65536] [--repeats 3]
                     [--nodes 64] [--cores 32] [--network 1.25e9] [--total 1e9]

Runs two whole passes with an update each, and the final coding, on synthetic signals in float32. Processor time of all
ranks is measured, since it suffers least from other load; medians over the repeats, which are made in turns. The model is

    processor time = fixed + cost * signals coded,      one rank, one thread, by least squares
    one iteration on P nodes = cost N / (P cores) + update + (log2 P + messages) size / network

with the update on one node, and size = 8 (L (L + 1) / 2 + D L) bytes for the sums of a partial tree. It stops scaling
where the nodes wait for update and exchange as long as they code.
"""
import argparse
import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import numpy as np

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_plm="isolated",
                   OMPI_MCA_hwloc_base_binding_policy="none")
PASSES, GROUP = 3, 4096


def make_signals(path, count, dim, atoms):
    """Ten of `atoms` planted atoms per signal, and noise."""
    draw = np.random.default_rng(0)
    planted = draw.standard_normal((atoms, dim)).astype("f4")
    planted /= np.linalg.norm(planted, axis=1)[:, None]
    x = 0.02 * draw.standard_normal((count, dim)).astype("f4")
    for _ in range(10):
        x += draw.standard_normal((count, 1)).astype("f4") * planted[draw.integers(0, atoms, count)]
    np.save(path, x)


def run(build, ranks, threads, atoms, path):
    """Processor seconds of all processes, wall seconds, peak memory of the largest, and results."""
    words = ["learn", path, "--atoms", str(atoms), "--schedule", "batch", "--iterations", "2", "--coder", "omp", "--sparsity",
             "20", "--threads", str(threads), "--quiet", "--json", "-o", path + ".out.npy"]
    program = [str(build / "inco")] if not ranks else ["mpirun", "-n", str(ranks), str(build / "inco-mpi")]
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(program + words, env=ENVIRONMENT, stdout=subprocess.PIPE) as job:
        out = job.stdout.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.monotonic() - began, json.loads(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--atoms", type=int, default=1000)
    parser.add_argument("--dim", type=int, default=160)
    parser.add_argument("--signals", type=int, nargs="+", default=[16384, 32768, 65536])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=64)
    parser.add_argument("--cores", type=int, default=32)
    parser.add_argument("--network", type=float, default=1.25e9, help="bytes per second between two nodes")
    parser.add_argument("--total", type=float, default=1e9, help="signals of the prediction")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = {n: os.path.join(folder, f"{n}.npy") for n in given.signals}
        for n, path in paths.items():
            make_signals(path, n, given.dim, given.atoms)
        ways = [(0, 2), (1, 1), (2, 1), (4, 1)]
        seen = {(n, way): [] for n in given.signals for way in ways}
        for _ in range(given.repeats):
            for n, path in paths.items():
                for way in ways:
                    seen[n, way].append(run(given.build, *way, given.atoms, path))
    print("| signals | ranks x threads | processor s | wall s | of two threads | MB per update |")
    print("| --- | --- | --- | --- | --- | --- |")
    cost = []
    for n in given.signals:
        reference = statistics.median(cpu for cpu, _, _ in seen[n, (0, 2)])
        for ranks, threads in ways:
            runs = seen[n, (ranks, threads)]
            cpu, wall = statistics.median(r[0] for r in runs), statistics.median(r[1] for r in runs)
            traffic = runs[0][2].get("cluster", {}).get("bytes_per_update", 0) / 1e6
            name = f"{ranks} x {threads}" if ranks else f"inco, {threads} threads"
            print(f"| {n} | {name} | {cpu:.2f} | {wall:.2f} | {cpu / reference:.3f} | {traffic:.1f} |")
            if (ranks, threads) == (1, 1):
                cost.append(cpu)
    coded = np.array(given.signals, float) * PASSES
    (slope, fixed), *_ = np.linalg.lstsq(np.stack([coded, np.ones_like(coded)], 1), np.array(cost), rcond=None)
    update = max(fixed, 0) / 2
    size = 8 * (given.atoms * (given.atoms + 1) / 2 + given.dim * given.atoms)
    print(f"\ncost {slope * 1e6:.1f} us per signal and core; fixed {fixed:.2f} s, so at most {update:.2f} s per update")
    exchange = size * (math.log2(given.nodes) + math.log2(given.total / GROUP / given.nodes)) / given.network
    coding = slope * given.total / given.nodes / given.cores
    print(f"{given.total:g} signals, {given.nodes} nodes of {given.cores} cores: an iteration takes {coding:.1f} s of coding, "
          f"at most {update:.1f} s of update, {exchange:.2f} s of exchange")
    print(f"coding takes as long as the rest on {slope * given.total / given.cores / (update + exchange):.0f} nodes")


if __name__ == "__main__":
    main()
