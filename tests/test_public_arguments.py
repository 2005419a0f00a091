"""Every argument of every public class, method and function is documented, with its unit and shape.

An argument stands in "Args:" of the docstring, and a field of a dataclass has its own docstring. A method that
overrides another may leave the arguments to the docstring of that one. "as in `solve_many`" refers to another one.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import pytest

import manikin as mk

PUBLIC = {name: getattr(mk, name) for name in mk.__all__}
CLASSES: dict[str, type[Any]] = {
    name: kind for name, kind in PUBLIC.items() if inspect.isclass(kind) and not issubclass(kind, Enum)
}
MADE = sorted(name for name, kind in CLASSES.items() if not inspect.isabstract(kind))
"""The classes that have a constructor to call."""
ARRAY = re.compile(r"\b(ArrayLike|ndarray|Vector|Matrix|Placements|Points)\b")
SHAPE = re.compile(r"\([^()]*\)|\bas (in|for) `")
UNIT = re.compile(
    r"""\b(radians?|rad|seconds?|length|lengths|metres|Hz|frames|kg|pixels|inches|degrees|kilograms|per\ cent|unit)\b|%
    |\b(factor|number|weight|ratio|share|fraction)s?\b|\bas\ (in|for)\ `""",
    re.VERBOSE | re.IGNORECASE,
)


def in_args(documented: object) -> dict[str, str]:
    """The text of each argument that a docstring explains."""
    found: dict[str, str] = {}
    text = inspect.getdoc(documented) or ""
    for indent, names, first, rest in re.findall(
        r"^( *)(\*{0,2}\w+(?:, \*{0,2}\w+)*): (.*)((?:\n\1 +.*)*)", text, re.M
    ):
        del indent
        for name in names.split(", "):
            found.setdefault(name.lstrip("*"), first + rest)
    return found


def of_fields(kind: type) -> dict[str, str]:
    """The text below each field of a class and of its bases."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        try:
            (statement,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        except (OSError, TypeError):
            continue
        assert isinstance(statement, ast.ClassDef)
        for field, text in zip(statement.body, statement.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                found[ast.unparse(field.target)] = str(text.value.value)
    return found


def methods(kind: type) -> Iterator[tuple[str, Callable[..., Any], dict[str, str]]]:
    """Name, method and texts of the public methods of a class that are written in the package."""
    for name, method in inspect.getmembers(kind, callable):
        owners = [base for base in kind.__mro__ if name in base.__dict__]
        if (
            name.startswith("_")
            or not owners
            or not owners[0].__module__.startswith("manikin")
            or inspect.isclass(method)
        ):
            continue
        texts: dict[str, str] = {}
        for base in reversed(owners):
            texts |= in_args(getattr(base.__dict__[name], "__func__", base.__dict__[name]))
        yield name, method, texts


def faults(called: Callable[..., Any], texts: dict[str, str]) -> Iterator[str]:
    """What the texts lack of the arguments of a callable."""
    try:
        parameters = inspect.signature(called).parameters.values()
    except ValueError:  # a class of the native core
        return
    for p in parameters:
        if p.name in ("self", "cls"):
            continue
        text, kind = texts.get(p.name, ""), str(p.annotation)
        if not text:
            yield f"{p.name} is not documented"
        elif ARRAY.search(kind) and not SHAPE.search(text):
            yield f"{p.name} has no shape such as (3,): {text}"
        elif re.search(r"\bfloat\b", kind) and not UNIT.search(text):
            yield f"{p.name} has no unit: {text}"


@pytest.mark.parametrize("name", MADE)
def test_every_argument_of_a_class_is_documented(name: str) -> None:
    kind = CLASSES[name]
    texts = {**in_args(kind), **in_args(getattr(kind, "__init__")), **of_fields(kind)}  # noqa: B009 - mypy knows no type for kind.__init__
    assert not list(faults(kind, texts))


@pytest.mark.parametrize("name", CLASSES)
def test_every_argument_of_a_method_is_documented(name: str) -> None:
    assert not {called: said for called, method, texts in methods(CLASSES[name]) if (said := [*faults(method, texts)])}


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - CLASSES))
def test_every_argument_of_a_function_is_documented(name: str) -> None:
    value = PUBLIC[name]
    if inspect.isfunction(value):
        assert not list(faults(value, in_args(value)))


def test_an_argument_without_text_shape_or_unit_is_found() -> None:
    def called(q: mk.arrays.Vector, length: float, name: str) -> None:
        """Does nothing.

        Args:
            q: the pose.
            length: how long.
        """

    assert [said.split(" ", 1)[0] for said in faults(called, in_args(called))] == ["q", "length", "name"]


@pytest.mark.parametrize("name", MADE)
def test_an_unknown_argument_is_refused(name: str) -> None:
    with pytest.raises(TypeError):
        CLASSES[name](no_such_argument=1)
