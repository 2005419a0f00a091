"""What the process of `safe` hands back, and how it is unpickled: plain values, arrays and manikin's own types only."""

from __future__ import annotations

import importlib
import pickle
from dataclasses import dataclass
from typing import IO, Any

PLAIN = {
    "builtins": {"bytearray", "complex", "frozenset", "range", "set", "slice"},
    "collections": {"OrderedDict"},
    "numpy": {"dtype", "ndarray"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy.core.numeric": {"_frombuffer"},
}
"""Names from elsewhere that an answer may hold: what arrays and plain values are pickled with."""
REBUILDERS = {
    "manikin.errors": {"_bad_file"},
    "manikin.figure.figure": {"_rebuild"},
    "manikin.motion.markers": {"_rebuild"},
    "manikin.motion.motion": {"_rebuild"},
}
"""Functions of ours that an answer may call; besides these only classes of ours."""
ERRORS = ("OSError", "FileNotFoundError", "IsADirectoryError", "NotADirectoryError", "PermissionError")
"""Errors of the system that a reader passes on."""


class NotOurs(pickle.UnpicklingError):
    """An answer names something that is neither plain nor manikin's."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a reader gave."""

    value: Any = None
    """A Figure, a Motion or Markers; None where there is an error."""
    error: Exception | None = None
    """What it raised."""
    warnings: tuple[str, ...] = ()
    """Texts of the OddFile warnings."""
    unlimited: tuple[str, ...] = ()
    """What the system could not limit."""


def unpickled(file: IO[bytes]) -> Any:
    """The object in a file, of the types above only.

    Raises:
        NotOurs: it names something else.
        pickle.UnpicklingError, EOFError and others: it is no pickle.
    """
    return _Unpickler(file).load()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """A class or function by name. A dot in the name would reach through a module into others."""
        if name in PLAIN.get(module, ()) or (module == "builtins" and name in ERRORS):
            return super().find_class(module, name)
        if module.partition(".")[0] == "manikin" and "." not in name:
            found = getattr(importlib.import_module(module), name)
            if name in REBUILDERS.get(module, ()) or (isinstance(found, type) and found.__module__ == module):
                return found
        raise NotOurs(f"it holds {module}.{name}, which is neither plain nor manikin's")
