"""Kinematics of a URDF file (or of a figure's JSON file) in plain NumPy, to judge results and to make targets.

This module uses neither manikin nor a peer: it is the independent judge of the benchmark. A pose is one row of numbers:
for a free root x, y, z, w, i, j, k; then one number for each hinge and slider and four (wxyz) for each ball, in the
order of `joints`, parents first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.turns import Array, from_rpy, matrix, rotation_vectors, to_rpy

WIDTH = {"fixed": 0, "hinge": 1, "slider": 1, "ball": 4, "free": 7}
"""Number of numbers in a pose for each kind of joint."""


@dataclass(frozen=True, eq=False)
class Cone:
    """Limits of a ball: rotations Q S T with the swing S in an ellipse and the twist T in a range."""

    basis: Array
    """(3, 3) rows e1, e2, bone."""
    swing: tuple[float, float]
    twist: tuple[float, float]
    reference: Array
    """(3, 3) Q."""


@dataclass(frozen=True, eq=False)
class Part:
    """A link and its joint."""

    link: str
    parent: str | None
    joint: str
    kind: str
    """One of WIDTH."""
    xyz: tuple[float, ...] = (0.0, 0.0, 0.0)
    rpy: tuple[float, ...] = (0.0, 0.0, 0.0)
    axis: tuple[float, ...] = (1.0, 0.0, 0.0)
    limits: tuple[float, float] = (-np.inf, np.inf)
    cone: Cone | None = None
    turn: Array | None = None
    """(3, 3) fixed rotation of the joint, instead of rpy."""

    @property
    def origin(self) -> Array:
        """(4, 4) placement of the joint in the parent link."""
        T = np.eye(4)
        T[:3, :3] = from_rpy(self.rpy) if self.turn is None else self.turn
        T[:3, 3] = self.xyz
        return T


@dataclass(frozen=True, eq=False)
class Tree:
    """Links and joints, parents first."""

    parts: tuple[Part, ...]
    at: dict[str, int] = field(default_factory=dict)
    """Index of the first number of each moving joint in a pose."""

    def __post_init__(self) -> None:
        n = 0
        for p in self.parts:
            if p.kind not in WIDTH:
                raise ValueError(f"joint {p.joint!r} is {p.kind}, which the checker does not know")
            if WIDTH[p.kind]:
                self.at[p.joint] = n
                n += WIDTH[p.kind]

    @property
    def nq(self) -> int:
        return sum(WIDTH[p.kind] for p in self.parts)

    @property
    def joints(self) -> list[str]:
        """Names of the moving joints, without a free root."""
        return [p.joint for p in self.parts if p.kind not in ("fixed", "free")]

    @property
    def free(self) -> bool:
        return self.parts[0].kind == "free"

    @property
    def lower(self) -> Array:
        return self._bounds(0)

    @property
    def upper(self) -> Array:
        return self._bounds(1)

    def _bounds(self, side: int) -> Array:
        out = np.full(self.nq, (-np.inf, np.inf)[side])
        for p in self.parts:
            if p.kind in ("hinge", "slider"):
                out[self.at[p.joint]] = p.limits[side]
        return out

    def rest(self) -> Array:
        """Zeros, or mid-range if zero is outside the limits. Balls and a free root are at the identity."""
        q = np.zeros(self.nq)
        low, high = self.lower, self.upper
        outside = (low > 0.0) | (high < 0.0)
        q[outside] = 0.5 * (low[outside] + high[outside])
        for p in self.parts:
            if p.kind in ("ball", "free"):
                q[self.at[p.joint] + (3 if p.kind == "free" else 0)] = 1.0
        return q

    def random(self, rng: np.random.Generator, count: int) -> Array:
        """Uniform within limits, or within ±pi if there are none; a free root is at rest. (count, nq)."""
        low = np.where(np.isfinite(self.lower), self.lower, -np.pi)
        high = np.where(np.isfinite(self.upper), self.upper, np.pi)
        q = low + (high - low) * rng.random((count, self.nq))
        if self.free:
            q[:, :7] = (0, 0, 0, 1, 0, 0, 0)
        return q

    def placements(self, q: Array, links: Sequence[str]) -> Array:
        """(B, nq) -> (B, links, 4, 4) in the world."""
        wanted = set(above({p.link: p.parent for p in self.parts}, links))
        placed: dict[str | None, Array] = {None: np.eye(4)}
        for p in self.parts:
            if p.link not in wanted:
                continue
            T = placed[p.parent] @ p.origin
            if WIDTH[p.kind]:
                n = self.at[p.joint]
                T = T @ _motion(p, q[:, n : n + WIDTH[p.kind]])
            placed[p.link] = np.broadcast_to(T, (len(q), 4, 4))
        return np.stack([placed[link] for link in links], axis=1)

    def with_root(self, kind: str) -> Tree:
        """The tree with the root link free or fixed."""
        return Tree((replace(self.parts[0], kind=kind), *self.parts[1:]))

    def merged(self, links: Sequence[str]) -> Tree:
        """The same tree without fixed links that have children and are not in `links`. Their placements are merged into
        the joints below. (One peer mishandles several fixed joints in a row.)"""
        first = self.parts[0]
        root = f"{first.link}_link" if first.link == "world" else first.link  # "world" is special in some peers
        parts = [replace(first, link=root)]
        gone: dict[str | None, tuple[str | None, Array]] = {first.link: (root, np.eye(4))}
        for p in self.parts[1:]:
            above, T = gone.get(p.parent, (p.parent, np.eye(4)))
            T = T @ p.origin
            if p.kind == "fixed" and p.link not in links:
                gone[p.link] = (above, T)
            else:
                xyz = tuple(T[:3, 3].tolist())
                parts.append(replace(p, parent=above, xyz=xyz, rpy=to_rpy(T[:3, :3]), turn=None))
        return Tree(tuple(parts))

    def violation(self, q: Array) -> Array:
        """(B,) largest excess of a joint over its limits, radians or metres; 0 inside. NaN gives inf."""
        worst = np.maximum(self.lower - q, q - self.upper).max(axis=1, initial=0.0)
        worst = np.maximum(worst, 0.0)
        for p in self.parts:
            if p.cone is not None:
                n = self.at[p.joint]
                worst = np.maximum(worst, _outside(p.cone, q[:, n : n + 4]))
        return np.where(np.isfinite(q).all(axis=1), worst, np.inf)

    def moves(self, a: Array, b: Array) -> Array:
        """(B, joints) angle by which each hinge and ball turns from a to b, without a free root."""
        out = []
        for p in self.parts:
            if p.kind == "hinge":
                out.append(np.abs(b[:, self.at[p.joint]] - a[:, self.at[p.joint]]))
            elif p.kind == "ball":
                n = self.at[p.joint]
                dot = np.abs(np.sum(a[:, n : n + 4] * b[:, n : n + 4], axis=1))
                out.append(2.0 * np.arccos(np.clip(dot, 0.0, 1.0)))
        return np.stack(out, axis=1) if out else np.zeros((len(a), 1))


def above(parents: Mapping[str, str | None], links: Iterable[str]) -> list[str]:
    """The links and all links between them and the root, in the given order."""
    found: set[str] = set()
    for name in links:
        at: str | None = name
        if name not in parents:
            raise ValueError(f"there is no link {name!r}; there are {', '.join(parents)}")
        while at is not None and at not in found:
            found.add(at)
            at = parents[at]
    return [link for link in parents if link in found]


def _outside(cone: Cone, quaternions: Array) -> Array:
    """(B,) radians outside the cone, from the direction of the bone and its twist.

    With M = Q^-1 L, the swing is the shortest rotation that takes the bone a to M a. The rest of M is the twist.
    """
    M = cone.basis @ cone.reference.T @ matrix(quaternions) @ cone.basis.T  # in axes e1, e2, a
    x, y, z = M[:, 0, 2], M[:, 1, 2], M[:, 2, 2]
    angle, sine = np.arctan2(np.hypot(x, y), z), np.hypot(x, y)
    with np.errstate(invalid="ignore", divide="ignore"):
        s1, s2 = (np.where(sine > 1e-12, angle * v / sine, 0.0) for v in (-y, x))  # rotation vector a x (M a)
    S = rotation_vectors(np.stack([s1, s2, np.zeros_like(s1)], axis=1))
    T = np.swapaxes(S, 1, 2) @ M
    twist = np.arctan2(T[:, 1, 0], T[:, 0, 0])
    ratio = np.hypot(s1 / cone.swing[0], s2 / cone.swing[1])
    beyond = np.where(ratio > 1.0, angle * (1.0 - 1.0 / np.maximum(ratio, 1.0)), 0.0)
    return np.maximum(beyond, np.maximum(cone.twist[0] - twist, twist - cone.twist[1]))


def _motion(p: Part, q: Array) -> Array:
    """(B, 4, 4) the motion of the joint for its numbers."""
    T = np.broadcast_to(np.eye(4), (len(q), 4, 4)).copy()
    if p.kind == "hinge":
        axis = np.array(p.axis) / np.linalg.norm(p.axis)
        T[:, :3, :3] = rotation_vectors(q * axis)
    elif p.kind == "slider":
        T[:, :3, 3] = q * np.array(p.axis) / np.linalg.norm(p.axis)
    elif p.kind == "ball":
        T[:, :3, :3] = matrix(q)
    else:
        T[:, :3, 3], T[:, :3, :3] = q[:, :3], matrix(q[:, 3:])
    return T
