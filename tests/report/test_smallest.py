"""The smallest set of changes: enough, and without a change that is not needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from manikin.arrays import Vector
from manikin.report.smallest import smallest

POSE = np.zeros(1)
Met = Callable[[Sequence[int], Sequence[Vector]], "Vector | None"]


def needs(*groups: set[int]) -> Met:
    """A goal that is met if all changes of one group are made."""
    return lambda some, _: POSE if any(group <= set(some) for group in groups) else None


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_every_change_is_needed_and_all_are_enough(seed: int, known: bool) -> None:
    rng = np.random.default_rng(seed)
    order = [int(k) for k in rng.permutation(12)]
    met = needs(*({int(k) for k in rng.choice(12, size=rng.integers(1, 6), replace=False)} for _ in range(3)))
    kept, pose = smallest(order, met, POSE if known else None)
    assert pose is POSE
    assert met(kept, []) is POSE
    assert all(met([other for other in kept if other != change], []) is None for change in kept)


def test_changes_that_are_not_enough_are_no_set() -> None:
    assert smallest([1, 2, 3], needs({4})) == ([], None)
    assert smallest([], needs({4})) == ([], None)


def test_a_set_of_the_least_size_stays() -> None:
    assert smallest([1, 2, 3, 4, 5], needs({2}), POSE, least=2)[0] == [1, 2]
