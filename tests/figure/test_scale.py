"""Other lengths: the whole figure, single segments, or metres."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import random_figure, random_pose, rngs

from manikin.figure import Capsule, Coupling, Figure, Free, Hinge, Joint, Segment, Slider, chain
from manikin.reference.tree import SLIDE


def longer(figure: Figure, q: Any, factor: float) -> Any:
    """The same pose of the scaled figure: lengths among its numbers grow too."""
    out, tree = np.array(q), figure.layout.tree
    out[tree.number[tree.kind == SLIDE]] *= factor
    return out


@given(rngs())
def test_scaling_the_whole_scales_every_place_and_turns_nothing(rng: np.random.Generator) -> None:
    figure, factor = random_figure(rng), float(rng.choice([0.5, 2.0, 1.1, 0.01, 1000.0]))
    big = figure.scaled(factor)
    q = random_pose(figure, rng)
    T, S = figure.placements(q), big.placements(longer(figure, q, factor))
    # A power of two changes no rounding, so then it is exact.
    exact = np.log2(factor) % 1 == 0
    far = factor * max(float(np.linalg.norm(s.center)) for s in figure.segments)
    reach = max(1.0, far, float(np.abs(S[:, :3, 3]).max()))
    assert_close(S[:, :3, 3], factor * T[:, :3, 3], scale=reach, tol=0.0 if exact else 1e-14)
    assert_close(S[:, :3, :3], T[:, :3, :3], tol=0.0 if exact else 1e-14)
    com = big.center_of_mass(longer(figure, q, factor))
    assert_close(com, factor * figure.center_of_mass(q), scale=reach, tol=1e-13)
    assert_close(big.size, factor * figure.size if figure.size != 1.0 else big.size, scale=big.size, tol=1e-14)
    assert big.mass == figure.mass


@given(rngs())
def test_limits_rest_and_couplings_scale_with_the_figure(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    big = figure.scaled(2.0)
    assert_close(big.rest, longer(figure, figure.rest, 2.0), scale=max(1.0, figure.size), tol=1e-14)
    assert_close(big.lower, longer(figure, figure.lower, 2.0), scale=max(1.0, figure.size), tol=1e-14)
    assert_close(big.upper, longer(figure, figure.upper, 2.0), scale=max(1.0, figure.size), tol=1e-14)
    q = figure.random(rng, 5)
    tree = figure.layout.tree
    q[:, tree.number[tree.kind == SLIDE]] *= 2.0
    assert_close(big.violation(q), 0.0, tol=0.0)


@given(rngs())
def test_scaling_there_and_back_by_two_gives_the_same_figure(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    assert figure.scaled(2.0).scaled(0.5) == figure
    assert figure.scaled(1.0) == figure


def test_a_segments_length_is_where_its_children_hang() -> None:
    figure = chain([1.0, 2.0, 3.0], planar=True).scaled({"Segment2": 1.5})
    places = figure.placements(figure.rest)[:, 0, 3]
    assert places.tolist() == [0.0, 1.0, 4.0, 7.0]
    capsule = figure.segment("Segment2").shapes[0]
    assert isinstance(capsule, Capsule)
    assert capsule.end == (3.0, 0.0, 0.0)
    assert figure.segment("Segment2").center == (1.5, 0.0, 0.0)
    assert figure.segment("Segment1") == chain([1.0, 2.0, 3.0], planar=True).segment("Segment1")


def test_masses_and_speeds_of_angles_stay_and_inertia_and_speeds_of_lengths_grow() -> None:
    rail = Segment("A", joint=Slider(speed=3.0), mass=2.0, inertia=(1, 0, 0, 1, 0, 1))
    figure = Figure("f", [rail, Segment("B", "A", Hinge(speed=5.0), offset=(1, 0, 0))]).scaled(2.0)
    slider, hinge = figure.segment("A").joint.motions[0], figure.segment("B").joint.motions[0]
    assert isinstance(slider, Slider)
    assert isinstance(hinge, Hinge)
    assert (slider.speed, hinge.speed) == (6.0, 5.0)
    assert figure.segment("A").inertia == (4.0, 0.0, 0.0, 4.0, 0.0, 4.0)
    assert figure.mass == 2.0


@pytest.mark.parametrize("leader", [Slider, Hinge])
@pytest.mark.parametrize("follower", [Slider, Hinge])
def test_a_coupling_between_lengths_and_angles_keeps_its_meaning(leader: Any, follower: Any) -> None:
    joint = Joint(motions=(follower(),), coupling=Coupling("A", 0.5, 0.25))
    figure = Figure("f", [Segment("A", joint=leader()), Segment("B", "A", joint, offset=(1, 0, 0))])
    big = figure.scaled(10.0)
    q = figure.pose({"A": 0.8})
    assert_close(big.pose({"A": 8.0 if leader is Slider else 0.8}), longer(figure, q, 10.0), tol=1e-14)


def test_a_stated_rest_of_a_free_root_scales_in_its_lengths_only() -> None:
    root = Joint(motions=(Free(),), rest=(1, 2, 3, 0, 1, 0, 0))
    figure = Figure("f", [Segment("A", joint=root)]).scaled(3.0)
    assert figure.rest.tolist() == [3.0, 6.0, 9.0, 0.0, 1.0, 0.0, 0.0]


def test_in_metres_changes_lengths_and_unit_together() -> None:
    figure = chain([100.0, 50.0], planar=True).replaced(unit=0.01)
    metres = figure.in_metres()
    assert metres.unit == 1.0
    assert_close(metres.placements(metres.rest)[-1, :3, 3], [1.5, 0.0, 0.0], tol=1e-15)
    assert metres.in_metres() is metres


def test_a_scaled_figure_forgets_the_file_it_came_from() -> None:
    figure = chain(2).replaced(source={"path": "a.bvh"})
    assert dict(figure.scaled(2.0).source) == {}
    assert dict(figure.in_metres().source) == {"path": "a.bvh"}  # nothing was changed
