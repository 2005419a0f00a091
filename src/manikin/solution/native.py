"""The native classes of solutions, and the decorator that adds the Python methods to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from manikin.errors import BadValue
from manikin.solution.status import STATUSES

__all__ = ["Answer", "AnswerBase", "AnswerRows", "AnswerRowsBase", "gives_methods"]

if TYPE_CHECKING:
    from manikin._core import Answer, AnswerRows

    AnswerBase = Answer
    AnswerRowsBase = AnswerRows
    Class = TypeVar("Class", bound=type)

    def gives_methods(native: type) -> Callable[[Class], Class]: ...
else:
    try:
        from manikin._core import Answer, AnswerRows
    except ImportError:  # `backend` reports this when something is computed

        class Answer:
            """Placeholder for the native class."""

        class AnswerRows:
            """Placeholder for the native class."""

    AnswerBase = AnswerRowsBase = object

    def gives_methods(native):
        """Adds the definitions of a class to a native class, and returns the native class in its place.

        The core creates native objects without Python. Creating an instance of a Python subclass would take as long as
        solving an arm.
        """

        def moved(own):
            for name, value in vars(own).items():
                if name not in ("__dict__", "__weakref__", "__slots__", "__module__", "__qualname__"):
                    setattr(native, name, value)
            return native

        return moved


if hasattr(AnswerRows, "poses"):  # the native classes, not their placeholders
    from manikin import _core

    _core.set_answers(STATUSES, BadValue)
