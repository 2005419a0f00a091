"""URDF files for all peers with only links, joints and limits; and generated figures: arms, a chain, a binary tree.

There are no shapes, meshes or transmissions, so that none has to be found or parsed. Every link has the same small
mass, because some peers reject links without mass.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.tree import Part, Tree

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_INERTIA = '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>'
_INERTIAL = f'<inertial><origin xyz="0 0 0" rpy="0 0 0"/><mass value="0.5"/>{_INERTIA}</inertial>'


def urdf(tree: Tree, name: str) -> str:
    """The text of the file. A free root is left to the reading program, as is usual."""
    lines = ['<?xml version="1.0"?>', f'<robot name="{name}">']
    lines += [f'  <link name="{p.link}">{_INERTIAL}</link>' for p in tree.parts]
    lines += [_joint(p) for p in tree.parts[1:]]
    return "\n".join([*lines, "</robot>", ""])


def _joint(p: Part) -> str:
    kind = {"hinge": "revolute", "slider": "prismatic", "fixed": "fixed"}[p.kind]
    limit = ""
    if kind == "revolute" and not np.isfinite(p.limits).all():
        kind = "continuous"
    elif p.kind != "fixed":
        limit = f'<limit lower="{p.limits[0]!r}" upper="{p.limits[1]!r}" effort="100" velocity="100"/>'
    axis = "" if p.kind == "fixed" else f'<axis xyz="{_numbers(p.axis)}"/>'
    return (
        f'  <joint name="{p.joint}" type="{kind}"><parent link="{p.parent}"/><child link="{p.link}"/>'
        f'<origin xyz="{_numbers(p.xyz)}" rpy="{_numbers(p.rpy)}"/>{axis}{limit}</joint>'
    )


def _numbers(values: Sequence[float]) -> str:
    return " ".join(repr(float(v)) for v in values)


def row(
    steps: Sequence[tuple[str, tuple[float, ...], tuple[float, ...], tuple[float, float]]], tool: Sequence[float]
) -> Tree:
    """A chain from (kind, xyz, axis, limits) of each joint; link and joint names L1, J1, …; a fixed link "tool"."""
    parts = [Part("base", None, "root", "fixed")]
    for i, (kind, xyz, axis, limits) in enumerate(steps, start=1):
        parts.append(Part(f"L{i}", parts[-1].link, f"J{i}", kind, xyz, (0.0, 0.0, 0.0), axis, limits))
    parts.append(Part("tool", parts[-1].link, "J_tool", "fixed", tuple(tool)))
    return Tree(tuple(parts))


def rail_arm() -> Tree:
    """Seven joints: a slider of 1 m along a rail, then a six-axis arm with a wrist whose axes meet."""
    wide = (-2.9, 2.9)
    return row(
        [
            ("slider", (0.0, 0.0, 0.1), _X, (-0.5, 0.5)),
            ("hinge", (0.0, 0.0, 0.3), _Z, wide),
            ("hinge", (0.1, 0.0, 0.1), _Y, (-1.9, 1.6)),
            ("hinge", (0.0, 0.0, 0.45), _Y, (-1.2, 2.4)),
            ("hinge", (0.25, 0.0, 0.05), _X, wide),
            ("hinge", (0.2, 0.0, 0.0), _Y, (-1.9, 1.9)),
            ("hinge", (0.08, 0.0, 0.0), _X, (-3.1, 3.1)),
        ],
        (0.05, 0.0, 0.0),
    )


def eight_axis_arm() -> Tree:
    """Eight hinges with alternating axes: two more than needed."""
    tall = [0.2, 0.15, 0.25, 0.15, 0.25, 0.15, 0.15, 0.08]
    axes = [_Z, _Y, _Z, _Y, _Z, _Y, _Z, _Y]
    limits = [(-2.8, 2.8), (-2.0, 2.0)] * 4
    return row([("hinge", (0.0, 0.0, h), a, lim) for h, a, lim in zip(tall, axes, limits, strict=True)], (0, 0, 0.1))


def with_tool(tree: Tree, link: str, xyz: Sequence[float], rpy: Sequence[float]) -> Tree:
    """The arm with a slanted tool: a fixed link "held_tool" on one of its links."""
    return Tree((*tree.parts, Part("held_tool", link, "held_tool_joint", "fixed", tuple(xyz), tuple(rpy))))


def chain(count: int, length: float = 0.05, limit: float = 0.6) -> Tree:
    """`count` joints of three hinges each (z, y, x at one place), segments along x, a fixed link "tip"."""
    parts = [Part("base", None, "root", "fixed")]
    for i in range(count):
        parts += _three(f"s{i}", parts[-1].link, (length if i else 0.0, 0.0, 0.0), limit)
    parts.append(Part("tip", parts[-1].link, "tip_joint", "fixed", (length, 0.0, 0.0)))
    return Tree(tuple(parts))


def binary_tree(levels: int = 7, length: float = 0.1, limit: float = 0.8) -> tuple[Tree, list[str]]:
    """A binary tree and the names of its tips. Every branch is two three-hinge joints; each branch above the last level
    has two children.

    Seven levels: 127 branches, 762 hinges, 64 tips.
    """
    parts, tips = [Part("base", None, "root", "fixed")], []
    waiting = [("b", "base", 0, 0.0)]
    while waiting:
        name, parent, level, side = waiting.pop(0)
        first = _three(f"{name}a", parent, (length if level else 0.0, side, 0.0), limit)
        second = _three(f"{name}b", first[-1].link, (length, 0.0, 0.0), limit)
        parts += first + second
        if level + 1 < levels:
            waiting += [(f"{name}{k}", second[-1].link, level + 1, s) for k, s in ((0, -0.02), (1, 0.02))]
        else:
            tips.append(f"{name}tip")
            parts.append(Part(tips[-1], second[-1].link, f"{name}tip_joint", "fixed", (length, 0.0, 0.0)))
    return Tree(tuple(parts)), tips


def _three(name: str, parent: str, xyz: tuple[float, ...], limit: float) -> list[Part]:
    parts: list[Part] = []
    for letter, axis in (("z", _Z), ("y", _Y), ("x", _X)):
        at = xyz if not parts else (0.0, 0.0, 0.0)
        above = parts[-1].link if parts else parent
        link = f"{name}{letter}"
        parts.append(Part(link, above, f"{link}_joint", "hinge", at, axis=axis, limits=(-limit, limit)))
    return parts
