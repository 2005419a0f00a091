"""Every argument of every public class is documented, and an argument that a class does not have is refused."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from enum import Enum

import pytest

import manikin as mk

CLASSES = sorted(
    name
    for name in mk.__all__
    if inspect.isclass(value := getattr(mk, name)) and not issubclass(value, Enum) and not inspect.isabstract(value)
)


def fields_with_text(kind: type) -> set[str]:
    """The names below the class statement, and those of its bases, that a docstring or a comment follows."""
    found: set[str] = set()
    for base in kind.__mro__[:-1]:
        try:
            source = textwrap.dedent(inspect.getsource(base))
        except (OSError, TypeError):
            continue
        found |= set(re.findall(r'^    (\w+): [^\n]*\n(?:        [^\n]*\n|    \)\n)*?    (?:"""|r""")', source, re.M))
    return found


def named_in_text(kind: type) -> set[str]:
    """The names that "Args:" of the class or its constructor explain."""
    text = "\n".join(inspect.getdoc(part) or "" for part in (kind, getattr(kind, "__init__")))  # noqa: B009 - mypy knows no type for kind.__init__
    found: set[str] = set()
    for names in re.findall(r"^ +(\w+(?:, \w+)*): ", text, re.M):
        found |= set(names.split(", "))
    return found


def arguments(kind: type) -> list[str]:
    """The arguments of the constructor."""
    try:
        parameters = inspect.signature(kind).parameters.values()
    except ValueError:  # a class of the native core
        return []
    return [p.name for p in parameters]


@pytest.mark.parametrize("name", CLASSES)
def test_every_argument_is_documented(name: str) -> None:
    kind = getattr(mk, name)
    known = fields_with_text(kind) | named_in_text(kind)
    known |= {f.name for f in dataclasses.fields(kind) if not f.init} if dataclasses.is_dataclass(kind) else set()
    missing = [argument for argument in arguments(kind) if argument not in known]
    assert not missing, f"{name} does not document {', '.join(missing)}"


@pytest.mark.parametrize("name", CLASSES)
def test_an_unknown_argument_is_refused(name: str) -> None:
    with pytest.raises(TypeError):
        getattr(mk, name)(no_such_argument=1)
