"""Keeps what was computed from an object that never changes, on this object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Owner = TypeVar("Owner")
Words = ParamSpec("Words")
Value = TypeVar("Value")

ATTRIBUTE = "_kept"
"""The attribute that holds the values of an object."""


def kept(make: Callable[Concatenate[Owner, Words], Value]) -> Callable[Concatenate[Owner, Words], Value]:
    """A function that is computed once for each object, which must never change, and for each set of other arguments.

    Use it only if the other arguments, such as the names of parts, have few values. A value lives as long as its
    object, so callers must not change it. It does not count when objects are compared or pickled. If two threads ask at
    the same time, both may compute the value, and both get the same one.

    Example:
        >>> class Word:
        ...     def __init__(self, text): self.text = text
        >>> @kept
        ... def letters(word): return set(word.text)
        >>> word = Word("knee")
        >>> letters(word) is letters(word)
        True
    """

    @wraps(make)
    def once(owner: Owner, /, *args: Words.args, **named: Words.kwargs) -> Value:
        values, key = values_of(owner), (once, *args, *named.items())
        if key not in values:
            values.setdefault(key, make(owner, *args, **named))
        value: Value = values[key]
        return value

    return once


def values_of(owner: object) -> dict[Any, Any]:
    """What is kept on an object. The caller may add values under other keys."""
    values: dict[Any, Any] = vars(owner).setdefault(ATTRIBUTE, {})
    return values
