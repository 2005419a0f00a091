"""Trees from URDF files and from manikin's JSON files, read independently of manikin."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tree import Cone, Part, Tree, above
from benchmarks.turns import matrix

Pair = tuple[float, float]
_KINDS = {"fixed": "fixed", "revolute": "hinge", "continuous": "hinge", "prismatic": "slider"}
_FOREVER = 1e8
"""A limit beyond this, in radians or metres, counts as no limit."""
_FREE: Pair = (-np.inf, np.inf)


def from_urdf(path: str | Path, root: str = "fixed", links: Sequence[str] | None = None, stiff: bool = False) -> Tree:
    """A URDF file, or the part of it that moves some links: fixed, revolute, continuous and prismatic joints.

    Joints that mimic others raise an error, or are fixed if `stiff`.
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
    limits = _FREE
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
    """A figure's JSON file as manikin writes it, read independently. Balls stay balls, Euler joints become hinges."""
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
    """One part for each motion; an Euler joint gives one for each of its angles."""
    kind = motion["kind"]
    blank = Part("", None, "", "free")
    if kind == "free":
        return [("", blank)]
    if kind in ("hinge", "slider"):
        default = (0.0, 0.0, 1.0) if kind == "hinge" else (1.0, 0.0, 0.0)
        limits = _pair(motion.get("limits", _FREE))
        return [("", replace(blank, kind=kind, axis=tuple(motion.get("axis", default)), limits=limits))]
    if kind == "euler":
        order = motion.get("order", "XYZ")
        each = [_pair(pair) for pair in motion.get("limits", [])] or [_FREE] * 3
        axes = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
        pairs = zip(order, each, strict=False)
        return [(a.lower(), replace(blank, kind="hinge", axis=axes[a], limits=pair)) for a, pair in pairs]
    if kind != "ball":
        raise ValueError(f"a motion of kind {kind!r} is not known to the checker")
    return [("", replace(blank, kind="ball", cone=_cone(motion.get("limits"))))]


def _pair(values: Any) -> Pair:
    low, high = values
    return float(low), float(high)  # also converts "inf"


def _cone(limits: dict[str, Any] | None) -> Cone | None:
    if limits is None:
        return None
    a = np.array(limits.get("axis", (0.0, 1.0, 0.0)))
    e1 = np.array(limits["first"])
    return Cone(
        np.array([e1, np.cross(a, e1), a]),
        _pair(limits.get("swing", (np.pi, np.pi))),
        _pair(limits.get("twist", (-np.pi, np.pi))),
        matrix(np.array(limits.get("reference", (1.0, 0.0, 0.0, 0.0)))),
    )
