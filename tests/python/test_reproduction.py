"""The report of inco reproduce: its numbers against the CSV files and claims.json, and its layout in Chromium."""
import json
import os
import re
import sys
import wave

import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import page_file  # noqa: E402
import test_pages  # noqa: E402
from test_pages import browser, has, inco  # noqa: E402, F401

FAMILIES = ["ksvd", "inksvd", "idl-rescale", "idl-sphere", "bound"]
CHARTS = {kind + "-" + family for kind in ("spectrum", "residual", "recordings", "histogram", "recovered-atoms", "recovered-supports",
                                                "convergence")
          for family in FAMILIES} | {"residual-ratio"}
TABLES = {"claims", "runs", "paired", "parts", "cost"}

pytestmark = pytest.mark.skipif(not (has("audio") and has("json")), reason="this build lacks a feature that the experiment needs")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The experiment on a few noisy chirps, with two seeds, so that the report has quartiles."""
    folder = tmp_path_factory.mktemp("experiment")
    random = np.random.default_rng(4)
    (folder / "voice").mkdir()
    for i in range(22):
        t = np.arange(1600) / 8000
        sound = np.sin(2 * np.pi * (200 + 1500 * random.random()) * t + 4 * np.sin(20 * t)) + 0.3 * random.standard_normal(1600)
        with wave.open(str(folder / "voice" / ("%02d.wav" % i)), "wb") as file:
            file.setparams((1, 2, 8000, len(t), "NONE", ""))
            file.writeframes((6000 * sound).astype("<i2").tobytes())
    inco("reproduce", "sigg2012", "--data", "voice", "-o", "out", "--quick", "--signals", 210, "--iterations", 2, "--seeds", 2,
         "--quiet", folder=folder)
    return folder / "out"


def test_every_figure_is_there_and_has_its_numbers(home):
    found = page_file.figures(page_file.load(home / "index.html"))
    assert {id for id, figure in found.items() if figure["class"] == "chart"} == CHARTS
    assert {id for id, figure in found.items() if figure["class"] == "table"} == TABLES
    assert set(page_file.csv_names(home / "csv")) == CHARTS | TABLES
    assert os.path.getsize(home / "index.html") < 1_000_000


def test_claims_on_the_page_are_those_of_the_file(home):
    page = page_file.load(home / "index.html")
    claims = json.loads((home / "claims.json").read_text())["claims"]
    shown = [[cell.words().strip() for cell in row.children] for row in page_file.figures(page)["claims"].all("tr")][1:]
    assert shown == [[c["id"], c["verdict"], c["claim"], c["measured"]] for c in claims]
    assert len(shown) == 13
    text = page.words()
    failed = [c["id"] for c in claims if c["verdict"] == "fails"]
    if failed:
        assert "This measurement contradicts the paper in " + ", ".join(failed) in text


def test_curves_are_those_of_the_csv(home):
    checked = 0
    for id, figure in page_file.figures(page_file.load(home / "index.html")).items():
        if not re.match("spectrum|residual|recordings|recovered|convergence", id):
            continue
        table = page_file.rows(home / "csv" / (id + ".csv"))
        columns = [k for k, head in enumerate(table[0]) if k and not re.search(r" \((low|high)\)$", head)]
        for svg in figure.all("svg"):
            paths = [p for p in svg.all("path") if p["data-s"]]
            assert len(paths) == len(columns) > 1, id
            for path, column in zip(paths, columns):
                test_pages.check_line(path, table, column, svg["data-x"], svg["data-y"])
                checked += 1
    assert checked > 100


def test_csv_has_the_numbers_of_the_runs(home):
    """Medians over the two seeds, by NumPy, from the files of the runs."""
    def figures(seed, run):
        rows = page_file.rows(home / ("seed-%d" % seed) / (run + ".csv"))
        return {(name, float(at)): float(value) for name, at, value in rows[1:]}
    runs = [figures(0, "idl-rescale-5"), figures(1, "idl-rescale-5")]
    table = page_file.rows(home / "csv" / "residual-idl-rescale.csv")
    column = table[0].index("γ = 5")
    for row in table[1:]:
        at = ("residual", float(row[0]))
        assert float(row[column]) == pytest.approx(np.median([r[at] for r in runs]), rel=1e-12)
    base = [figures(0, "ksvd-1"), figures(1, "ksvd-1")]
    paired = {row[0]: row[1:] for row in page_file.rows(home / "csv" / "paired.csv")[1:]}
    ratios = [r[("residual", 10.0)] / b[("residual", 10.0)] for r, b in zip(runs, base)]
    told = [float(v) for v in re.findall(r"[\d.]+", paired["IDL(γ), rescaled, γ = 5"][1])]
    np.testing.assert_allclose(told, np.quantile(ratios, [0.5, 0.25, 0.75]), atol=6e-4)


# ---- The browser ----

def test_no_message_and_no_request(home, browser):  # noqa: F811
    browser.get_log("performance")
    browser.get_log("browser")
    test_pages.show(browser, home / "index.html")
    test_pages.open_everything(browser)
    assert browser.get_log("browser") == []
    asked = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith("data:")] == ["file://" + str(home / "index.html")]


@pytest.mark.parametrize("width", [400, 768, 1400])
def test_figures_have_a_sensible_size(home, browser, width):  # noqa: F811
    test_pages.show(browser, home / "index.html", width)
    charts = 0
    for id, kind, seen, wide, high, left, right in browser.execute_script(test_pages.SIZES):
        if kind == "chart":
            assert seen == 1 and left >= 0 and right <= width, (id, left, right)
            assert 340 <= wide <= 700 and 240 <= high <= 420, (id, wide, high)
            charts += 1
    assert charts == len(CHARTS)
    test_pages.open_everything(browser)
    over = browser.execute_script("""return [...document.querySelectorAll('body *')].filter(e =>
        !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 99))""")
    assert over == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width, scheme", [(400, "light"), (1400, "dark")])
def test_text_is_readable(home, browser, width, scheme):  # noqa: F811
    test_pages.show(browser, home / "index.html", width, scheme)
    found = browser.execute_script(test_pages.TEXTS)
    assert len(found) > 400
    for size, contrast, text in found:
        assert size >= 11 and contrast >= 4.5, (size, contrast, text)
    for id, labels in browser.execute_script(test_pages.LABELS):
        for k, (text, left, right, top, bottom, wide, high) in enumerate(labels):
            assert left >= -1 and right <= wide + 12 and top >= -2 and bottom <= high + 2, (id, text)
            for other, l, r, t, b, _, _ in labels[:k]:
                assert right <= l + 1 or r <= left + 1 or bottom <= t + 3 or b <= top + 3, (id, text, other)


def test_pointing_at_a_chart_tells_its_numbers(home, browser):  # noqa: F811
    test_pages.show(browser, home / "index.html")
    for id in "spectrum-inksvd", "residual-idl-rescale", "recovered-atoms-bound":
        left, top, wide, high, units, x_axis = test_pages.place(browser, "#%s > svg" % id)
        table = page_file.rows(home / "csv" / (id + ".csv"))
        row = table[1 + len(table) // 2]
        test_pages.pointer(browser, left + page_file.axis(x_axis)[0](float(row[0])) * wide / units, top + high / 2)
        lines = test_pages.tip(browser)
        assert lines and ("%.6g" % float(row[0])) in lines[0], (id, lines)
        for value, head in zip(row[1:], table[0][1:]):
            assert "%.6g %s" % (float(value), head) in lines, (id, lines, head)
        test_pages.pointer(browser, 2, 2)
