"""Adds effectors with separate axes as fixed segments to the tree that the native core compiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.figure.figure import Figure
from manikin.goals.effector import Effector
from manikin.reference.tree import FIXED


def tool_arrays(figure: Figure, tools: Sequence[Effector]) -> dict[str, NDArray[Any]]:
    """The flat arrays of the figure's tree, with one more fixed, massless node and segment for each effector.

    Returns None if there are no such effectors. A fixed segment adds no number to a pose.
    """
    if not tools:
        return {}
    tree = figure.layout.tree
    first, count = len(tree.parent), len(tools)
    added = {
        "parent": tree.segment[[figure.segment_index(tool.segment) for tool in tools]],
        "kind": np.full(count, FIXED),
        "rotation": rotations.to_matrix(np.array([tool.rotation for tool in tools])),
        "offset": np.array([tool.offset for tool in tools]),
        "axis": np.zeros((count, 3)),
        "number": np.full(count, -1),
        "step": np.full(count, -1),
        "ratio": np.ones(count),
        "shift": np.zeros(count),
        "source": np.full(count, -1),
        "segment": first + np.arange(count),
        "mass": np.zeros(count),
        "center": np.zeros((count, 3)),
    }
    return {
        name: np.concatenate([values, added[name].astype(values.dtype)]).reshape(-1)
        for name, values in tree.arrays().items()
    }
