"""Draws docs/img/speech.svg: atoms of the dictionary that scripts/demo leaves, and what gamma does to its spectrum.

    scripts/demo
    build/release/inco learn RECORDINGS --window 160 --signals 20000 --atoms 512 --iterations 20 --gamma 0 -o demo/plain.npy
    python3 docs/img/speech.py demo/speech.npy demo/plain.npy > docs/img/speech.svg
"""
import sys

import numpy as np

INK, FAINT, BLUE, RED = "#57606a", "#d0d7de", "#0969da", "#cf222e"
COLUMNS, ROWS, CELL_W, CELL_H = 10, 5, 48, 48


def centroid(atoms):
    power = np.abs(np.fft.rfft(atoms, axis=1)) ** 2
    return power @ np.arange(power.shape[1]) / power.sum(1)


def curve(points, color, width=1.0):
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{text}" fill="none" stroke="{color}" stroke-width="{width}"/>'


def label(x, y, text, color=INK, anchor="start", size=12):
    return (f'<text x="{x}" y="{y}" fill="{color}" font-size="{size}" text-anchor="{anchor}" '
            f'font-family="sans-serif">{text}</text>')


def atom_grid(atoms):
    order = np.argsort(centroid(atoms))
    chosen = order[np.linspace(0, len(order) - 1, COLUMNS * ROWS).astype(int)]
    for place, j in enumerate(chosen):
        left, middle = place % COLUMNS * CELL_W, 30 + place // COLUMNS * CELL_H + CELL_H / 2
        atom = atoms[j] / np.abs(atoms[j]).max()
        x = left + 3 + np.linspace(0, CELL_W - 6, len(atom))
        yield curve(zip(x, middle - atom * (CELL_H / 2 - 4)), BLUE, 0.9)


def spectra(with_penalty, without, left, top, width, height):
    values = [np.linalg.svd(d, compute_uv=False) for d in (without, with_penalty)]
    flat = np.sqrt(len(with_penalty) / with_penalty.shape[1])
    most = np.log10(values[0].max()) + 0.1
    least = -2.0

    def place(s):
        share = (np.log10(np.maximum(s, 10 ** least)) - least) / (most - least)
        return zip(left + np.linspace(0, width, len(s)), top + height * (1 - share))

    for power in (-2, -1, 0, 1):
        y = top + height * (1 - (power - least) / (most - least))
        yield curve([(left, y), (left + width, y)], FAINT, 0.7)
        yield label(left - 5, y + 4, f"{10.0 ** power:g}", anchor="end", size=10)
    yield curve(place(np.full(2, flat)), INK, 0.7)
    yield curve(place(values[0]), RED, 1.6)
    yield curve(place(values[1]), BLUE, 1.6)
    yield label(left + width * 0.62, top + height * 0.62, "γ = 0", RED)
    yield label(left + width * 0.62, top + height * 0.18, "default γ", BLUE)


def main():
    learned, plain = (np.load(path).astype(float) for path in sys.argv[1:3])
    width, height = COLUMNS * CELL_W + 320, 30 + ROWS * CELL_H + 24
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">')
    print(label(3, 18, f"{COLUMNS * ROWS} of {len(learned)} atoms learned from speech, by frequency"))
    print("\n".join(atom_grid(learned)))
    left = COLUMNS * CELL_W + 50
    print(label(left, 18, "singular values of the dictionary"))
    print("\n".join(spectra(learned, plain, left, 36, 250, ROWS * CELL_H - 20)))
    print(label(left, height - 8, f"1 to {learned.shape[1]}; all equal for a tight frame", size=10))
    print("</svg>")


main()
