"""Solvers: one file for each method. They see errors and Jacobians, not joints. A method is loaded when first used."""

from __future__ import annotations

import importlib
import inspect
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

from manikin.errors import BadValue, unknown_name

METHODS = {
    "auto": "manikin.solvers.auto",
    "lbfgsb": "manikin.solvers.methods.nonlinear",
    "pinv": "manikin.solvers.methods.pseudoinverse",
    "stacked": "manikin.solvers.methods.stacked",
    "dls": "manikin.solvers.methods.damped",
    "bounded-dls": "manikin.solvers.methods.bounded",
    "transpose": "manikin.solvers.methods.transpose",
    "sdls": "manikin.solvers.methods.sdls",
    "ccd": "manikin.solvers.methods.ccd",
    "fabrik": "manikin.solvers.methods.fabrik",
}
"""Module of each method. Its function `solve(problem, run, **options)` returns an Outcome."""
KEEPS_LIMITS = ("auto", "lbfgsb", "bounded-dls", "ccd", "fabrik")
"""Methods whose pose is always within limits."""

LARGEST, LARGEST_SEED = 2**31 - 1, 2**64 - 1
"""Largest integer and largest seed that the native core can represent."""


def solver(method: str) -> Callable[..., Any]:
    """The function of a method."""
    if not isinstance(method, str) or method not in METHODS:
        raise unknown_name("manikin", "method", method, list(METHODS))
    return _function(method)


@cache
def _function(method: str) -> Callable[..., Any]:
    function: Callable[..., Any] = importlib.import_module(METHODS[method]).solve
    return function


def default_iterations(method: str) -> int:
    """Default limit of the number of iterations of a method."""
    return int(getattr(importlib.import_module(METHODS[method]), "ITERATIONS", 1000))


def check_options(method: str, function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Raises UnknownName for an option that the method does not have."""
    known = _options_of(function)
    common = ["iterations", "budget", "history", "progress", "freeze", "only"]
    for name in options:
        if name not in known:
            raise unknown_name(f"method {method!r}", "option", name, known + common)


@cache
def _options_of(function: Callable[..., Any]) -> list[str]:
    return [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]


def whole(value: Any, name: str, least: int = 0, largest: int = LARGEST) -> int:
    """A whole number from `least` to `largest`."""
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if number < least:
        raise BadValue(f"{name} is {value!r}; it must be a whole number of at least {least}")
    if number > largest:
        raise BadValue(f"{name} is {value!r}; it must be a whole number of at most {largest}")
    return number
