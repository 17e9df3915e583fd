"""Parses inco.h: its structs, its functions, and derived headers of an older and a newer version."""
import re

FROZEN = {"inco_error", "inco_mat", "inco_csc"}  # structs that never change


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.S)


class Struct:
    """A struct: its name, its members as declared, and the position of its body."""

    def __init__(self, match, text):
        self.name = match.group(1)
        self.start, self.end = match.start(2), match.end(2)
        body = text[self.start:self.end]
        self.members = [" ".join(part.split()) for part in body.split(";") if part.strip()]
        self.sized = self.members[0] == "size_t size"

    def fewer(self, text):
        """The body without its last member."""
        body = text[self.start:self.end]
        start = body.rstrip().rstrip(";").rfind(";") + 1
        last, depth, comma = body[start:], 0, -1
        for place, char in enumerate(last):
            depth += (char == "(") - (char == ")")
            if char == "," and depth == 0:
                comma = place
        return body[:start] + (last[:comma] + ";\n" if comma >= 0 else "\n")

    def more(self, text):
        """The body with another member."""
        return text[self.start:self.end] + "    int64_t grown;\n"


def structs(header):
    """The structs of a header, in its order."""
    text = without_comments(header)
    return [Struct(match, text) for match in re.finditer(r"struct (inco_\w+) \{(.*?)\n\}", text, flags=re.S)]


def rewrite(header, body_of):
    """The header with the bodies of its sized structs replaced."""
    text = without_comments(header)
    for struct in reversed(structs(header)):
        if struct.sized:
            text = text[:struct.start] + body_of(struct, text) + text[struct.end:]
    return text


def functions(header):
    """Name and whole declaration of every function."""
    text = re.sub(r"^\s*#.*$", "", without_comments(header), flags=re.M)
    return [(match.group(2), " ".join(match.group(1).split()))
            for match in re.finditer(r"INCO_API ([^;]*?\b(inco_\w+)\([^;]*\));", text)]


def check(header):
    """Violations of the rules by which the interface grows, as a list of sentences."""
    wrong, all_structs = [], structs(header)
    names = "|".join(struct.name for struct in all_structs)
    by_value = re.compile(rf"\b({names})\b(?! ?\*)")
    for struct in all_structs:
        if struct.sized == (struct.name in FROZEN):
            wrong.append(f"{struct.name} must begin with its size" if not struct.sized else f"{struct.name} is frozen")
        if not struct.sized:
            continue
        for member in struct.members:
            if by_value.search(member.replace("const *", "*").replace("*const *", "*")) and "(" not in member:
                wrong.append(f"{struct.name} holds a struct by value: {member}")
            if "[" in member:
                wrong.append(f"{struct.name} holds an array: {member}")
    for name, declaration in functions(header):
        if by_value.search(declaration.replace("const *", "*")):
            wrong.append(f"{name} takes or returns a struct by value")
    return wrong
