"""Loads a file for the commands that show it, and collects the warnings of the reader."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manikin.jobs.loading import Loaded


def load(name: str, **options: Any) -> Loaded:
    """Loads a file or a built-in figure, as in `manikin.jobs.loading`. Its warnings are not printed."""
    from manikin.jobs import loading

    heard: list[str] = []
    loaded: Loaded = hear(heard, loading.load, name, **options)
    return replace(loaded, warnings=tuple(dict.fromkeys(heard)))


def hear(heard: list[str], call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Calls a function and collects its warnings instead of printing them."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = call(*args, **options)
    heard += [str(w.message) for w in said]
    return result
