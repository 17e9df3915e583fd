"""The documents: lines of at most 100 characters, valid links, and the equations that the code cites."""
import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 100
LINK = re.compile(r"\]\(([^()\s]+)\)")


def files(*endings):
    """All files of the source tree with these extensions, without build trees."""
    for folder, folders, names in os.walk(ROOT):
        if "CMakeCache.txt" in names:
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name) for name in names if name.endswith(endings))


def lines(document):
    """Number and text of every line, and whether it is in a code block."""
    code = False
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        fence = line.lstrip().startswith("```")
        code ^= fence
        yield number, line, code or fence


def anchors(document):
    """Anchors of the headings of a document, in GitHub's form."""
    headings = (re.match(r"#+ (.*)", line) for _, line, code in lines(document) if not code)
    texts = (match.group(1).lower() for match in headings if match)
    return {re.sub(r"[^\w\- ]", "", text).replace(" ", "-") for text in texts}


def documents():
    found = list(files(".md"))
    assert ROOT / "README.md" in found
    return found


def test_lines_fit():
    wrong = [f"{document.relative_to(ROOT)}:{number}: {len(line)} characters"
             for document in documents() for number, line, _ in lines(document)
             if not line.startswith("|") and len(LINK.sub("]", line)) > WIDTH]
    assert not wrong, "\n".join(wrong)


def dead(document, target):
    """Whether a link is broken; web addresses are not checked."""
    if re.match(r"[a-z]+:", target):
        return False
    path, _, anchor = target.partition("#")
    place = document.parent / path if path else document
    return not place.exists() or (anchor and anchor not in anchors(place))


def test_links_lead_somewhere():
    wrong = [f"{document.relative_to(ROOT)}:{number}: {target}"
             for document in documents() for number, line, code in lines(document) if not code
             for target in LINK.findall(re.sub(r"`[^`]*`", "", line)) if dead(document, target)]
    assert not wrong, "\n".join(wrong)


def test_citations_in_the_code():
    theory = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "theory").glob("*.md"))
    tags = set(re.findall(r"\(([A-Z]+-\d+)\)", theory))
    wrong = []
    for source in files(".c", ".h"):
        text = source.read_text(encoding="utf-8")
        cited = [f"({tag})" for tag in re.findall(r"\(([A-Z]+-\d+)\)", text) if tag not in tags]
        cited += [page for page in re.findall(r"docs/[\w/.-]+\.md", text) if not (ROOT / page).exists()]
        wrong += [f"{source.relative_to(ROOT)}: {name}" for name in cited]
    assert not wrong, "\n".join(wrong)
