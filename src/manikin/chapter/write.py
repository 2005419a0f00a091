"""Writes everything into one folder: a picture and a GIF for each example, results.json, chapter.html."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from manikin.base import writing
from manikin.chapter import charts, measure, methods, pictures, tables
from manikin.chapter.animation import animate
from manikin.chapter.examples import chosen
from manikin.chapter.page import page
from manikin.chapter.run import Course, run
from manikin.chapter.statements import statements
from manikin.motion.follow import follow
from manikin.solvers import METHODS
from manikin.view.picture import plot

FRAMES = 40
"""Largest number of frames of a GIF."""
PERSON_VIEW = (-60.0, 10.0)
"""View of the person: azimuth and elevation, degrees."""
Progress = Callable[[str, int, int], object]
"""Called with the next task, the amount of work done, and the total amount."""


def write_chapter(
    folder: Path,
    names: Sequence[str] = (),
    *,
    frames: int = FRAMES,
    compare: bool = True,
    progress: Progress = lambda *_: None,
) -> dict[str, Any]:
    """Runs the examples and writes the results.

    Args:
        folder: output folder; created if it does not exist.
        names: names of examples for `examples.chosen`; none means all.
        frames: largest number of frames of a GIF; 0 writes none.
        compare: whether to also run all methods on one problem.
        progress: see `Progress`.

    Returns:
        the content of results.json.

    Raises:
        UnknownName: an example does not exist.
        Unsupported: matplotlib is not installed.
        OSError: the folder cannot be written.
    """
    examples = chosen(names)
    contests = methods.contests() if compare else []
    work = _Work(progress, len(examples) + 1 + len(contests) * (len(METHODS) + 1))
    folder.mkdir(parents=True, exist_ok=True)
    files: list[str] = []
    found: dict[str, Any] = {}
    courses: dict[str, Course] = {}
    for example in examples:
        work.begin(example.label)
        courses[example.name] = course = run(example)
        found[example.name] = _result(course)
        files += _drawn(course, folder, frames)
    work.begin("error against α")
    alpha = tables.alpha_table(examples)
    if alpha["final_error_of_size"]:
        pictures.save(charts.alpha_chart(alpha), folder / "alpha.png")
        files.append("alpha.png")
    result: dict[str, Any] = {
        "about": "The chapter's examples, by manikin. Lengths in the figures' unit, angles in radians.",
        "note": pictures.OURS,
        "examples": found,
        "alpha": alpha,
        "damping": tables.damping_table(courses["figure-12"]) if "figure-12" in courses else None,
        "methods": [_contest(contest, folder, files, work) for contest in contests],
        "statements": [asdict(s) for s in statements(found, alpha)],
    }
    result["files"] = [*files, "results.json", "chapter.html"]
    writing.write(folder / "results.json", json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    writing.write(folder / "chapter.html", page(result))
    work.end()
    return result


class _Work:
    """Counts the tasks that are done."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total, self.done = progress, total, -1

    def begin(self, what: str) -> None:
        self.done += 1
        self.progress(what, self.done, self.total)

    def end(self) -> None:
        self.progress("done", self.total, self.total)


def _result(course: Course) -> dict[str, Any]:
    """The entry of an example in results.json: its own run, and the runs of the methods compared with it."""
    example = course.example
    others = [course if m == course.method else run(example, m) for m in example.compared]
    return {
        "label": example.label,
        "example": example.example or None,
        "title": example.title,
        "text": example.text,
        "size": float(example.figure.size),
        "way": "one linear step for each path point" if example.stepped else "each path point solved",
        "path_points": len(course.poses) - 1,
        "start": [float(x) for x in example.start],
        "lengths": [float(x) for x in (example.lengths or np.ones(len(example.parents)))],
        "targets": {e.label: [float(v) for v in x] for e, x in zip(example.effectors, example.targets, strict=True)},
        **measure.numbers(course),
        "compared": [measure.numbers(c) for c in others],
    }


def _drawn(course: Course, folder: Path, frames: int) -> list[str]:
    """Writes an example's picture and GIF; returns their names."""
    name = course.example.name
    pictures.save(pictures.picture(course), folder / f"{name}.png")
    if frames < 1:
        return [f"{name}.png"]
    animate(course, folder / f"{name}.gif", frames)
    return [f"{name}.png", f"{name}.gif"]


def _contest(contest: methods.Contest, folder: Path, files: list[str], work: _Work) -> dict[str, Any]:
    """The entry of a comparison in results.json, its plot, and for the person a picture of the problem."""
    rows = methods.compare(contest, lambda method: work.begin(f"{contest.name}: {method}"))
    work.begin(f"{contest.name}: plot")
    chart = f"methods-{contest.name}.png"
    pictures.save(charts.methods_chart(contest.title, rows), folder / chart)
    files.append(chart)
    entry: dict[str, Any] = {
        "name": contest.name,
        "title": contest.title,
        "chart": chart,
        "rows": rows,
        "picture": None,
    }
    if contest.name == "person":
        entry["picture"] = "person.png"
        files.append("person.png")
        targets = contest.wanted[1:].reshape(len(contest.wanted) - 1, -1)
        poses = [contest.start, *follow(contest.figure, contest.goals, targets, contest.start).motion]
        plot(
            contest.figure,
            np.array(poses),
            list(contest.goals),
            most=3,
            view=PERSON_VIEW,
            size=7.0,
            save=folder / "person.png",
            dpi=charts.DPI,
        )
    return entry
