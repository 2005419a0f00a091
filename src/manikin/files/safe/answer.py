"""The answer of the process of `safe`, and its unpickler: plain values, arrays and manikin's own types only."""

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
"""Names of other packages that an answer may contain. Arrays and plain values are pickled with them."""
REBUILDERS = {
    "manikin.errors": {"_bad_file"},
    "manikin.figure.figure": {"_rebuild"},
    "manikin.motion.markers": {"_rebuild"},
    "manikin.motion.motion": {"_rebuild"},
}
"""Functions of manikin that an answer may call. All other names must be classes of manikin."""
ERRORS = ("OSError", "FileNotFoundError", "IsADirectoryError", "NotADirectoryError", "PermissionError")
"""System errors that a reader may raise."""


class NotOurs(pickle.UnpicklingError):
    """An answer contains a name that is neither plain nor manikin's."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The result of a reader."""

    value: Any = None
    """A Figure, a Motion or Markers. None if there is an error."""
    error: Exception | None = None
    """The exception of the reader."""
    warnings: tuple[str, ...] = ()
    """Texts of the OddFile warnings."""
    unlimited: tuple[str, ...] = ()
    """Limits that the system does not support."""


def unpickled(file: IO[bytes]) -> Any:
    """Unpickles an object that contains only the types above.

    Raises:
        NotOurs: it contains another name.
        pickle.UnpicklingError, EOFError and others: it is not a pickle.
    """
    return _Unpickler(file).load()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """A class or a function by name. A name with a dot is refused, since it could reach other modules."""
        if name in PLAIN.get(module, ()) or (module == "builtins" and name in ERRORS):
            return super().find_class(module, name)
        if module.partition(".")[0] == "manikin" and "." not in name:
            found = getattr(importlib.import_module(module), name)
            if name in REBUILDERS.get(module, ()) or (isinstance(found, type) and found.__module__ == module):
                return found
        raise NotOurs(f"it contains {module}.{name}, which is neither a plain type nor a type of manikin")
