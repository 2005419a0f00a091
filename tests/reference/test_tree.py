"""The flat tree of nodes: parents first, and placements equal to the products that the joints define."""

from __future__ import annotations

from typing import Any

import numpy as np
from checks import assert_close
from hypothesis import given
from scipy.spatial.transform import Rotation
from strategies import random_figure, random_poses, rngs

from manikin.figure import Ball, Euler, Figure, Hinge, Joint, Slider
from manikin.reference.tree import BALL, FIXED, SLIDE, TURN, ancestors, world_nodes


def matrix(R: Any = None, p: Any = (0.0, 0.0, 0.0)) -> Any:
    out = np.eye(4)
    out[:3, :3] = np.eye(3) if R is None else R
    out[:3, 3] = p
    return out


def motion_matrix(joint: Joint, numbers: Any) -> Any:
    """What a joint does, said with SciPy's rotations and 4×4 products: an independent reading of the definitions."""
    out, at = np.eye(4), 0
    for motion in joint.motions:
        if isinstance(motion, Slider):
            out, at = out @ matrix(p=numbers[at] * np.array(motion.axis)), at + 1
        elif isinstance(motion, Hinge):
            turn = Rotation.from_rotvec(numbers[at] * np.array(motion.axis))
            out, at = out @ matrix(turn.as_matrix()), at + 1
        elif isinstance(motion, Euler):
            n = len(motion.order)
            turn = Rotation.from_euler(motion.order, numbers[at : at + n])  # upper case: about the moved axes
            out, at = out @ matrix(turn.as_matrix()), at + n
        elif isinstance(motion, Ball):
            turn = Rotation.from_quat(numbers[at : at + 4], scalar_first=True)
            out, at = out @ matrix(turn.as_matrix()), at + 4
        else:
            turn = Rotation.from_quat(numbers[at + 3 : at + 7], scalar_first=True)
            out, at = out @ matrix(turn.as_matrix(), numbers[at : at + 3]), at + 7
    return out


def slow_placements(figure: Figure, q: Any) -> Any:
    """docs/theory/2-state-and-effectors.md: the product over the ancestors of (place of the joint) · (its motion)."""
    world: dict[str | None, Any] = {None: np.eye(4)}
    for s in figure.segments:
        at = figure.index_of(s.joint.name)
        place = matrix(Rotation.from_quat(s.joint.rotation, scalar_first=True).as_matrix(), s.joint.offset)
        world[s.name] = world[s.parent] @ place @ motion_matrix(s.joint, q[at : at + s.joint.nq])
    return np.stack([world[name] for name in figure.segment_names])


@given(rngs())
def test_placements_are_the_products_over_the_ancestors(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_poses(figure, rng, 2)
    found = figure.placements(q)
    for row, pose in zip(found, q, strict=True):
        wanted = slow_placements(figure, pose)
        reach = max(figure.size, float(np.abs(wanted[:, :3, 3]).max()))
        assert_close(row[:, :3, :3], wanted[:, :3, :3], tol=1e-13)
        assert_close(row[:, :3, 3], wanted[:, :3, 3], scale=reach, tol=1e-13)
        assert_close(row[:, 3], wanted[:, 3], tol=0.0)


@given(rngs())
def test_nodes_stand_parents_first_and_numbers_and_steps_are_all_used(rng: np.random.Generator) -> None:
    tree = random_figure(rng).layout.tree
    assert (tree.parent < np.arange(len(tree.parent))).all()
    assert np.count_nonzero(tree.parent < 0) == 1
    numbers, steps = [], []
    for kind, n, k, source in zip(tree.kind, tree.number, tree.step, tree.source, strict=True):
        assert (n < 0) == (kind == FIXED) == (k < 0)
        numbers += list(range(n, n + {FIXED: 0, SLIDE: 1, TURN: 1, BALL: 4}[kind]))
        if source < 0:
            steps += list(range(k, k + {FIXED: 0, SLIDE: 1, TURN: 1, BALL: 3}[kind]))
    assert sorted(numbers) == list(range(tree.nq))
    assert sorted(steps) == list(range(tree.nv))


@given(rngs())
def test_ancestors_go_from_the_root_to_the_node(rng: np.random.Generator) -> None:
    tree = random_figure(rng).layout.tree
    for node in range(len(tree.parent)):
        path = ancestors(tree, node)
        assert tree.parent[path[0]] == -1
        assert path[-1] == node
        assert [int(tree.parent[i]) for i in path[1:]] == path[:-1]


def test_the_arrays_of_a_tree_are_read_only_and_complete() -> None:
    tree = random_figure(np.random.default_rng(0)).layout.tree
    arrays = tree.arrays()
    assert set(arrays) == set(vars(tree)) - {"nq", "nv"}
    assert not any(a.flags.writeable for a in arrays.values())


def test_world_nodes_take_many_poses_at_once() -> None:
    rng = np.random.default_rng(4)
    figure = random_figure(rng, segments=7)
    tree, q = figure.layout.tree, random_poses(figure, rng, 5)
    R, p = world_nodes(tree, q)
    for b in range(5):
        alone = world_nodes(tree, q[b : b + 1])
        assert_close(R[b], alone[0][0], tol=1e-15)
        assert_close(p[b], alone[1][0], scale=max(1.0, float(np.abs(p).max())), tol=1e-15)
