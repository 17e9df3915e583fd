"""Puts figures of the page that `inco reproduce` leaves side by side, for docs/reproduction.md.

    inco reproduce sigg2012 --data grid/s1 -o results/
    python3 docs/img/reproduction.py results/index.html docs/img
"""
import os
import re
import sys

METHODS = ["ksvd", "inksvd", "idl-rescale", "idl-sphere", "bound"]
RECOVERY = ["ksvd", "inksvd", "idl-rescale", "idl-sphere"]
PICTURES = {
    "spectra": ["spectrum-" + m for m in METHODS],
    "residuals": ["residual-" + m for m in METHODS] + ["residual-ratio"],
    "histograms": ["histogram-" + m for m in METHODS],
    "recovered": ["recovered-atoms-" + m for m in RECOVERY],
}
WIDTH, TITLE, GAP = 620, 28, 30


def figure(page, name):
    """Title and drawing of a figure, as wide as the page has it."""
    text = re.search(r"<figure class=chart id=%s .*?</figure>" % name, page, re.S).group(0)
    title = re.search(r"<h3>(.*?)</h3>", text).group(1)
    return title, re.search(r'<svg [^>]*class="wide" viewBox="([^"]*)".*?>(.*?)</svg>', text, re.S).groups()


def picture(page, names):
    style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
    style = style[: style.index("*{")]  # what drawings need of it
    figures = [figure(page, name) for name in names]
    tallest = max(float(box.split()[3]) for _, (box, _) in figures)
    rows = (len(figures) + 1) // 2
    width, height = 2 * WIDTH + GAP, rows * (tallest + TITLE + GAP)
    yield '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g">' % (width, height)
    yield "<style>%s</style>" % style
    yield '<rect width="100%" height="100%" style="fill:var(--ground)"/>'
    for n, (title, (box, inside)) in enumerate(figures):
        left, top = n % 2 * (WIDTH + GAP), n // 2 * (tallest + TITLE + GAP)
        yield '<text x="%g" y="%g" font-weight="600" font-size="14">%s</text>' % (left, top + 18, title)
        yield '<svg x="%g" y="%g" width="%d" height="%g" viewBox="%s">%s</svg>' % (
            left, top + TITLE, WIDTH, float(box.split()[3]), box, inside)
    yield "</svg>"


def main(path, folder):
    with open(path) as file:
        page = file.read()
    for name, names in PICTURES.items():
        with open(os.path.join(folder, "reproduction-%s.svg" % name), "w") as file:
            file.write("\n".join(picture(page, names)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
