"""Chains and trees: their placements follow docs/theory/2-state-and-effectors.md, f = Σ lᵢ (cos φᵢ, sin φᵢ)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from strategies import rngs

from manikin import rotations
from manikin.figure import Ball, Euler, Hinge, Slider, chain, tree

EXAMPLE_57 = [-1, 0, 1, 2, 3, 4, 2, 6, 7]
"""Example 5.7 of docs/theory/5-two-effectors.md: six links in a row, and three more that branch off at the end of link
3."""


@given(rngs(), st.integers(1, 12))
def test_a_planar_chain_is_a_sum_of_turned_lengths(rng: np.random.Generator, count: int) -> None:
    """Example 3.1 of docs/theory/3-nonlinear-programming.md: φᵢ = Σ_{j≤i} θⱼ and f = Σ lᵢ (cos φᵢ, sin φᵢ)."""
    lengths, theta = rng.uniform(0.0, 2.0, size=count), rng.uniform(-4.0, 4.0, size=count)
    figure = chain(lengths, planar=True)
    phi = np.cumsum(theta)
    tip = figure.placements(theta, ["Tip"])[0, :3, 3]
    wanted = np.array([lengths @ np.cos(phi), lengths @ np.sin(phi), 0.0])
    assert_close(tip, wanted, scale=float(count), tol=1e-14)
    J = figure.jacobian(theta, "Tip")
    for j in range(count):  # ∂f/∂θⱼ = Σ_{i≥j} lᵢ (−sin φᵢ, cos φᵢ)
        wanted = np.array([-lengths[j:] @ np.sin(phi[j:]), lengths[j:] @ np.cos(phi[j:]), 0.0])
        assert_close(J[:3, j], wanted, scale=float(count), tol=1e-14)


@given(rngs())
def test_the_planar_tree_of_example_5_7_has_both_effectors_in_place(rng: np.random.Generator) -> None:
    """φᵢ = Σ_{j≤i} θⱼ for i = 1…6; φ_{6+i} = θ₁ + θ₂ + θ₃ + Σ_{j≤i} θ_{6+j} for i = 1…3."""
    lengths, theta = rng.uniform(0.1, 2.0, size=9), rng.uniform(-4.0, 4.0, size=9)
    figure = tree(EXAMPLE_57, lengths, planar=True)
    assert figure.segment_names[-2:] == ("Tip6", "Tip9")
    phi = np.concatenate([np.cumsum(theta[:6]), theta[:3].sum() + np.cumsum(theta[6:])])
    first, second = [0, 1, 2, 3, 4, 5], [0, 1, 2, 6, 7, 8]
    for tip, way in (("Tip6", first), ("Tip9", second)):
        wanted = [lengths[way] @ np.cos(phi[way]), lengths[way] @ np.sin(phi[way]), 0.0]
        assert_close(figure.placements(theta, [tip])[0, :3, 3], wanted, scale=10.0, tol=1e-15)
        moved = np.flatnonzero(np.abs(figure.jacobian(theta, tip)).any(axis=0))
        assert moved.tolist() == way


@given(rngs(), st.integers(1, 6))
def test_a_chain_in_space_is_the_nested_product(rng: np.random.Generator, count: int) -> None:
    """R₁(l₁ + R₂(l₂ + …)), each R a product of three rotations in the joint's order
    (docs/theory/2-state-and-effectors.md)."""
    lengths, theta = rng.uniform(0.0, 2.0, size=count), rng.uniform(-4.0, 4.0, size=(count, 3))
    order = str(rng.choice(["XYZ", "ZXY", "YZX", "ZYZ"]))
    figure = chain(lengths, Euler(order))
    tip = np.zeros(3)
    for length, angles in zip(lengths[::-1], theta[::-1], strict=True):
        tip = rotations.rotate(rotations.from_euler(order, angles), np.array([length, 0.0, 0.0]) + tip)
    assert_close(figure.placements(theta.ravel(), ["Tip"])[0, :3, 3], tip, scale=float(count), tol=1e-14)


def test_a_chain_of_a_number_has_segments_of_length_one() -> None:
    figure = chain(3)
    assert figure.segment_names == ("Segment1", "Segment2", "Segment3", "Tip")
    assert {s.joint.kind for s in figure.segments[:-1]} == {"euler"}
    assert figure.size == 3.0
    assert (figure.name, figure.unit, figure.up, figure.mass) == ("chain", 1.0, "y", 3.0)
    assert figure.center_of_mass(figure.rest).tolist() == [1.5, 0.0, 0.0]


def test_joints_are_one_for_all_or_one_for_each() -> None:
    motions: list[Any] = [Hinge(), Ball(), (Slider(), Hinge())]
    kinds = [s.joint.kind for s in chain(3, motions).segments]
    assert kinds == ["hinge", "ball", "slider+hinge", "fixed"]
    assert [s.joint.kind for s in chain(2, Ball()).segments] == ["ball", "ball", "fixed"]
    limited = chain(2, Hinge(limits=(-1, 1)), planar=True)
    assert limited.upper.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("parents", "names", "roots"),
    [
        ([-1], ("Segment1", "Tip"), 1),
        ([-1, 0, 0], ("Segment1", "Segment2", "Segment3", "Tip2", "Tip3"), 1),
        ([-1, -1], ("Root", "Segment1", "Segment2", "Tip1", "Tip2"), 2),
        ([-1, 0, -1], ("Root", "Segment1", "Segment2", "Segment3", "Tip2", "Tip3"), 2),
    ],
)
def test_tips_stand_at_every_end_and_several_starts_hang_on_a_root(
    parents: list[int], names: tuple[str, ...], roots: int
) -> None:
    figure = tree(parents, planar=True)
    assert figure.segment_names == names
    assert sum(s.parent in (None, "Root") and s.name != "Root" for s in figure.segments) == roots
    assert figure.nv == len(parents)


def test_segments_of_no_length_have_no_capsule_and_still_turn() -> None:
    figure = chain([1.0, 0.0, 1.0], planar=True)
    assert [len(s.shapes) for s in figure.segments] == [1, 0, 1, 0]
    assert_close(figure.placements([0, np.pi / 2, 0], ["Tip"])[0, :3, 3], [1.0, 1.0, 0.0], tol=1e-15)


def test_numpy_numbers_are_taken_too() -> None:
    assert chain(np.int64(2)).nv == 6
    assert tree(np.array([-1, 0]), np.array([1.0, 2.0])).size == 3.0  # type: ignore[arg-type]


def test_a_chain_of_thousands_is_built_in_time() -> None:
    assert chain(5000, planar=True).nv == 5000
