"""Reports of inco: their numbers against the CSV files, and layout and behaviour in Chromium."""
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import page_file  # noqa: E402

INCO = os.environ["INCO"]
HOSTILE = "<img src=x onerror=alert(1)> & 'a' \"b\".npy"


def inco(*words, folder, **others):
    done = subprocess.run([INCO] + [str(w) for w in words], cwd=folder, capture_output=True, text=True, **others)
    assert done.returncode == 0, done.stderr
    return done


def has(feature):
    return feature in re.search(r"built with:(.*)", inco("--version", folder=".").stdout).group(1).split()


def signals(count, dim, atoms, seed):
    """Smooth waves, and sparse combinations of them."""
    random = np.random.default_rng(seed)
    t = np.arange(dim) / dim
    waves = np.array([np.sin(2 * np.pi * (0.5 + 12 * random.random()) * t + 6 * random.random())
                      * np.exp(-((t - random.random()) / 0.3) ** 2) for _ in range(atoms)])
    picks = np.array([random.choice(atoms, 3, replace=False) for _ in range(count)])
    return np.array([random.standard_normal(3) @ waves[p] for p in picks])


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Reports of all kinds, each with a folder of its numbers."""
    folder = tmp_path_factory.mktemp("pages")
    np.save(folder / "X.npy", signals(400, 48, 60, 1))
    np.save(folder / "T.npy", signals(120, 48, 60, 2))
    np.save(folder / "P.npy", signals(400, 64, 60, 3))
    inco("learn", "X.npy", "--atoms", 120, "--iterations", 6, "-o", HOSTILE, "--log", "run.jsonl", "--test", "T.npy",
         "--report", "learn.html", "--csv", "learn", folder=folder)
    inco("learn", "P.npy", "--atoms", 100, "--iterations", 3, "--patch", "8x8", "-o", "patches.npy", "--report",
         "patches.html", "--csv", "patches", folder=folder)
    inco("inspect", HOSTILE, "--report", "inspect.html", "--csv", "inspect", folder=folder)
    inco("compare", "patches.npy", "P.npy", "--patch", "8x8", "--report", "compare.html", "--csv", "compare", folder=folder)
    if has("json"):
        inco("report", "run.jsonl", HOSTILE, "--test", "T.npy", "-o", "report.html", "--csv", "report", folder=folder)
    return folder


def names():
    return ["learn", "patches", "inspect", "compare"] + (["report"] if has("json") else [])


# ---- The file ----

EXPECTED = {"atoms", "pairs", "inner-products", "nearest", "singular-values", "babel"}
OF_A_RUN = {"usage", "convergence-error", "convergence-cardinality", "convergence-objective", "convergence-coherence"}


def test_every_figure_is_there_and_has_its_numbers(home):
    for name in names():
        found = page_file.figures(page_file.load(home / (name + ".html")))
        expected = EXPECTED | (OF_A_RUN if name != "inspect" else set())
        expected |= {"residual"} if name in ("learn", "report") else set()
        expected = {"matched", "pairs"} if name == "compare" else expected
        assert set(found) == expected, name
        assert set(page_file.csv_names(home / name)) == expected, name


def test_report_from_the_log_is_the_page_of_the_run(home):
    if not has("json"):
        pytest.skip("this build reads no JSON")
    for csv in page_file.csv_names(home / "learn"):
        assert (home / "learn" / (csv + ".csv")).read_text() == (home / "report" / (csv + ".csv")).read_text(), csv
    facts = [page_file.load(home / (n + ".html")).words() for n in ("learn", "report")]
    for word in "Seed", "Machine", "Method", "Command", "Test signals", "120 of the 120 in T.npy":
        assert word in facts[0] and word in facts[1], word


def values(table, column):
    return [float(row[column]) if row[column] else None for row in table[1:]]


def check_line(path, table, column, x_axis, y_axis):
    place_x, place_y = page_file.axis(x_axis)[0], page_file.axis(y_axis)[0]
    drawn = page_file.points(path["d"])
    shown = [(place_x(x), place_y(y)) for x, y in zip(values(table, 0), values(table, column)) if y is not None]
    assert len(drawn) == len(shown) > 1
    assert np.abs(np.array(drawn) - shown).max() < 0.11


def check_bars(path, table, x_axis, y_axis):
    (place_x, _, _), (place_y, kind, low) = page_file.axis(x_axis), page_file.axis(y_axis)
    drawn = page_file.bars(path["d"])
    shown = [(place_x(x), place_y(y)) for x, y in zip(values(table, 0), values(table, 1)) if y]
    assert kind == "log" and 0 < low < 1
    assert len(drawn) == len(shown) > 1
    assert np.abs(np.array(drawn)[:, :2] - shown).max() < 0.11


def test_curves_and_bars_are_those_of_the_csv(home):
    checked = 0
    for name in names():
        for id, figure in page_file.figures(page_file.load(home / (name + ".html"))).items():
            if figure["class"] != "chart":
                continue
            table = page_file.rows(home / name / (id + ".csv"))
            sizes = [child for child in figure.children if child.tag == "svg"]
            assert [svg["class"] for svg in sizes] == ["wide", "narrow"]
            for svg in sizes:
                paths = [p for p in svg.all("path") if p["data-s"]]
                columns = [k for k, head in enumerate(table[0]) if k and not re.search(r" \((low|high)\)$", head)]
                assert len(paths) == len(columns) >= 1
                for path, column in zip(paths, columns):
                    if "bar" in path["class"]:
                        check_bars(path, table, svg["data-x"], svg["data-y"])
                    else:
                        check_line(path, table, column, svg["data-x"], svg["data-y"])
                    checked += 1
    assert checked >= 2 * 18


def test_bands_are_those_of_the_csv(home):
    svg = next(page_file.figures(page_file.load(home / "learn.html"))["residual"].all("svg"))
    table = page_file.rows(home / "learn" / "residual.csv")
    place_x, place_y = page_file.axis(svg["data-x"])[0], page_file.axis(svg["data-y"])[0]
    low, high = [(place_x(x), place_y(y)) for x, y in zip(values(table, 0), values(table, 2))], \
                [(place_x(x), place_y(y)) for x, y in zip(values(table, 0), values(table, 3))]
    drawn = page_file.points(next(svg.all("path", "band"))["d"])
    assert np.abs(np.array(drawn) - (high + low[::-1])).max() < 0.11
    assert all(a <= b <= c for a, b, c in zip(values(table, 2), values(table, 1), values(table, 3)))


def test_tables_on_the_page_are_those_of_the_csv(home):
    for id, figure in page_file.figures(page_file.load(home / "learn.html")).items():
        if figure["class"] != "chart":
            continue
        shown = [[cell.words().strip() for cell in row.children] for row in figure.all("tr")]
        table = page_file.rows(home / "learn" / (id + ".csv"))
        assert shown[0] == table[0] and len(shown) == len(table)
        for a, b in zip(shown[1:], table[1:]):
            assert a == ["%.6g" % float(v) if v else "" for v in b]


def test_csv_has_the_true_numbers(home):
    found = json.loads(inco("inspect", HOSTILE, "--json", folder=home).stdout)
    table = page_file.rows(home / "inspect" / "singular-values.csv")
    assert values(table, 1) == found["singular_values"]
    counts = values(page_file.rows(home / "inspect" / "inner-products.csv"), 1)
    assert counts == found["histogram"][:len(counts)] and sum(counts) == 120 * 119 / 2
    with open(home / "run.jsonl") as file:
        log = [json.loads(line) for line in file]
    table = page_file.rows(home / "learn" / "convergence-error.csv")
    assert values(table, 1) == [line["relative_error"] for line in log if line["event"] == "iteration"]
    assert values(page_file.rows(home / "learn" / "usage.csv"), 1) == sorted(log[-1]["usage"], reverse=True)
    assert sum(u == 0 for u in log[-1]["usage"]) == log[-1]["unused"]


def test_residuals_are_those_of_an_independent_pursuit(home):
    sklearn = pytest.importorskip("sklearn.linear_model")
    atoms, x = np.load(home / HOSTILE), np.load(home / "T.npy")
    table = page_file.rows(home / "learn" / "residual.csv")
    for row in table[1:]:
        k = int(row[0])
        if k > 12:
            break
        codes = sklearn.orthogonal_mp(atoms.T, x.T, n_nonzero_coefs=k)
        rest = np.linalg.norm(x.T - atoms.T @ codes.reshape(len(atoms), -1), axis=0) / np.linalg.norm(x, axis=1)
        # the median first, then the quartiles
        np.testing.assert_allclose([float(v) for v in row[1:4]], np.quantile(rest, [0.5, 0.25, 0.75]), rtol=1e-6)


def test_atoms_are_drawn_as_they_are(home):
    atoms = np.load(home / HOSTILE)
    table = page_file.rows(home / "learn" / "atoms.csv")
    uses = [int(row[1]) for row in table[1:]]
    assert uses == sorted(uses, reverse=True) and len(uses) == 120
    items = list(page_file.figures(page_file.load(home / "learn.html"))["atoms"].all("li"))
    assert len(items) == 120
    for row, item in zip(table[1:], items):
        number = int(row[0])
        assert item.words().split()[0] == str(number) and item["data-t"].startswith("atom %d, used by %s of" % (number, row[1]))
        assert [float(v) for v in row[2:]] == list(atoms[number])
        drawn = page_file.points(next(item.all("path"))["d"])
        assert [x for x, _ in drawn] == list(range(48))
        scaled = atoms[number] / np.abs(atoms[number]).max()
        assert np.abs(24 - np.array([y for _, y in drawn]) - 24 * scaled).max() <= 0.5 + 1e-9


def test_patches_are_drawn_as_they_are(home):
    atoms = np.load(home / "patches.npy")
    items = list(page_file.figures(page_file.load(home / "patches.html"))["atoms"].all("li"))
    assert len(items) == 100
    for item in items:
        atom = atoms[int(item.words().split()[0])]
        grey = np.array(page_file.grey_levels(next(item.all("img"))))
        assert grey.shape == (8, 8)
        assert np.abs(grey - 7 - 7 * (atom / np.abs(atom).max()).reshape(8, 8)).max() <= 0.5 + 1e-9


def test_long_atoms_keep_their_peaks(tmp_path):
    atoms = np.random.default_rng(5).standard_normal((30, 1000))
    np.save(tmp_path / "D.npy", atoms)
    inco("inspect", "D.npy", "--report", "long.html", folder=tmp_path)
    for item in page_file.figures(page_file.load(tmp_path / "long.html"))["atoms"].all("li"):
        heights = [24 - y for _, y in page_file.points(next(item.all("path"))["d"])]
        atom = atoms[int(item.words().split()[0])]
        assert len(heights) == 160
        np.testing.assert_allclose([max(heights), min(heights)], 24 * np.array([atom.max(), atom.min()])
                                   / np.abs(atom).max(), atol=0.51)


@pytest.mark.parametrize("dim, patch", [(160, None), (256, "16x16"), (768, None)])
def test_a_thousand_atoms_stay_below_a_megabyte(tmp_path, dim, patch):
    np.save(tmp_path / "D.npy", np.random.default_rng(6).standard_normal((1000, dim)).astype("f4"))
    inco("inspect", "D.npy", "--report", "many.html", *(["--patch", patch] if patch else []), folder=tmp_path)
    assert os.path.getsize(tmp_path / "many.html") < 1_000_000
    figure = page_file.figures(page_file.load(tmp_path / "many.html"))["atoms"]
    count = len(list(figure.all("li")))
    assert count >= 900
    told = re.search(r"The first (\d+) of 1000 atoms are drawn", figure.words())
    assert (int(told.group(1)) if told else 1000) == count


def test_atoms_of_a_decoder_are_not_drawn(tmp_path):
    """Thousands of atoms of unknown shape: their distribution and the pairs in numbers, no curves."""
    atoms = np.random.default_rng(7).standard_normal((2100, 40)).astype("f4")
    atoms[5], atoms[9] = 0, -2 * atoms[1200]
    np.save(tmp_path / "D.npy", atoms)
    inco("inspect", "D.npy", "--report", "many.html", "--csv", "numbers", folder=tmp_path)
    page = page_file.load(tmp_path / "many.html")
    assert set(page_file.csv_names(tmp_path / "numbers")) == EXPECTED - {"atoms"}
    assert set(page_file.figures(page)) <= EXPECTED - {"atoms"}
    assert "<ul class=atoms" not in (tmp_path / "many.html").read_text()
    pair = page_file.rows(tmp_path / "numbers" / "pairs.csv")[1]
    assert [float(value) for value in pair] == [9, 1200, -1]
    assert sum(values(page_file.rows(tmp_path / "numbers" / "nearest.csv"), 1)) == 2099
    inco("inspect", "D.npy", "--rate", 8000, "--report", "rate.html", folder=tmp_path)
    assert "atoms" in page_file.figures(page_file.load(tmp_path / "rate.html"))


# ---- The browser ----

@pytest.fixture(scope="module")
def browser():
    webdriver = pytest.importorskip("selenium.webdriver")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no chromium and chromedriver here")
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    for word in "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars":
        options.add_argument(word)
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    made = webdriver.Chrome(options=options, service=Service(driver))
    yield made
    made.quit()


def emulate(browser, width, scheme="light", media=""):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def show(browser, path, width=1400, scheme="light", media=""):
    emulate(browser, width, scheme, media)
    browser.get("file://" + str(path))


def open_everything(browser):
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")


def test_no_message_and_no_request(home, browser):
    for name in names():
        browser.get_log("performance")
        show(browser, home / (name + ".html"))
        open_everything(browser)
        assert browser.get_log("browser") == []
        asked = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
        asked = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
        asked = [url for url in asked if not url.startswith("data:")]
        assert len(asked) == 1 and asked[0].startswith("file://") and asked[0].endswith(name + ".html"), asked


def test_names_from_outside_stay_text(home, browser):
    show(browser, home / "learn.html")
    assert browser.find_element("css selector", "h1").text == HOSTILE
    assert browser.title == HOSTILE
    assert "onerror=alert(1)" in browser.find_element("css selector", "dd.code").text
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0


SIZES = """return [...document.querySelectorAll('figure')].map(f => {
    const seen = [...f.querySelectorAll('svg,img')].map(e => e.getBoundingClientRect()).filter(r => r.width > 0);
    return [f.id, f.className, seen.length, Math.max(...seen.map(r => r.width)), Math.max(...seen.map(r => r.height)),
            Math.min(...seen.map(r => r.left)), Math.max(...seen.map(r => r.right))]})"""


@pytest.mark.parametrize("width", [400, 1400])
def test_figures_have_a_sensible_size(home, browser, width):
    for name in names():
        show(browser, home / (name + ".html"), width)
        for id, kind, seen, wide, high, left, right in browser.execute_script(SIZES):
            assert left >= 0 and right <= width, (id, left, right)
            if kind == "chart":
                assert seen == 1, id  # one of the two sizes
                assert 340 <= wide <= 700 and 240 <= high <= 420, (id, wide, high)
            else:
                assert seen >= 12 and 50 <= wide <= 200 and 40 <= high <= 200, (id, wide, high)


@pytest.mark.parametrize("width", [400, 768, 1400])
def test_nothing_hangs_over_the_edge(home, browser, width):
    for name in names():
        show(browser, home / (name + ".html"), width)
        open_everything(browser)
        over = browser.execute_script("""return [...document.querySelectorAll('body *')].filter(e =>
            !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 99))""")
        assert over == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width


TEXTS = """
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
const rgb = c => c.match(/[\\d.]+/g).map(Number), lum = c => { const [r, g, b] = rgb(c).slice(0, 3).map(v => {
    v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 }); return .2126 * r + .7152 * g + .0722 * b };
const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (rgb(c)[3] !== 0) return c } return 'rgb(255,255,255)' };
while (walk.nextNode()) {
    const e = walk.currentNode.parentElement, s = getComputedStyle(e);
    if (!walk.currentNode.data.trim() || /^(SCRIPT|STYLE)$/.test(e.tagName)) continue;
    if (!e.getClientRects().length || e.getBoundingClientRect().width === 0) continue;
    const svg = e.closest('svg'), scale = svg ? svg.getScreenCTM().a : 1;
    const a = lum(svg ? s.fill : s.color), b = lum(ground(e));
    found.push([parseFloat(s.fontSize) * scale, (Math.max(a, b) + .05) / (Math.min(a, b) + .05),
                walk.currentNode.data.trim().slice(0, 40)]);
}
return found"""


@pytest.mark.parametrize("width, scheme", [(400, "light"), (1400, "light"), (400, "dark"), (1400, "dark")])
def test_text_is_readable(home, browser, width, scheme):
    for name in "learn", "patches":
        show(browser, home / (name + ".html"), width, scheme)
        open_everything(browser)
        found = browser.execute_script(TEXTS)
        assert len(found) > 200
        for size, contrast, text in found:
            assert size >= 11, (size, text)
            assert contrast >= 4.5, (contrast, text)


LABELS = """return [...document.querySelectorAll('.chart svg')].filter(s => s.getBoundingClientRect().width).map(s =>
    [s.closest('figure').id, [...s.querySelectorAll('text')].map(t => { const r = t.getBoundingClientRect(),
        o = s.getBoundingClientRect(); return [t.textContent, r.left - o.left, r.right - o.left, r.top - o.top,
        r.bottom - o.top, o.width, o.height] })])"""


@pytest.mark.parametrize("width", [400, 1400])
def test_labels_do_not_collide(home, browser, width):
    show(browser, home / "learn.html", width)
    for id, labels in browser.execute_script(LABELS):
        for k, (text, left, right, top, bottom, wide, high) in enumerate(labels):
            assert left >= -1 and right <= wide + 12 and top >= -2 and bottom <= high + 2, (id, text)
            for other, l, r, t, b, _, _ in labels[:k]:
                assert right <= l + 1 or r <= left + 1 or bottom <= t + 3 or b <= top + 3, (id, text, other)


def pointer(browser, x, y):
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})


def tip(browser):
    found = browser.execute_script("const t = document.getElementById('tip'); return t.hidden ? null : t.innerText")
    return found and [line.strip() for line in found.splitlines()]


def place(browser, css):
    return browser.execute_script("""const e = [...document.querySelectorAll(arguments[0])].filter(e =>
        e.getBoundingClientRect().width)[0]; e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();
        return [r.left, r.top, r.width, r.height, e.viewBox ? e.viewBox.baseVal.width : 0, e.dataset.x || '']""", css)


@pytest.mark.parametrize("width", [400, 1400])
def test_pointing_at_a_chart_tells_its_numbers(home, browser, width):
    show(browser, home / "learn.html", width)
    for id in "convergence-coherence", "residual", "inner-products", "singular-values":
        left, top, wide, high, units, x_axis = place(browser, "#%s > svg" % id)
        table = page_file.rows(home / "learn" / (id + ".csv"))
        row = table[1 + len(table) // 2]
        x = page_file.axis(x_axis)[0](float(row[0])) + (1 if id == "inner-products" else 0)
        pointer(browser, left + x * wide / units, top + high / 2)
        lines = tip(browser)
        assert lines and ("%.6g" % float(row[0])) in lines[0], (id, lines, row)
        for value, head in zip(row[1:], table[0][1:]):
            assert "%.6g %s" % (float(value), head) in lines, (id, lines)
        assert browser.execute_script("return document.querySelectorAll('#%s .hover .hair').length" % id) == 1
        spots = {"convergence-coherence": 2, "inner-products": 0}.get(id, 1)
        assert browser.execute_script("return document.querySelectorAll('#%s .hover .spot').length" % id) == spots
        box = browser.execute_script("const r = document.getElementById('tip').getBoundingClientRect();"
                                     "return [r.left, r.right, r.top, r.bottom]")
        assert box[0] >= 0 and box[1] <= width and box[2] >= 0 and box[3] <= 900
        pointer(browser, 2, 2)
        assert tip(browser) is None
        assert browser.execute_script("return document.querySelectorAll('.hover').length") == 0


def test_arrow_keys_go_along_a_chart(home, browser):
    from selenium.webdriver.common.keys import Keys
    show(browser, home / "learn.html")
    table = page_file.rows(home / "learn" / "convergence-error.csv")
    figure = browser.find_element("id", "convergence-error")
    figure.send_keys(Keys.ARROW_RIGHT)
    assert tip(browser)[0] == "iteration 1"
    figure.send_keys(Keys.ARROW_RIGHT)
    assert tip(browser)[0] == "iteration 2" and tip(browser)[1].startswith("%.6g" % float(table[2][1]))
    figure.send_keys(Keys.ESCAPE)
    assert tip(browser) is None


def test_pointing_at_an_atom_enlarges_it(home, browser):
    for name in "learn", "patches":
        show(browser, home / (name + ".html"))
        left, top, wide, high, _, _ = place(browser, "#atoms li")
        pointer(browser, left + wide / 2, top + high / 3)
        assert re.match(r"atom \d+, used by \d+ of 400 signals", tip(browser)[-1])
        size = browser.execute_script("const r = document.querySelector('#tip svg, #tip img').getBoundingClientRect();"
                                      "return [r.width, r.height]")
        assert size[0] > 1.5 * wide or size[1] > 1.5 * high
        pointer(browser, 2, 2)


def screenshot(browser):
    return browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True})["data"]


def test_the_page_is_complete_without_script(home, browser):
    show(browser, home / "learn.html")
    whole = screenshot(browser)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        show(browser, home / "learn.html")
        assert screenshot(browser) == whole
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def ground(browser):
    return browser.execute_script("return getComputedStyle(document.documentElement).backgroundColor")


def test_dark_and_paper(home, browser):
    show(browser, home / "learn.html", scheme="light")
    light = ground(browser)
    show(browser, home / "learn.html", scheme="dark")
    assert ground(browser) != light
    show(browser, home / "learn.html", width=800, scheme="dark", media="print")
    assert ground(browser) == light  # paper is white
    assert browser.execute_script("return [...document.querySelectorAll('details')].every(d => !d.offsetHeight)")
    assert min(size for size, _, _ in browser.execute_script(TEXTS)) >= 10
    paper = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
    assert len(paper) > 20000
