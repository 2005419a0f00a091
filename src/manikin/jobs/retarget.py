"""Job `retarget`: every clip on another figure."""

from __future__ import annotations

from manikin.figure.parts.bone_map import read_map
from manikin.jobs import ClipOutcome, Job, Measure, Options, clips
from manikin.jobs.options import Option
from manikin.motion.retarget.measure import joint_speeds
from manikin.motion.retarget.retarget import retarget
from manikin.motion.retarget.verdict import MOST

OPTIONS = (
    Option("figure", "figure", "The figure that gets the motions: a file, or human or quadruped.", required=True),
    Option("bones", "file", "A map file of the figure (manikin map)."),
    Option("source_bones", "file", "A map file of the figure of the clips."),
    Option(
        "hands",
        "choice",
        "Keep the directions of the arms, the distance of hands to the body, or the place of the hands.",
        "arms",
        choices=("arms", "body", "world"),
    ),
    Option("plant", "switch", "Keep standing feet in place, or let them slide.", True, flags="--plant/--no-plant"),
    Option(
        "in_place",
        "switch",
        "Remove the travel, or let motions on the spot travel.  [default: as in the clip]",
        flags="--in-place/--walk-on",
    ),
    Option("floor", "number", "Height of the floor in the clips.  [default: found]"),
    Option("frames", "frames", "The frames of each clip to use, LAST included."),
    Option("root", "choice", "How a robot's root moves.  [default: free]", choices=("free", "fixed")),
    Option("to", "ending", "Format of the results.  [default: that of a rig, .csv for robots, else .bvh]"),
    *clips.READING,
    clips.RATE,
)


def _measure(name: str, words: str) -> Measure:
    return Measure(name, words, MOST[name][0] if name in MOST else None)


MEASURES = (
    _measure("slide_mm", "largest slide of a planted foot, mm"),
    _measure("sinking_mm", "deepest sole below the floor, mm"),
    _measure("bone_error_deg", "direction of limbs, mean error, degrees"),
    _measure("far_percent", "frames that do not follow the source, %"),
    _measure("wrist_error_percent", "wrists, mean error, % of height"),
    _measure("turn_deg", "largest turn of a part in a frame, degrees"),
    _measure("turn_excess_deg", "the same, above that of the clip, degrees"),
    _measure("joint_speed", "fastest joint, rad/s"),
    _measure("frames_over_limit", "frames outside of joint limits"),
)


def check(options: Options) -> None:
    """Also reads the files that the options name, so that a bad file ends the run before it begins."""
    clips.check_ending(options["to"])
    clips.check_figure(options, options["root"])
    if options["source_bones"] is not None:
        read_map(options["source_bones"])


def ending(_: str, options: Options) -> str:
    return options["to"] or clips.output_ending(options["figure"])


def run(source: str, out: str, options: Options) -> ClipOutcome:
    figure = clips.load_figure(options["figure"], options["root"])
    loaded = clips.frames_of(clips.load_motion(source, options), options["frames"])
    if options["rate"] is not None:
        loaded = loaded.resampled(options["rate"])
    keys = ("hands", "plant", "in_place", "floor")
    found = retarget(loaded, figure, options["bones"], options["source_bones"], **{key: options[key] for key in keys})
    motion = found.motion
    clips.save(motion, out, options["figure"])
    speeds = joint_speeds(motion.figure, motion.poses, motion.times)
    quality = {**found.measures, "joint_speed": max(speeds.values(), default=float("nan"))}
    notes = (*clips.reader_notes(loaded), *found.shortcomings, *found.notes)
    return ClipOutcome(len(motion), quality, found.good, notes)


JOB = Job(
    "retarget",
    "Put every motion on another figure.",
    "manikin batch retarget clips out --figure g1.xml --workers 4",
    OPTIONS,
    clips.motion_endings,
    ending,
    run,
    MEASURES,
    check,
)
