"""The option table of the library as parameters of Python functions.

Names, types, ranges, defaults and help come from the table when the package is imported; no option is declared here.
"""
import dataclasses
import functools
import inspect
import os
import re
import textwrap
import typing

from . import _library as library
from . import _structs as s

# Calls that take options: the bits of inco_option.commands.
LEARN, ENCODE, DECODE, INSPECT, FRAME, DECOHERE, COMPARE = 1, 2, 4, 8, 16, 32, 64
FLAG, INTEGER, REAL, CHOICE, TEXT, SIZE = range(6)  # inco_option_type

RESERVED = {"lambda": "lambda_"}


def python_name(name):
    """The parameter of an option: max-coherence is max_coherence."""
    return RESERVED.get(name, name.replace("-", "_"))


@dataclasses.dataclass(frozen=True)
class Option:
    """A row of the table."""

    name: str
    type: int
    default_text: typing.Optional[str]
    low: float
    high: float
    choices: typing.Tuple[str, ...]
    commands: int
    metavar: typing.Optional[str]
    help: str

    @property
    def default(self):
        """The default as a value; None where the option is unset, or its default depends on other options."""
        depends = re.search(r"\bdefault\b", self.help)
        if self.type == FLAG:
            return None if depends else False
        if self.default_text is None or depends:
            return None
        return {INTEGER: int, REAL: float}.get(self.type, str)(self.default_text)

    @property
    def type_text(self):
        """The type, as docstrings name it."""
        words = " or ".join(repr(word) for word in self.choices)
        if self.type == CHOICE:
            return "{" + ", ".join(repr(word) for word in self.choices) + "}"
        kind = {FLAG: "bool", INTEGER: "int", REAL: "float", TEXT: "str", SIZE: "tuple of two ints"}[self.type]
        return f"{kind} or {words}" if words else kind

    @property
    def annotation(self):
        """The type, as type hints name it."""
        kind = {FLAG: bool, INTEGER: int, REAL: float, SIZE: typing.Tuple[int, int]}.get(self.type, str)
        if self.metavar == "FILE":
            kind = typing.Union[str, os.PathLike]
        if self.choices:
            words = typing.Literal[self.choices]
            kind = words if self.type == CHOICE else typing.Union[kind, words]
        return kind if self.default is not None else typing.Optional[kind]

    def text(self, value):
        """A value as the library reads it; what makes no sense is left to the library to refuse."""
        if self.type == FLAG and value in (True, False):
            return "yes" if value else "no"
        if self.type == SIZE and isinstance(value, (tuple, list)):
            return "x".join(str(part) for part in value)
        if self.type == REAL and not isinstance(value, (str, bytes, bool)):
            try:
                return repr(float(value))
            except (TypeError, ValueError):
                pass
        return str(value)


def _read_table():
    table, row = {}, s.Option()
    while library.lib.inco_option_at(len(table), row):
        name = row.name.decode()
        table[name] = Option(
            name=name,
            type=row.type,
            default_text=row.default_text.decode() if row.default_text is not None else None,
            low=row.low,
            high=row.high,
            choices=tuple(row.choices.decode().split("|")) if row.choices else (),
            commands=row.commands,
            metavar=row.metavar.decode().partition("|")[0] if row.metavar else None,
            help=row.help.decode(),
        )
    return table


TABLE = _read_table()


# ---- Parameters ----

class Parameters:
    """The options of a call as keyword parameters: `names` maps a parameter to its option."""

    def __init__(self, command, without=(), rename=None):
        rename = rename or {}
        rows = [row for row in TABLE.values() if row.commands & command and row.name not in without]
        self.names = {rename.get(row.name, python_name(row.name)): row for row in rows}

    def signature(self, before=(), after=()):
        """The parameters for inspect.Signature, between others."""
        own = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=row.default, annotation=row.annotation)
            for name, row in self.names.items()
            if name not in {parameter.name for parameter in (*before, *after)}
        ]
        return [*before, *own, *after]

    def settings(self, values):
        """Text by option, of the parameters that differ from their defaults."""
        unknown = set(values) - set(self.names)
        if unknown:
            raise TypeError(f"unexpected keyword argument {sorted(unknown)[0]!r}")
        return {
            row.name: row.text(values[name])
            for name, row in self.names.items()
            if name in values and not _is_default(values[name], row.default)
        }

    def document(self, without=()):
        """The parameters in the style of numpydoc."""
        entries = []
        for name, row in self.names.items():
            if name in without:
                continue
            text = textwrap.fill(_sentence(self.speak(row.help), name, row) + ".", 96)
            default = row.default_text if row.default is None and row.default_text else repr(row.default)
            entries.append(f"{name} : {row.type_text}, default={default}\n{textwrap.indent(text, '    ')}")
        return "\n".join(entries)

    def speak(self, text):
        """A text of the library with the names of the parameters: option 'max-coherence' is max_coherence."""
        return speak(text, {row.name: name for name, row in self.names.items()})


def _sentence(text, name, row):
    """A help text that begins with a capital, except for names, and names the parameter where it names its value."""
    if row.metavar and row.metavar.isupper():
        text = re.sub(rf"(?<![\w-]){row.metavar}(?![\w-])", name, text)
    words = {word for other in TABLE.values() for word in other.choices}
    first = re.match(r"\w*", text).group()
    return text if first in words else text[:1].upper() + text[1:]


def _is_default(value, default):
    """None is always the default; True is not 1."""
    return value is None or (type(value) is type(default) and value == default)


def speak(text, names=None):
    """A text of the library as a Python programmer would write it."""
    def parameter(match):
        return (names or {}).get(match.group(1), python_name(match.group(1)))

    def setting(match):
        number = re.fullmatch(r"[-+.\de]*\d[-+.\de]*", match.group(2))
        return f"{parameter(match)}={match.group(2) if number else repr(match.group(2))}"

    text = re.sub(r"option '([\w-]+)' = '?([\w.|/-]+)'?", setting, text)
    return re.sub(r"option '([\w-]+)'", parameter, text)


def takes_options(parameters, replaced=()):
    """A decorator: gives a function with **options the signature and the docstring of the options.

    `{options}` in the docstring stands for the parameters of the table, without the `replaced` ones.
    """
    def decorate(function):
        given = [p for p in inspect.signature(function).parameters.values() if p.kind != inspect.Parameter.VAR_KEYWORD]

        @functools.wraps(function)
        def call(*args, **kwargs):
            return function(*args, **kwargs)

        call.__signature__ = inspect.signature(function).replace(parameters=parameters.signature(given))
        names = {p.name for p in given} | set(replaced)
        document = textwrap.dedent("    " + function.__doc__)
        call.__doc__ = document.replace("{options}", parameters.document(without=names))
        return call

    return decorate
