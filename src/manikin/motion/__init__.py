"""Motions: a figure's poses over time, paths for its goals, and following them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from manikin.motion.motion import Motion

if TYPE_CHECKING:
    from manikin.motion.follow import follow
    from manikin.motion.path import path

__all__ = ["Motion", "follow", "path"]


def __getattr__(name: str) -> Any:
    # `follow` needs the solvers, which a reader or writer of files does not: loaded when first asked for. The function
    # is put in the place of the module of the same name, which the import system leaves here.
    if name not in ("follow", "path"):
        raise AttributeError(f"module 'manikin.motion' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"manikin.motion.{name}"), name)
    globals()[name] = value
    return value
