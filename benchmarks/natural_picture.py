"""Pictures: eight recorded frames, solved from five positions, with the recording in the background; and the example of
the README. Both are solved with the heading alone and from a natural start."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import cmu
from benchmarks.natural_judge import GIVEN, JUDGED, MILLIMETRES, goals_of, targets_of
from benchmarks.turns import Array

PERCENTILES = (20, 35, 50, 65, 75, 85, 92, 97)
"""The frames shown are at these percentiles of the error of the heading alone."""
CONDITION = "b"
COLORS = {"left": "#c0392b", "right": "#1f6fa8", "": "#222222"}
CHAINS = [
    ("", ["Hips", "Spine", "Spine1", "Neck", "Head"]),
    *((s.lower(), ["Hips", *(f"{s}{n}" for n in ("UpLeg", "Leg", "Foot", "ToeBase"))]) for s in ("Left", "Right")),
    *((s.lower(), ["Neck", *(f"{s}{n}" for n in ("Arm", "ForeArm", "Hand"))]) for s in ("Left", "Right")),
]


def frames(which: str) -> list[dict[str, Any]]:
    """The frames, with the joints of the recording and of both answers (19, 3), millimetres."""
    found = []
    for person in cmu.people(which):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            figure, poses = person.limited()
        some = poses[np.linspace(0, len(poses) - 1, min(40, len(poses))).astype(int)]
        solver = mk.Solver(figure, goals_of(CONDITION))
        targets = targets_of(figure, some, CONDITION)
        joints = [
            MILLIMETRES * figure.placements(q, JUDGED)[..., :3, 3]
            for q in (some, solver.solve_many(None, targets).poses, solver.solve_many("natural", targets).poses)
        ]
        for k in range(len(some)):
            rows = [j[k] for j in joints]
            found.append({"subject": person.subject, "joints": rows, "errors": [_off(rows[0], r) for r in rows]})
    order = np.argsort([f["errors"][1] for f in found])
    return [found[order[int(p / 100.0 * (len(order) - 1))]] for p in PERCENTILES]


def _off(truth: Array, given: Array) -> float:
    return float(np.linalg.norm(given - truth, axis=-1).mean())


def save(which: str, path: Path) -> None:
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    chosen = frames(which)
    picture, axes = plt.subplots(2, len(chosen), figsize=(2.05 * len(chosen), 6.6), layout="constrained")
    for column, frame in enumerate(chosen):
        truth = frame["joints"][0]
        side = _side(truth)
        for row, (label, at) in enumerate((("heading", 1), ("natural", 2))):
            ax = axes[row, column]
            _draw(ax, truth @ side, "#d0d0d0", 6.0)
            _draw(ax, frame["joints"][at] @ side, None, 2.0)
            given = [k for k, name in enumerate(JUDGED) if name in GIVEN and name != "Hips"]
            points = truth[given] @ side
            ax.plot(points[:, 0], points[:, 1], "o", mfc="none", mec="#2e8b57", mew=1.3, ms=7, zorder=5)
            title = f"subject {frame['subject']:02}\n" if row == 0 else ""
            ax.set_title(f"{title}{label}: {frame['errors'][at]:.0f} mm", fontsize=9)
            ax.set_aspect("equal")
            ax.set_axis_off()
            middle = 0.5 * (truth.min(axis=0) + truth.max(axis=0)) @ side
            ax.set_xlim(middle[0] - 620, middle[0] + 620)
            ax.set_ylim(middle[1] - 1080, middle[1] + 1080)
    picture.suptitle(
        "Given: positions of head, hands and feet (green). Grey: recorded. Red: left, blue: right. "
        "Mean error of 19 joints.\nFrames at the "
        + ", ".join(f"{p}" for p in PERCENTILES)
        + "th percentile of the error with the heading alone.",
        fontsize=10,
    )
    picture.savefig(path, dpi=110)
    plt.close(picture)


def readme_goals(figure: mk.Figure) -> list[mk.Goal]:
    """The goals of the first example of the README."""
    left, right = figure.placements(figure.rest, ["LeftFoot", "RightFoot"])
    return [
        mk.Position("RightHand", (-0.42, 1.45, 0.42)),
        mk.Placement("LeftFoot", left),
        mk.Placement("RightFoot", right),
        mk.Aim("Head", (-0.42, 1.45, 0.42)),
        mk.Balance(["LeftFoot", "RightFoot"]),
    ]


def save_readme(path: Path) -> None:
    """The example of the README, solved from rest and from a natural start, from the front and from the side."""
    from matplotlib.figure import Figure as Picture

    figure = mk.human()
    goals = readme_goals(figure)
    picture = Picture(figsize=(11.0, 3.1), layout="constrained")
    answers = {
        "start=None (rest)": mk.solve(figure, goals),
        'start="natural"': mk.solve(figure, goals, start="natural"),
    }
    for row, (label, found) in enumerate(answers.items()):
        for column, view in enumerate(("front", "right")):
            ax = picture.add_subplot(1, 4, 2 * row + column + 1, projection="3d")
            mk.plot(figure, found.pose, goals, ax=ax, view=view, labels=False)
            ax.set_title(label if column == 0 else "from its right", fontsize=10)
        print(f"{label}: {int(np.sum(found.reached))} reached, largest error {float(np.max(found.errors)):.1e}")
    picture.savefig(path, dpi=110)


def _side(joints: Array) -> Array:
    """(3, 2) the projection for a view from the front, slightly from the left."""
    left = joints[JUDGED.index("LeftArm")] - joints[JUDGED.index("RightArm")]
    left[1] = 0.0
    left /= max(float(np.linalg.norm(left)), 1e-9)
    forward = np.cross(left, (0.0, 1.0, 0.0))
    across = np.cos(0.6) * left + np.sin(0.6) * forward
    return np.stack([across, (0.0, 1.0, 0.0)], axis=1)


def _draw(ax: Any, points: Array, color: str | None, width: float) -> None:
    for side, names in CHAINS:
        rows = points[[JUDGED.index(n) for n in names]]
        style = {"solid_capstyle": "round", "solid_joinstyle": "round"}
        ax.plot(rows[:, 0], rows[:, 1], color=color or COLORS[side], lw=width, zorder=1 if color else 3, **style)
