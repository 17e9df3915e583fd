"""Measurements of docs/performance.md: prints its tables as Markdown and draws docs/img/performance.svg.

    python3 bench/performance.py build/release/inco-bench docs/img/performance.svg
    python3 bench/performance.py build/release/inco-bench     # only the table of cases

On Linux `chrt -f 50 taskset -c 1` in front keeps other load away. It takes about three minutes.
"""
import json
import math
import subprocess
import sys
import tempfile

INK, FAINT = "#57606a", "#d0d7de"
CASES = ["omp-10", "omp-40", "omp-20db", "ols-10", "ols-40", "lars-40", "lasso-10", "larc"]
MOST = {"omp-10": 2.8, "omp-40": 10, "omp-20db": 19, "ols-10": 2.8, "ols-40": 10, "lars-40": 12.5, "lasso-10": 4}
CURVES = [("omp", "f32", "#0969da"), ("omp", "f64", "#8250df"), ("lars", "f32", "#cf222e")]
USUAL = {"signals": 4000, "atoms": 1000, "dim": 160, "k": 20}
SWEEPS = [("k", "atoms in a code, k", [5, 10, 20, 40, 80, 120]),
          ("atoms", "atoms in the dictionary, L", [250, 500, 1000, 2000, 4000]),
          ("dim", "dimensions, D", [40, 80, 160, 320, 640]),
          ("signals", "signals, N", [250, 1000, 4000, 16000])]


def bench(program, *arguments):
    """inco-bench's JSON."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "--json", file.name, *map(str, arguments)], check=True, stdout=sys.stderr)
        return json.load(open(file.name))


def print_cases(program):
    cases = [word for case in CASES + ["update", "learn-iteration", "online-iteration"] for word in ("--case", case)]
    run = bench(program, "--repeats", 5, *cases)
    print(f"{run['isa']}, one thread; dgemm {run['dgemm_gflops']:.0f} and sgemm {run['sgemm_gflops']:.0f} GFLOP/s, "
          f"second-level cache {run['cache_gbs']:.0f} GB/s, memory {run['memory_gbs']:.0f} GB/s\n")
    print("| case | type | atoms | signals/s | x DᵀX | target | of GEMM | of cache | peak MB |\n"
          "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for c in run["cases"]:
        most = MOST.get(c["case"], math.nan) * (0.6 if c["type"] == "f32" else 1)
        atoms = f"{c['atoms_per_signal']:.0f}" if "atoms_per_signal" in c else ""
        rate = f"{c['signals_per_second']:,.0f}" if c["signals_per_second"] else ""
        cache = f"{100 * c['cache_share']:.0f} %" if c["cache_share"] else ""
        print(f"| {c['case']} | {c['type']} | {atoms} | {rate} | {c['multiple']:.2f} | "
              f"{'' if math.isnan(most) else f'{most:.1f}'} | {100 * c['gemm_share']:.0f} % | {cache} | "
              f"{c['peak_mb']:.0f} |")
    rest = next(c["rest_by_coding"] for c in run["cases"] if c["case"] == "learn-iteration" and c["type"] == "f32")
    print(f"\nA learning iteration in float32 spends {100 * rest:.0f} % of its coding time on all else.\n")


def measure(program, name, value):
    """Microseconds per signal of every curve at one size."""
    at = {**USUAL, name: value}
    times = []
    for coder, kind, _ in CURVES:
        run = bench(program, "--case", f"{coder}-{at['k']}", "--precision", kind, "--dim", at["dim"], "--atoms",
                    at["atoms"], "--signals", at["signals"], "--repeats", 5)
        times.append(1e6 / run["cases"][0]["signals_per_second"])
    return times


def print_sweeps(measured):
    print("| | " + " | ".join(f"{coder} {kind}" for coder, kind, _ in CURVES) + " |\n| --- |" + " ---: |" * len(CURVES))
    for (name, _, values), rows in measured:
        letter = {"k": "k", "atoms": "L", "dim": "D", "signals": "N"}[name]
        for value, times in zip(values, rows):
            print(f"| {letter} = {value} | " + " | ".join(f"{t:.1f}" for t in times) + " |")


def line(points, color, width):
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{text}" fill="none" stroke="{color}" stroke-width="{width}"/>'


def label(x, y, text, color=INK, anchor="middle", size=11):
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" font-size="{size}" text-anchor="{anchor}" '
            f'font-family="sans-serif">{text}</text>')


def panel(left, top, sweep, rows, low, high):
    """Time against one size, both logarithmic; an octave has the same length on both axes."""
    _, title, values = sweep
    width, height, first = 190, 190, math.log2(values[0])
    span = math.log2(values[-1]) - first

    def place(value, time):
        return left + width * (math.log2(value) - first) / span, top + height * (high - math.log2(time)) / (high - low)

    for power in range(low, high + 1):
        y = place(values[0], 2.0 ** power)[1]
        yield line([(left, y), (left + width, y)], FAINT, 0.7)
        if power % 2 == 0:
            yield label(left - 5, y + 4, f"{2.0 ** power:g}", anchor="end", size=10)
    for value in values:
        yield label(place(value, 1)[0], top + height + 15, str(value), size=10)
    yield label(left + width / 2, top + height + 32, title)
    for i, (_, _, color) in enumerate(CURVES):
        points = [place(value, times[i]) for value, times in zip(values, rows)]
        yield line(points, color, 1.6)
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4" fill="{color}"/>' for x, y in points)


def draw(measured):
    times = [t for _, rows in measured for row in rows for t in row]
    low, high = math.floor(math.log2(min(times))), math.ceil(math.log2(max(times)))
    yield '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 290" role="img">'
    yield "<title>Microseconds per signal against k, L, D and N</title>"
    yield label(36, 20, "µs per signal", anchor="start", size=12)
    for i, (coder, kind, color) in enumerate(CURVES):
        yield label(150 + 80 * i, 20, f"{coder.upper()} {kind}", color, anchor="start", size=12)
    for i, (sweep, rows) in enumerate(measured):
        yield from panel(36 + 236 * i, 40, sweep, rows, low, high)
    yield "</svg>"


def main():
    program, picture = (*sys.argv[1:], None)[:2]
    print_cases(program)
    if not picture:
        return
    measured = [(sweep, [measure(program, sweep[0], value) for value in sweep[2]]) for sweep in SWEEPS]
    print_sweeps(measured)
    with open(picture, "w") as out:
        out.write("\n".join(draw(measured)) + "\n")


main()
