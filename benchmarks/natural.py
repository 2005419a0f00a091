"""Compares solved poses of people with recorded ones: from rest, from rest turned to the targets, and from a natural
start.

    python -m benchmarks.natural                 # judge on the test subjects: table and picture in benchmarks/results
    python -m benchmarks.natural --people validation --most 60
    python -m benchmarks.natural limits          # recorded poses outside the limits of a person
    python -m benchmarks.natural rigs            # figures from other sources
    python -m benchmarks.natural clips           # how smoothly joints move from frame to frame
    python -m benchmarks.natural time            # microseconds of a start and of whole solves
    python -m benchmarks.natural picture         # the pictures alone
    python -m benchmarks.natural train           # make the data file again, with the same bits on one machine

The poses are those of $MANIKIN_DATA/cmu/cmu_poses.npz, whose hash is checked. Choices are made on validation subjects.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import cmu, natural_clips, natural_limits, natural_picture, natural_rigs, natural_time, natural_train
from benchmarks.machine import header
from benchmarks.natural_judge import CONDITIONS, JUDGED, Judged, from_rest, judged, with_heading
from benchmarks.turns import Array

RESULTS = Path(__file__).parent / "results"
SEED, RESAMPLES = 17, 2000
MANY = 100
"""A person with at least this many poses is compared separately."""


def natural(solver: mk.Solver, targets: Array) -> Any:
    return solver.solve_many("natural", targets)


def pulled(solver: mk.Solver, targets: Array) -> Any:
    return solver.solve_many("natural", targets, prefer="natural")


def settled(solver: mk.Solver, targets: Array) -> Any:
    return solver.solve_many("natural", targets, prefer="natural", settle=True)


WAYS = {
    "from rest": from_rest,
    "heading": with_heading,
    "natural": natural,
    "natural, pulled": pulled,
    "natural, settled": settled,
}
"""Ways to solve. "pulled" also has prefer="natural"; "settled" has settle=True too."""
BASE = list(WAYS).index("heading")


def run(which: str, most: int | None = None, data: str | None = None) -> dict[str, Any]:
    """Runs every condition and every way, person by person."""
    people = cmu.people(which, data)
    out: dict[str, Any] = {"header": header(most is not None, SEED), "people": which, "conditions": {}}
    out["poses"] = sum(len(p.poses) if most is None else min(most, len(p.poses)) for p in people)
    for condition in CONDITIONS:
        rows = [judged(person, condition, list(WAYS.values()), most) for person in people]
        out["conditions"][condition] = {
            name: summary([row[k] for row in rows], [row[BASE] for row in rows], [p.subject for p in people])
            for k, name in enumerate(WAYS)
        }
    return out


def summary(rows: Sequence[Judged], base: Sequence[Judged], subjects: Sequence[int]) -> dict[str, Any]:
    """The results of one way in one condition. Ratios are relative to the heading alone; intervals are bootstraps over
    people."""
    rng = np.random.default_rng(SEED)
    drawn = [rng.integers(0, len(rows), len(rows)) for _ in range(RESAMPLES)]
    out: dict[str, Any] = {}
    measures = {
        "free": lambda r: r.free_error,
        "worst": lambda r: r.worst,
        "bad": lambda r: 100.0 * r.bad,
        "reached": lambda r: 100.0 * r.reached,
    }
    for name, of in measures.items():
        own, other = ([of(r) for r in several] for several in (rows, base))

        def mean(values: list[Array], people: Any) -> float:
            return float(np.concatenate([values[k] for k in people]).mean())

        everyone = range(len(rows))
        samples = [mean(own, d) for d in drawn]
        out[name] = {"mean": mean(own, everyone), "interval": np.percentile(samples, [2.5, 97.5]).tolist()}
        if name in ("free", "bad"):
            ratios = [mean(own, d) / max(mean(other, d), 1e-9) for d in drawn]
            out[name]["ratio"] = mean(own, everyone) / max(mean(other, everyone), 1e-9)
            out[name]["ratio_interval"] = np.percentile(ratios, [2.5, 97.5]).tolist()
    joints = np.concatenate([r.error for r in rows]).mean(axis=0)
    out["joints"] = dict(zip(JUDGED, joints.round(1).tolist(), strict=True))
    out["person"] = {
        str(s): {"poses": len(r.error), "free": float(r.free_error.mean()), "heading": float(b.free_error.mean())}
        for s, r, b in zip(subjects, rows, base, strict=True)
    }
    return out


def table(result: dict[str, Any]) -> str:
    """The result in Markdown."""
    lines = [
        f"# Natural poses: {result['people']} subjects, {result['poses']} poses",
        "",
        "`python -m benchmarks.natural`. Millimetres against the recording; intervals are 95 %, by bootstrap over "
        "people. *free* is the mean over the joints that were not given, *worst* the mean over frames of the joint "
        "farthest off, *bad* the share of frames with a joint off by more than 150 mm. Ratios are to the heading "
        "alone. a: placements of head, hands, feet and the place of the hips; b: five positions; c: placements of "
        "head and hands. CMU's subjects are numbers: one person may have several.",
        "",
        "| | way | free | ratio | worst | bad, % | ratio | reached, % | people worse |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for condition, ways in result["conditions"].items():
        for name, row in ways.items():
            worse = [s for s, p in row["person"].items() if p["poses"] >= MANY and p["free"] > p["heading"]]
            free, bad = row["free"], row["bad"]
            low, high = free["interval"]
            small, large = free["ratio_interval"]
            lines.append(
                f"| {condition} | {name} | {free['mean']:.1f} ({low:.1f}–{high:.1f}) | {free['ratio']:.3f} "
                f"({small:.3f}–{large:.3f}) | {row['worst']['mean']:.0f} | {bad['mean']:.1f} | {bad['ratio']:.2f} "
                f"({bad['ratio_interval'][0]:.2f}–{bad['ratio_interval'][1]:.2f}) | {row['reached']['mean']:.1f} | "
                f"{', '.join(worse) if worse else 'none'} |"
            )
    lines += ["", f"People with at least {MANY} poses are compared one by one. Free error, person by person:", ""]
    names = list(next(iter(result["conditions"].values())))
    shown = ("heading", "natural")
    heads = [f"{c} {n}" for c in result["conditions"] for n in shown if n in names]
    lines += [f"| subject | poses | {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) + 1)}"]
    some = result["conditions"]["a"]["natural"]["person"]
    for subject, person in some.items():
        cells = [f"{result['conditions'][c][n]['person'][subject]['free']:.0f}" for c in CONDITIONS for n in shown]
        lines.append(f"| {subject} | {person['poses']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.natural", description=__doc__.splitlines()[0])
    parser.add_argument(
        "what", nargs="?", default="judge", choices=("judge", "limits", "train", "rigs", "clips", "time", "picture")
    )
    parser.add_argument("--people", default="test", choices=("training", "validation", "test"))
    parser.add_argument("--most", type=int, help="number of poses of each person, evenly spaced; all by default")
    parser.add_argument("--out", type=Path, help="folder to write to (benchmarks/results; for train, the package)")
    parser.add_argument("--found", type=Path, nargs="*", default=[], help="for rigs: further BVH files of people")
    given = parser.parse_args(arguments)
    folder = given.out or RESULTS
    if given.what == "limits":
        print(natural_limits.table(natural_limits.count("training")))
    elif given.what == "train":
        natural_train.write(given.out or natural_train.FILE)
    elif given.what == "rigs":
        natural_rigs.write(folder, given.found)
    elif given.what == "clips":
        natural_clips.write(folder)
    elif given.what == "time":
        natural_time.write(folder, given.people)
    elif given.what == "picture":
        natural_picture.save(given.people, folder / "natural.png")
        natural_picture.save_readme(folder / "natural-readme.png")
    else:
        result = run(given.people, given.most)
        name = "natural" if given.people == "test" else f"natural-{given.people}"
        (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
        (folder / f"{name}.md").write_text(table(result))
        print(table(result))
        if given.people == "test":
            natural_picture.save("test", folder / "natural.png")
            natural_picture.save_readme(folder / "natural-readme.png")


if __name__ == "__main__":
    main()
