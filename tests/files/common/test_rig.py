"""Nodes with scales seen as rigid segments: the recursion against matrices multiplied out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manikin import rotations
from manikin.files.common.rig import Local, Rig, course, factors, polar
from manikin.files.common.rig_figure import LEAST, build, lay_out, poses, unique_names


def drawn(seed, nodes, frames, scales):
    """A random rig and its local maps over frames; `scales` is "none", "uniform", "static", "any" or "mirrored"."""
    rng = np.random.default_rng(seed)
    parents = [-1] + [int(rng.integers(max(0, i - 3), i)) for i in range(1, nodes)]
    rig = Rig(tuple(f"n{i}" for i in range(nodes)), tuple(parents), (False,) + (True,) * (nodes - 1))
    t = np.repeat(rng.normal(size=(nodes, 1, 3)), frames, axis=1)
    q = rotations.normalized(rng.normal(size=(nodes, frames, 4)))
    s = np.ones((nodes, frames, 3))
    if scales == "uniform":
        s = s * rng.uniform(0.2, 3.0, size=(nodes, 1, 1))
    elif scales == "static":
        s = s * rng.uniform(0.5, 2.0, size=(nodes, 1, 3))
    elif scales == "any":
        s = rng.uniform(0.5, 2.0, size=(nodes, frames, 3))
    elif scales == "mirrored":
        s = s * rng.choice([-1.0, 1.0], size=(nodes, 1, 3))
    return rig, Local(t, q, s[..., None] * np.eye(3))


def multiplied(rig, local):
    """(nodes, frames, 4, 4) world maps by plain products."""
    maps = rotations.placement(local.turn, local.translation)
    maps[..., :3, :3] = maps[..., :3, :3] @ local.stretch
    for i, p in enumerate(rig.parents):
        if p >= 0:
            maps[i] = maps[p] @ maps[i]
    return maps


def frames_of(local, part):
    return Local(local.translation[:, part], local.turn[:, part], local.stretch[:, part])


def fitted(rig, local):
    """The figure of a rig whose rest is the first frame, and the poses of all frames."""
    rest = frames_of(local, slice(0, 1))
    times = np.arange(local.turn.shape[1]) / 24.0
    moves = course(rig, times, lambda part: frames_of(local, part), rest)
    layout = lay_out(rig, course(rig, times[:1], lambda _: rest, rest), [moves])
    figure = build(layout, "rig", unit=1.0, up="y", source={})
    return figure, layout, poses(layout, moves, figure)


@given(seed=st.integers(0, 10**6), scales=st.sampled_from(["none", "uniform", "static", "any", "mirrored"]))
def test_origins_are_those_of_the_maps_multiplied_out(seed, scales):
    rig, local = drawn(seed, 7, 5, scales)
    figure, _, q = fitted(rig, local)
    maps = multiplied(rig, local)[1:]
    names = [f"n{i}" for i in range(1, 7)]
    mine = figure.placements(q, names)
    assert np.abs(mine[..., :3, 3] - np.moveaxis(maps, 0, 1)[..., :3, 3]).max() < 2 * LEAST * max(1.0, figure.size)
    assert figure.violation(q).max() == 0.0
    at_rest = figure.placements(figure.rest, names)
    assert np.abs(at_rest[:, :3, 3] - maps[:, 0, :3, 3]).max() < 1e-9 * max(1.0, figure.size)


@given(seed=st.integers(0, 10**6), scales=st.sampled_from(["none", "uniform", "mirrored"]))
def test_what_scales_alike_in_all_directions_needs_no_sliders_and_keeps_its_axes(seed, scales):
    rig, local = drawn(seed, 7, 5, scales)
    figure, layout, q = fitted(rig, local)
    kinds = {s.joint.kind for s in figure.segments}
    assert kinds <= {"ball", "free", "fixed"}
    assert layout.notes == ()
    if scales != "mirrored":
        axes = np.moveaxis(multiplied(rig, local), 0, 1)[:, 1:, :3, :3]
        axes = axes / np.linalg.norm(axes, axis=-2, keepdims=True)
        names = [f"n{i}" for i in range(1, 7)]
        assert np.abs(figure.placements(q, names)[..., :3, :3] - axes).max() < 1e-9


def test_nodes_that_are_no_segments_carry_others_wherever_they_stand():
    rig, local = drawn(5, 7, 4, "uniform")
    hidden = Rig(rig.names, (-1, 0, 1, 2, 3, 4, 5), (False, True, False, True, True, False, True))
    figure, _, q = fitted(hidden, local)
    assert [(s.name, s.parent) for s in figure.segments] == [("n1", None), ("n3", "n1"), ("n4", "n3"), ("n6", "n4")]
    maps = multiplied(hidden, local)[[1, 3, 4, 6]]
    assert np.abs(figure.placements(q)[..., :3, 3] - np.moveaxis(maps, 0, 1)[..., :3, 3]).max() < 1e-9


@given(st.integers(0, 10**6))
def test_polar_gives_the_nearest_rotation(seed):
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(5, 3, 3)) * rng.choice([1e-6, 1.0, 1e6])
    M[0] = rotations.to_matrix(rotations.normalized(rng.normal(size=4))) * 3.0
    Q = polar(M)
    assert np.allclose(Q @ Q.swapaxes(-1, -2), np.eye(3), atol=1e-9)
    assert np.allclose(np.linalg.det(Q), 1.0)
    P = Q.swapaxes(-1, -2) @ M
    assert np.allclose(P, P.swapaxes(-1, -2), atol=1e-9 * np.abs(M).max())
    values = np.linalg.eigvalsh(P) * np.sign(np.linalg.det(M))[:, None]
    assert (values > -1e-9 * np.abs(M).max()).all()


def test_polar_of_flat_and_vanished_maps_is_still_a_rotation():
    for M in (np.zeros((3, 3)), np.diag([1.0, 0.0, 0.0]), np.diag([2.0, 1.0, 0.0])):
        Q = polar(M[None])[0]
        assert np.allclose(Q @ Q.T, np.eye(3))
        assert np.linalg.det(Q) == pytest.approx(1.0)


def test_factors_put_together_are_the_map():
    rng = np.random.default_rng(1)
    maps = np.tile(np.eye(4), (6, 1, 1))
    maps[:, :3] = rng.normal(size=(6, 3, 4))
    t, q, D = factors(maps)
    assert np.allclose(rotations.to_matrix(q) @ D, maps[:, :3, :3])
    assert np.allclose(t, maps[:, :3, 3])


def test_names_are_told_apart_by_a_number_that_is_free():
    assert unique_names(["a", "b", "a", "a.2", "a"]) == (["a", "b", "a.3", "a.2", "a.4"], ["a"])
