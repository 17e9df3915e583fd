"""Reads a report of inco: its figures, their curves in data units, and its CSV files."""
import base64
import csv
import html.parser
import math
import os
import re

VOID = {"meta", "link", "img", "br", "path", "circle"}


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent = tag, dict(attributes), parent
        self.children, self.text = [], ""

    def __getitem__(self, name):
        return self.attributes.get(name) or ""

    def all(self, tag, css=None):
        for child in self.children:
            if child.tag == tag and (css is None or css in child["class"].split()):
                yield child
            yield from child.all(tag, css)

    def words(self):
        return self.text + "".join(child.words() for child in self.children)


class Parser(html.parser.HTMLParser):
    CLOSED_BY = {"tr": {"td", "th", "tr"}, "td": {"td", "th"}, "th": {"td", "th"}, "li": {"li"}}

    def __init__(self):
        super().__init__()
        self.root = self.here = Element("root", [], None)

    def handle_starttag(self, tag, attributes):
        while self.here.tag in self.CLOSED_BY.get(tag, ()):
            self.here = self.here.parent
        element = Element(tag, attributes, self.here)
        self.here.children.append(element)
        if tag not in VOID:
            self.here = element

    def handle_startendtag(self, tag, attributes):
        self.here.children.append(Element(tag, attributes, self.here))

    def handle_endtag(self, tag):
        at = self.here
        while at and at.tag != tag:
            at = at.parent
        if at:
            self.here = at.parent

    def handle_data(self, text):
        self.here.text += text


def load(path):
    parser = Parser()
    with open(path, encoding="utf-8") as file:
        parser.feed(file.read())
    return parser.root


def figures(page):
    return {figure["id"]: figure for figure in page.all("figure")}


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def csv_names(folder):
    return sorted(name[:-4] for name in os.listdir(folder))


def axis(text):
    """Maps a value to its position, by the attribute of an SVG."""
    kind, low, high, start, end = text.split()
    low, high, start, end = float(low), float(high), float(start), float(end)

    def place(value):
        share = math.log(value / low) / math.log(high / low) if kind == "log" else (value - low) / (high - low)
        return start + share * (end - start)
    return place, kind, low


def points(d):
    """The corners of a path of M and l."""
    x = y = 0
    found = []
    for command, rest in re.findall(r"([Ml])([^Mlz]*)", d):
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", rest)]
        for k in range(0, len(numbers), 2):
            x, y = (numbers[k], numbers[k + 1]) if command == "M" else (x + numbers[k], y + numbers[k + 1])
            found.append((x, y))
    return found


def bars(d):
    """Left, top and width of every bar."""
    return [tuple(map(float, bar)) for bar in re.findall(r"M(-?[\d.]+) (-?[\d.]+)h([\d.]+)V", d)]


def grey_levels(img):
    """Rows of a bitmap with four bits per pixel, from 0 to 15."""
    content = base64.b64decode(img["src"].split(",", 1)[1])
    number = lambda at, size: int.from_bytes(content[at:at + size], "little")
    assert content[:2] == b"BM" and number(2, 4) == len(content) and number(28, 2) == 4
    start, cols, height = number(10, 4), number(18, 4), number(22, 4)
    stride = (cols + 7) // 8 * 4
    lines = []
    for i in range(height):
        line = content[start + (height - 1 - i) * stride:][:stride]
        lines.append([line[k // 2] >> 4 if k % 2 == 0 else line[k // 2] & 15 for k in range(cols)])
    return lines
