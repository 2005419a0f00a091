"""The cache of what was compiled: the values that were used last, the same ones for all threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

Value = TypeVar("Value")

MOST = 64
"""This many values are kept: the most recently used ones."""

_values: OrderedDict[Hashable, tuple[tuple[Any, ...], Any]] = OrderedDict()
_lock = Lock()


def recent(key: Hashable, held: tuple[Any, ...], make: Callable[[], Value]) -> Value:
    """The value with a key. It is made if it is not in the cache.

    Args:
        key: names objects by their `id`.
        held: these objects. While the cache has the value, it holds them, so that no other object has their `id`.
        make: makes the value. If two threads ask at the same time, both may make it, and one of the two is kept.
    """
    with _lock:
        if key in _values:
            _values.move_to_end(key)
            return _values[key][1]  # type: ignore[no-any-return]
    made = make()
    with _lock:
        _values[key] = (held, made)
        while len(_values) > MOST:
            _values.popitem(last=False)
    return made
