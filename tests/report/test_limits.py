"""Limits by name, and wider ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import manikin as mk
from manikin.errors import UnknownName
from manikin.kinematics.chart import chart_of
from manikin.report.limits import excess, limit_named, limits_of, span, tried, wider_view, with_wider_limits


def all_limits(figure: mk.Figure) -> list[Any]:
    return list(limits_of(figure, chart_of(figure, normalised=False)).values())


def test_limits_are_named_as_in_a_history() -> None:
    figure = mk.human()
    names = {limit.name for limit in all_limits(figure)}
    assert {"LeftForeArm (upper)", "LeftArm (cone)", "LeftArm (upper twist)", "LeftHand.x (lower)"} <= names
    assert len(names) == len(all_limits(figure))


def test_a_limit_that_is_not_there_is_an_error_that_lists_those_that_are() -> None:
    with pytest.raises(UnknownName, match=r"'LeftForeArm \(uper\)'; did you mean 'LeftForeArm \(upper\)'"):
        limit_named(mk.human(), "LeftForeArm (uper)")


@given(st.integers(0, 10_000), st.floats(0.3, 1.0))
def test_a_pose_is_let_in_by_widening_each_limit_by_its_excess(seed: int, amount: float) -> None:
    rng = np.random.default_rng(seed)
    figure = mk.human()
    known = all_limits(figure)
    wide = wider_view(figure, {limit: tried(limit, figure, amount) for limit in known})
    pose = wide.random(rng)
    over = {limit: excess(limit, figure, pose) for limit in known}
    assert max(over.values()) > 0.0
    assert all(value <= amount + 1e-9 for value in over.values())
    enough = wider_view(figure, {limit: value + 1e-9 for limit, value in over.items() if value > 0.0})
    assert enough.violation(pose) <= 1e-9


@given(st.integers(0, 10_000))
def test_the_view_and_the_figure_of_its_own_have_the_same_limits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    figure = mk.samples.random_figure(rng, 8)
    known = all_limits(figure)
    if not known:
        return
    by = {known[k]: float(rng.uniform(0.0, 0.5)) for k in rng.integers(len(known), size=2)}
    view, made = wider_view(figure, by), with_wider_limits(figure, by)
    np.testing.assert_allclose(made.lower, view.lower, atol=1e-12)
    np.testing.assert_allclose(made.upper, view.upper, atol=1e-12)
    for name in ("swing", "twist"):
        np.testing.assert_allclose(
            getattr(made.layout.cones, name), getattr(view.layout.cones, name), rtol=0, atol=1e-12
        )
    np.testing.assert_array_equal(made.rest, figure.rest)


def test_widening_leaves_the_figure_and_its_other_limits_alone() -> None:
    figure = mk.human()
    limit = limit_named(figure, "LeftForeArm (upper)")
    wide = with_wider_limits(figure, {limit: 0.25})
    changed = np.flatnonzero((wide.lower != figure.lower) | (wide.upper != figure.upper))
    assert changed.tolist() == [limit.number]
    assert wide.upper[limit.number] == pytest.approx(figure.upper[limit.number] + 0.25)
    assert span(limit, wide) == pytest.approx(span(limit, figure) + 0.25)
    assert figure == mk.human()


def test_a_coupled_joint_is_widened_along_with_its_leader() -> None:
    follower = mk.Joint("Follower", mk.Hinge(limits=(0.0, 1.0)), offset=(1, 0, 0), coupling=mk.Coupling("Leader", 2.0))
    figure = mk.Figure(
        "pair",
        [
            mk.Segment("Base"),
            mk.Segment("Leader", "Base", mk.Hinge(limits=(0.0, 0.9))),
            mk.Segment("Follower", "Leader", follower),
        ],
    )
    assert figure.upper[figure.index_of("Leader")] == pytest.approx(0.5)  # narrowed by the follower
    wide = with_wider_limits(figure, {limit_named(figure, "Leader (upper)"): 0.2})
    assert wide.upper[wide.index_of("Leader")] == pytest.approx(0.7)
    assert wide.upper[wide.index_of("Follower")] == pytest.approx(1.4)
