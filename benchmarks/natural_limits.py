"""Counts recorded poses of people outside the limits of `with_limits("human")`, joint by joint."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import cmu
from benchmarks.turns import Array
from manikin import rotations
from manikin.kinematics import swing_twist

NOISY = ("thumb", "fingers", "index", "hand")
"""Parts whose recordings are noise (data/cmu/SOURCES.md): counted, but not in the totals."""


def excess(figure: mk.Figure, poses: Array) -> dict[str, Array]:
    """Distance of each ball outside its limits in radians, (poses,) by segment."""
    cones = figure.layout.cones
    turns = poses[:, cones.number[:, None] + np.arange(4)]
    found = swing_twist.decompose(rotations.multiply(cones.inverse_reference, turns), cones.basis)
    out = swing_twist.excess(found, cones.swing, cones.twist)
    starts = {figure.index_of(s.joint.name) + s.joint.nq - 4: s.name for s in figure.segments if s.joint.motions}
    return {starts[int(n)]: out[:, k] for k, n in enumerate(cones.number)}


def count(which: str = "training", data: str | None = None) -> dict[str, Any]:
    """The number of poses outside by joint, and of poses in which any joint that is not `NOISY` is outside."""
    outside: dict[str, list[Array]] = {}
    anywhere, poses = 0, 0
    for person in cmu.people(which, data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            figure, q = person.limited()
        part = figure.source["mapped"]
        found = excess(figure, q)
        for name, by in found.items():
            outside.setdefault(f"{name} ({part[name]})", []).append(by)
        sound = [by > 0.0 for name, by in found.items() if not any(n in part[name] for n in NOISY)]
        anywhere += int(np.any(sound, axis=0).sum())
        poses += len(q)
    joints = {}
    for name, rows in outside.items():
        by = np.concatenate(rows)
        beyond = by[by > 0.0]
        joints[name] = {
            "outside": len(beyond),
            "median_degrees": round(float(np.rad2deg(np.median(beyond))), 1) if len(beyond) else 0.0,
        }
    return {"subjects": which, "poses": poses, "outside": anywhere, "joints": joints}


def table(after: dict[str, Any], before: dict[str, Any] | None = None) -> str:
    """A Markdown table; with `before`, both counts."""
    columns = [before, after] if before else [after]
    names = ["before", "after"] if before else ["outside"]
    head = f"Poses of {after['subjects']} subjects outside the limits, of {after['poses']}"
    lines = [head, "", f"| joint | {' | '.join(names)} | median, degrees |", f"| --- |{' ---: |' * (len(names) + 1)}"]
    lines.append(f"| **any, without hands and fingers** | {' | '.join(str(c['outside']) for c in columns)} | |")
    for name, row in after["joints"].items():
        counts = [c["joints"][name]["outside"] for c in columns]
        if any(counts):
            lines.append(f"| {name} | {' | '.join(map(str, counts))} | {row['median_degrees']} |")
    return "\n".join(lines) + "\n"
