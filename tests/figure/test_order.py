"""Parents before children: sorted once, otherwise as given."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import rngs

from manikin.figure import Figure, Hinge, Segment
from manikin.figure.order import parents_first


@given(rngs(), st.integers(1, 40))
def test_every_parent_stands_before_its_children(rng: np.random.Generator, count: int) -> None:
    made = [Segment(f"S{i}", None if i == 0 else f"S{rng.integers(i)}") for i in range(count)]
    ordered = parents_first("figure", [made[i] for i in rng.permutation(count)])
    place = {s.name: i for i, s in enumerate(ordered)}
    assert sorted(place) == sorted(s.name for s in made)
    for s in ordered:
        assert s.parent is None or place[s.parent] < place[s.name]


def test_an_order_that_is_right_already_is_kept() -> None:
    names = ["Hips", "LeftLeg", "RightLeg", "LeftFoot", "RightFoot", "Spine"]
    parents = [None, "Hips", "Hips", "LeftLeg", "RightLeg", "Hips"]
    segments = [Segment(n, p) for n, p in zip(names, parents, strict=True)]
    assert [s.name for s in parents_first("figure", segments)] == names


def test_a_long_chain_given_backwards_is_sorted_without_recursion() -> None:
    count = 5000
    made = [Segment(f"S{i}", f"S{i - 1}" if i else None, Hinge()) for i in range(count)]
    figure = Figure("snake", made[::-1])
    assert figure.segment_names == tuple(f"S{i}" for i in range(count))
