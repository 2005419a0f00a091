"""Kinematics of a URDF file (or of a figure's JSON file) in plain NumPy, for judging results and for making targets.

Nothing of manikin is used here, and nothing of a peer: this is the independent side of the benchmark. A pose is one row
of numbers: for a free root x, y, z, w, i, j, k; then one number for each hinge and slider and four (wxyz) for each
ball, in the order of `joints`, parents first.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray
WIDTH = {"fixed": 0, "hinge": 1, "slider": 1, "ball": 4, "free": 7}
"""Numbers of a pose that a joint has."""
_KINDS = {"fixed": "fixed", "revolute": "hinge", "continuous": "hinge", "prismatic": "slider"}
_FOREVER = 1e8
"""A limit beyond this is none."""


@dataclass(frozen=True, eq=False)
class Cone:
    """Limits of a ball: turns Q S T with the swing S in an ellipse and the twist T in a range."""

    basis: Array
    """(3, 3) rows e1, e2, bone."""
    swing: tuple[float, float]
    twist: tuple[float, float]
    reference: Array
    """(3, 3) Q."""


@dataclass(frozen=True, eq=False)
class Part:
    """A link, and the joint that holds it."""

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
    """(3, 3) fixed rotation of the joint in place of rpy."""

    @property
    def origin(self) -> Array:
        """(4, 4) the joint's place in the parent link."""
        T = np.eye(4)
        T[:3, :3] = from_rpy(self.rpy) if self.turn is None else self.turn
        T[:3, 3] = self.xyz
        return T


@dataclass(frozen=True, eq=False)
class Tree:
    """Links and joints, parents first."""

    parts: tuple[Part, ...]
    at: dict[str, int] = field(default_factory=dict)
    """Where the numbers of each moving joint start in a pose."""

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
        """Zeros, or mid-range where zero is outside the limits; balls and a free root unturned."""
        q = np.zeros(self.nq)
        low, high = self.lower, self.upper
        outside = (low > 0.0) | (high < 0.0)
        q[outside] = 0.5 * (low[outside] + high[outside])
        for p in self.parts:
            if p.kind in ("ball", "free"):
                q[self.at[p.joint] + (3 if p.kind == "free" else 0)] = 1.0
        return q

    def random(self, rng: np.random.Generator, count: int) -> Array:
        """Uniform within limits; ±pi where there are none; a free root at rest. (count, nq)."""
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
        """With the root link free or fixed."""
        return Tree((replace(self.parts[0], kind=kind), *self.parts[1:]))

    def merged(self, links: Sequence[str]) -> Tree:
        """The same tree without the fixed links that carry others and are not among `links`: their places go into the
        joints below. (One peer mistakes several fixed joints in a row.)"""
        parts, gone = [self.parts[0]], {}
        for p in self.parts[1:]:
            above, T = gone.get(p.parent, (p.parent, np.eye(4)))
            T = T @ p.origin
            if p.kind == "fixed" and p.link not in links:
                gone[p.link] = (above, T)
            else:
                place = {"xyz": tuple(T[:3, 3].tolist()), "rpy": to_rpy(T[:3, :3]), "turn": None}
                parts.append(p if p.parent not in gone else replace(p, parent=above, **place))
        return Tree(tuple(parts))

    def violation(self, q: Array) -> Array:
        """(B,) how far the worst joint is outside its limits, radians or metres; 0 inside. NaN gives inf."""
        worst = np.maximum(self.lower - q, q - self.upper).max(axis=1, initial=0.0)
        worst = np.maximum(worst, 0.0)
        for p in self.parts:
            if p.cone is not None:
                n = self.at[p.joint]
                worst = np.maximum(worst, _outside(p.cone, q[:, n : n + 4]))
        return np.where(np.isfinite(q).all(axis=1), worst, np.inf)

    def moves(self, a: Array, b: Array) -> Array:
        """(B, joints) by how much each hinge and ball turns from a to b, a free root left out."""
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
    """The links and all between them and the root, in the order given."""
    found: set[str] = set()
    for name in links:
        at: str | None = name
        if name not in parents:
            raise ValueError(f"there is no link {name!r}; there are {', '.join(parents)}")
        while at is not None and at not in found:
            found.add(at)
            at = parents[at]
    return [link for link in parents if link in found]


def from_urdf(
    path: str | Path, root: str = "fixed", links: Sequence[str] | None = None, stiff: bool = False
) -> Tree:
    """A URDF file, or what of it moves some links: fixed, revolute, continuous and prismatic joints.

    Joints that mimic others are refused, or held fast where `stiff`.
    """
    robot = ET.parse(path).getroot()
    joints = robot.findall("joint")
    parent_of = {_link(j, "child"): j for j in joints}
    names = [link.attrib["name"] for link in robot.findall("link")]
    (first,) = (n for n in names if n not in parent_of)
    below: dict[str, list[Any]] = {}
    for j in joints:
        below.setdefault(_link(j, "parent"), []).append(j)
    parts = [Part(first, None, "root", root)]
    waiting = list(reversed(below.get(first, [])))
    while waiting:
        j = waiting.pop()
        parts.append(_part(j))
        waiting += reversed(below.get(parts[-1].link, []))
    if links is not None:
        keep = set(above({p.link: p.parent for p in parts}, links))
        parts = [p for p in parts if p.link in keep]
    if stiff:
        parts = [replace(p, kind="fixed") if p.kind == "mimic" else p for p in parts]
    return Tree(tuple(parts))


def _link(joint: Any, side: str) -> str:
    return str(joint.find(side).attrib["link"])


def _part(joint: Any) -> Part:
    kind = joint.attrib["type"]
    name = joint.attrib["name"]
    origin, axis, limit = joint.find("origin"), joint.find("axis"), joint.find("limit")
    limits = (-np.inf, np.inf)
    if kind in ("revolute", "prismatic") and limit is not None:
        low, high = (float(limit.attrib.get(side, 0.0)) for side in ("lower", "upper"))
        limits = (low if low > -_FOREVER else -np.inf, high if high < _FOREVER else np.inf)
    mimics = joint.find("mimic") is not None
    return Part(
        _link(joint, "child"),
        _link(joint, "parent"),
        name,
        "mimic" if mimics else _KINDS.get(kind, kind),
        _three(origin, "xyz", "0 0 0"),
        _three(origin, "rpy", "0 0 0"),
        _three(axis, "xyz", "1 0 0"),
        limits,
    )


def _three(element: Any, name: str, default: str) -> tuple[float, ...]:
    text = default if element is None else element.attrib.get(name, default)
    return tuple(float(x) for x in text.split())


def from_json(path: str | Path) -> Tree:
    """A figure's JSON file as manikin writes it, read independently: balls stay balls, Euler joints become hinges."""
    parts: list[Part] = []
    for s in json.loads(Path(path).read_text())["segments"]:
        joint = s.get("joint", {})
        turn = matrix(np.array(joint.get("rotation", (1.0, 0.0, 0.0, 0.0))))
        parent, xyz = s.get("parent"), tuple(joint.get("offset", (0.0, 0.0, 0.0)))
        steps = [step for m in joint.get("motions", []) for step in _steps(m)] or [("", Part("", None, "", "fixed"))]
        for k, (label, part) in enumerate(steps):
            last = k == len(steps) - 1
            link = s["name"] if last else f"{s['name']}_{label}"
            name = joint.get("name", s["name"]) + (f"_{label}" if label and len(steps) > 1 else "")
            parts.append(replace(part, link=link, parent=parent, joint=name, xyz=xyz, turn=turn))
            parent, xyz, turn = link, (0.0, 0.0, 0.0), np.eye(3)
    return Tree(tuple(parts))


def _steps(motion: dict[str, Any]) -> list[tuple[str, Part]]:
    """One part a motion; an Euler joint gives one for each of its angles."""
    kind = motion["kind"]
    blank = Part("", None, "", "free")
    if kind == "free":
        return [("", blank)]
    if kind in ("hinge", "slider"):
        default = (0.0, 0.0, 1.0) if kind == "hinge" else (1.0, 0.0, 0.0)
        limits = tuple(_number(x) for x in motion.get("limits", (-np.inf, np.inf)))
        return [("", replace(blank, kind=kind, axis=tuple(motion.get("axis", default)), limits=limits))]
    if kind == "euler":
        order = motion.get("order", "XYZ")
        limits = [tuple(_number(x) for x in pair) for pair in motion.get("limits", [])] or [(-np.inf, np.inf)] * 3
        axes = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
        pairs = zip(order, limits, strict=False)
        return [(a.lower(), replace(blank, kind="hinge", axis=axes[a], limits=pair)) for a, pair in pairs]
    if kind != "ball":
        raise ValueError(f"a motion of kind {kind!r} is not known to the checker")
    return [("", replace(blank, kind="ball", cone=_cone(motion.get("limits"))))]


def _number(value: Any) -> float:
    return float(value)  # "inf" too


def _cone(limits: dict[str, Any] | None) -> Cone | None:
    if limits is None:
        return None
    a = np.array(limits.get("axis", (0.0, 1.0, 0.0)))
    e1 = np.array(limits["first"])
    return Cone(
        np.array([e1, np.cross(a, e1), a]),
        tuple(limits.get("swing", (np.pi, np.pi))),
        tuple(limits.get("twist", (-np.pi, np.pi))),
        matrix(np.array(limits.get("reference", (1.0, 0.0, 0.0, 0.0)))),
    )


def _outside(cone: Cone, quaternions: Array) -> Array:
    """(B,) radians outside the cone, by where the bone points and how it is twisted there.

    With M = Q^-1 L, the swing is the shortest turn that takes the bone a to M a; what is left of M is the twist.
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
    """(B, 4, 4) what the joint's numbers do."""
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


def from_rpy(rpy: Sequence[float]) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in rpy)
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return Rz @ Ry @ Rx


def to_rpy(R: Array) -> tuple[float, float, float]:
    """Inverse of `from_rpy`; where pitch is a right angle the yaw is 0."""
    flat = np.hypot(R[0, 0], R[1, 0])
    pitch = float(np.arctan2(-R[2, 0], flat))
    if flat < 1e-9:
        return float(np.arctan2(-R[1, 2], R[1, 1])), pitch, 0.0
    return float(np.arctan2(R[2, 1], R[2, 2])), pitch, float(np.arctan2(R[1, 0], R[0, 0]))


def rotation_vectors(v: Array) -> Array:
    """(B, 3) -> (B, 3, 3), by Rodrigues' formula."""
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    K = np.zeros((*v.shape[:-1], 3, 3))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    K -= np.swapaxes(K, -1, -2)
    s = np.sinc(angle / np.pi)  # sin x / x
    c = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2  # (1 - cos x) / x^2
    return np.eye(3) + s * K + c * (K @ K)


def matrix(quaternions: Array) -> Array:
    """wxyz, (..., 4) -> (..., 3, 3)."""
    w, x, y, z = np.moveaxis(quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternions(R: Array) -> Array:
    """(..., 3, 3) -> (..., 4) wxyz, w >= 0, by the eigenvector of the largest eigenvalue."""
    K = np.empty((*R.shape[:-2], 4, 4))
    trace = np.trace(R, axis1=-2, axis2=-1)
    K[..., 0, 0] = trace
    off = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    K[..., 0, 1:], K[..., 1:, 0] = off, off
    K[..., 1:, 1:] = R + np.swapaxes(R, -1, -2) - trace[..., None, None] * np.eye(3)
    v = np.linalg.eigh(K)[1][..., -1]
    return v * np.where(v[..., :1] < 0.0, -1.0, 1.0)


def angle_between(A: Array, B: Array) -> Array:
    """(..., 3, 3), (..., 3, 3) -> (...) the angle of A B^T, exact near 0."""
    R = A @ np.swapaxes(B, -1, -2)
    skew = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    return np.arctan2(0.5 * np.linalg.norm(skew, axis=-1), 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1.0))
