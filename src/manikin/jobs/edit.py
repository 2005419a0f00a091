"""Job `edit`: goals for some frames of a motion."""

from __future__ import annotations

import numpy as np

from manikin.base.progress import Progress
from manikin.errors import BadValue
from manikin.goals import Position
from manikin.jobs import Job, JobOutcome, Options, clips, solved
from manikin.jobs.loading import load_motion
from manikin.jobs.options import Option
from manikin.motion.edit import edit
from manikin.motion.over import Over

OPTIONS = (
    Option("frames", "frames", "Frames that meet the goals, LAST included.", required=True),
    Option("blend", "whole", "Number of frames before and after, over which the goals are blended.", 20),
    Option("position", "points", "Put a segment at a point.", ()),
    Option("by", "points", "Move a segment by this much.", ()),
    Option("joint", "texts", "A joint that may move.  [default: those that are needed]", ()),
    clips.OUT,
    clips.to("that of the clip"),
    clips.RATE,
    *clips.READING,
)


def check(options: Options) -> None:
    if not options["position"] and not options["by"]:
        raise BadValue("there is no goal; give at least one of the options position and by")


def inputs(options: Options) -> frozenset[str]:
    taken = clips.motion_endings(options)
    return taken if options["to"] is not None else taken & set(clips.WRITTEN)


def run(source: str, options: Options, progress: Progress | None) -> JobOutcome:  # noqa: ARG001
    motion, oddities = load_motion(source, options)
    goals = [Over(Position(segment, point)) for segment, *point in options["position"]]
    for segment, *way in options["by"]:
        places = motion.placements([segment])[:, 0, :3, 3] + np.array(way)
        goals.append(Over(Position(segment, (0, 0, 0)), places))
    first, last = options["frames"]
    clip = edit(motion, goals, (first, last), options["blend"], joints=options["joint"] or None)
    return solved.outcome(clip, source, oddities)


JOB = Job(
    "edit",
    """Change some frames of the motion in FILE so that segments reach their goals, and blend them in.

    Only the joints that are needed move. If the output has the format of FILE, all other numbers keep their text.""",
    (
        "manikin edit walk.bvh --frames 100 160 --by RightHand 0 10 5 --out wave.bvh",
        "manikin batch edit clips out --frames 10 40 --by RightHand 0 10 5",
    ),
    {"source": "FILE"},
    OPTIONS,
    inputs,
    lambda ending, options: options["to"] or ending,
    run,
    solved.MEASURES,
    check,
    replaces=True,
)
