"""Job `edit`: the same goals in the same frames of every clip."""

from __future__ import annotations

import numpy as np

from manikin.errors import BadValue
from manikin.goals import Position
from manikin.jobs import ClipOutcome, Job, Options, clips, solved
from manikin.jobs.options import Option
from manikin.motion.edit import edit
from manikin.motion.over import Over

OPTIONS = (
    Option("frames", "frames", "Frames that meet the goals, LAST included.", required=True),
    Option("blend", "whole", "Number of frames before and after, over which the goals are blended.", 20),
    Option("position", "points", "Put a segment at a point.", ()),
    Option("by", "points", "Move a segment by this much.", ()),
    Option("joint", "texts", "A joint that may move.  [default: those that are needed]", ()),
    Option("to", "ending", "Format of the results.  [default: that of the clip]"),
    *clips.READING,
    clips.TABLE_RATE,
)


def check(options: Options) -> None:
    clips.check_ending(options["to"])
    if not options["position"] and not options["by"]:
        raise BadValue("there is no goal; give at least one of the options position and by")


def inputs(options: Options) -> frozenset[str]:
    taken = clips.motion_endings(options)
    return taken if options["to"] is not None else taken & set(clips.WRITTEN)


def run(source: str, out: str, options: Options) -> ClipOutcome:
    motion = clips.load_motion(source, options)
    goals = [Over(Position(segment, point)) for segment, *point in options["position"]]
    for segment, *way in options["by"]:
        places = motion.placements([segment])[:, 0, :3, 3] + np.array(way)
        goals.append(Over(Position(segment, (0, 0, 0)), places))
    first, last = options["frames"]
    clip = edit(motion, goals, (first, last), options["blend"], joints=options["joint"] or None)
    clips.save(clip.motion, out, source)
    return solved.outcome(clip, clips.reader_notes(motion))


JOB = Job(
    "edit",
    "Make the same change in every clip.",
    "manikin batch edit clips out --frames 10 40 --by RightHand 0 10 5",
    OPTIONS,
    inputs,
    lambda ending, options: options["to"] or ending,
    run,
    solved.MEASURES,
    check,
)
