"""What fits of the same figure share: its parts, its wider limits, and the solvers of marker sets.

These are made once and kept on the figure, so they live as long as it does. Threads may share them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from manikin.figure import Figure

Made = TypeVar("Made")

STORE = "_kept_for_markers"
MOST = 8
"""Number of things that are kept for each figure."""
_lock = threading.Lock()


def kept(figure: Figure, key: Hashable, make: Callable[[], Made]) -> Made:
    """The thing that was made for a figure under this key, or a new one."""
    with _lock:
        store: OrderedDict[Hashable, Any] = figure.__dict__.setdefault(STORE, OrderedDict())
        if key in store:
            store.move_to_end(key)
            found: Made = store[key]
            return found
    made = make()
    with _lock:
        store[key] = made
        store.move_to_end(key)
        while len(store) > MOST:
            store.popitem(last=False)
    return made


def forget(figure: Figure) -> None:
    """Drops everything that is kept for a figure. Measurements of first calls need this."""
    with _lock:
        figure.__dict__.pop(STORE, None)
