"""The kernels of the net: for the same figure and targets, a natural start has the same bits with every kernel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import manikin as mk
from manikin import backend, rotations
from manikin.goals import Goal
from manikin.prior.start import NaturalStart

FIGURE = mk.human()
SEGMENTS = ("Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot")


@pytest.fixture
def kernels() -> Iterator[list[str]]:
    """The names of the native kernels of this processor. The one in use is restored."""
    if not backend.native:
        pytest.skip("MANIKIN_BACKEND=reference: there is no native solver")
    from manikin import _core

    yield _core.available()
    _core.use(backend.name)


def goals(oriented: bool) -> list[Goal]:
    if oriented:
        return [mk.Placement(name, np.eye(4)) for name in SEGMENTS]
    return [mk.Position(name, (0, 0, 0)) for name in SEGMENTS]


def targets(oriented: bool, count: int) -> np.ndarray:
    """Targets of random poses, (count, k)."""
    placed = FIGURE.placements(FIGURE.random(np.random.default_rng(5), count), SEGMENTS)
    rows = []
    for k in range(len(SEGMENTS)):
        rows.append(placed[:, k, :3, 3])
        if oriented:
            rows.append(rotations.from_matrix(placed[:, k, :3, :3]))
    return np.concatenate(rows, axis=1)


@pytest.mark.parametrize("oriented", [False, True])
def test_all_kernels_give_the_same_bits(kernels: list[str], oriented: bool) -> None:
    from manikin import _core

    if len(kernels) < 2:
        pytest.skip("this processor, or this build, has one kernel")
    rows = targets(oriented, 300)
    start = NaturalStart(FIGURE, [g.on(FIGURE) for g in goals(oriented)])
    found = []
    for name in kernels:
        _core.use(name)
        assert _core.in_use() == name
        found.append(start.starts(rows, np.ones(len(SEGMENTS))).tobytes())
    assert len(set(found)) == 1
    assert np.ptp(np.frombuffer(found[0]).reshape(300, -1), axis=0).max() > 0.1  # the starts differ from row to row
