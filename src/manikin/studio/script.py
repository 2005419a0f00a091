"""The Python script that makes the pose of a scene again."""

from __future__ import annotations

import json

import numpy as np

from manikin.base.names import comment, docstring
from manikin.figure.figure import Figure
from manikin.studio.goals import SceneGoal
from manikin.studio.scene import StudioScene

FIGURE_FILE = "figure.json"
"""The file next to the script, if the figure is neither built in nor from a file."""


def script_files(scene: StudioScene, figure: Figure) -> dict[str, str]:
    """The script as "pose.py", and the figure as "figure.json" if the script needs it."""
    files = {"pose.py": script(scene, figure)}
    if scene.source.kind == "record":
        files[FIGURE_FILE] = json.dumps(scene.source.record)
    return files


def script(scene: StudioScene, figure: Figure) -> str:
    """The text of the script. It sets `figure`, `goals` and `pose`, and prints how well the pose meets the goals."""
    kept = [goal for goal in scene.goals if goal.on]
    lines = [
        f'"""The pose of the scene {docstring(scene.name)}, written by manikin studio."""',
        "",
        "import manikin as mk",
        "",
        _figure(scene),
        "goals = [",
        *(f"    {_goal(goal)}," for goal in kept),
        "]",
        "",
        "pose = figure.rest.copy()",
        *_pose(scene, figure),
        "",
    ]
    freeze = f", freeze={list(scene.freeze)!r}" if scene.freeze else ""
    if kept:
        lines += [
            f"solver = mk.Solver(figure, goals{freeze})",
            "for report in solver.explain(pose):",
            "    print(report)",
        ]
    return "\n".join(lines) + "\n"


def _figure(scene: StudioScene) -> str:
    source = scene.source
    if source.kind == "builtin":
        given = ", ".join(f"{name}={value!r}" for name, value in source.arguments.items())
        return f"figure = mk.{source.name}({given})"
    options = {k: v for k, v in source.arguments.items() if k not in ("limits", "clip")}
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    name = FIGURE_FILE if source.kind == "record" else source.name
    limits = ".with_limits()" if source.arguments.get("limits") else ""
    return f"figure = mk.load_figure({name!r}{given}){limits}"


def _goal(goal: SceneGoal) -> str:
    numbers = tuple(goal.target)
    given = {
        "position": f"Position({goal.segment!r}, {numbers!r}",
        "orientation": f"Orientation({goal.segment!r}, {numbers!r}",
        "placement": f"Placement({goal.segment!r}, {numbers!r}",
        "aim": f"Aim({goal.segment!r}, {numbers!r}, axis={goal.axis!r}",
        "pole": f"Pole({goal.segment!r}, {numbers!r}",
        "plane": f"Plane({goal.segment!r}, point={numbers[:3]!r}, normal={numbers[3:]!r}",
        "balance": f"Balance({list(goal.segments)!r}",
        "clearance": f"Clearance({goal.distance!r}",
    }[goal.kind]
    options = [f"name={goal.id!r}"]
    if any(goal.offset):
        options.append(f"offset={goal.offset!r}")
    if goal.priority:
        options.append(f"priority={goal.priority!r}")
    if goal.weight != 1.0:
        options.append(f"weight={goal.weight!r}")
    if goal.tolerance is not None:
        options.append(f"tolerance={goal.tolerance!r}")
    return f"mk.{given}, {', '.join(options)})"


def _pose(scene: StudioScene, figure: Figure) -> list[str]:
    """One line for each joint that is not at rest. Python reads the numbers back exactly."""
    lines = []
    for segment in figure.segments:
        joint = segment.joint
        if joint.nq == 0:
            continue
        first = figure.index_of(joint.name)
        numbers = scene.pose[first : first + joint.nq]
        if numbers.tobytes() != np.ascontiguousarray(figure.rest[first : first + joint.nq]).tobytes():
            at = f"{first}" if joint.nq == 1 else f"{first}:{first + joint.nq}"
            values = repr(float(numbers[0])) if joint.nq == 1 else repr([float(x) for x in numbers])
            lines.append(f"pose[{at}] = {values}  # {comment(joint.name)}")
    return lines
