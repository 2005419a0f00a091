"""Job `retarget`: a motion on another figure."""

from __future__ import annotations

from manikin.base.names import line
from manikin.base.progress import Progress
from manikin.figure.parts.bone_map import read_map
from manikin.jobs import Job, JobOutcome, Measure, Options, clips
from manikin.jobs.loading import load_figure, load_motion
from manikin.jobs.options import Option
from manikin.motion.retarget.measure import joint_speeds
from manikin.motion.retarget.retarget import retarget
from manikin.motion.retarget.verdict import MOST

OPTIONS = (
    Option("figure", "figure", "The figure that gets the motions: a file, or human or quadruped.", required=True),
    clips.OUT,
    Option("bones", "file", "A map file of the figure (manikin map)."),
    Option("source_bones", "file", "A map file of the figure of the clip."),
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
    Option("hold_body", "switch", "Hold the pelvis still, as for a robot on a stand.", False),
    Option("floor", "number", "Height of the floor in the clip.  [default: found]"),
    Option(
        "rate", "positive", "Frames per second of the result, and of tables without times.  [default: as in the clip]"
    ),
    Option("frames", "frames", "The frames of the clip to use, LAST included."),
    Option("root", "choice", "How a robot's root moves.  [default: free]", choices=("free", "fixed")),
    clips.OF_FIGURE,
    *clips.READING,
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
    """Reads the files that the options name, so that a bad file ends the run before it begins."""
    clips.check_figure(options, clips.robot_root(options["figure"], options["root"]))
    if options["source_bones"] is not None:
        read_map(options["source_bones"])


def run(source: str, options: Options, progress: Progress | None) -> JobOutcome:
    figure = load_figure(options["figure"], clips.robot_root(options["figure"], options["root"]))
    loaded, oddities = load_motion(source, options)
    loaded = clips.frames_of(loaded, options["frames"])
    if options["rate"] is not None:
        loaded = loaded.resampled(options["rate"])
    keys = ("hands", "plant", "in_place", "floor", "hold_body")
    given = {key: options[key] for key in keys}
    found = retarget(loaded, figure, options["bones"], options["source_bones"], progress=progress, **given)
    speeds = joint_speeds(found.figure, found.motion.poses, found.motion.times)
    fastest = [line(f"fastest joint: {name}, {speed:.3g} rad/s") for name, speed in list(speeds.items())[:1]]
    return JobOutcome(
        frames=len(found.motion),
        quality={**found.measures, "joint_speed": max(speeds.values(), default=float("nan"))},
        write=lambda out: clips.save(found, out, options["figure"]),
        data=lambda: found.to_dict() | {"joint_speeds": speeds},
        text="\n".join([str(found), *fastest]),
        good=found.good and found.complete,
        notes=(*(f"not good: {text}" for text in found.shortcomings), *found.notes),
        oddities=oddities,
    )


JOB = Job(
    "retarget",
    """Put the motion in IN on FIGURE (a file, or one of human, quadruped).

    Parts of both figures are found by their names or their structure. Feet that stand in IN stand in the result. An
    output in the format of FIGURE is a copy of it with one more clip. The exit code is 1 if the result is not good, or
    if the command was interrupted. The reasons are printed: a planted foot slides by more than 5 mm, limbs do not point
    as in IN, and the like.""",
    (
        "manikin retarget walk.bvh g1.xml --out walk_g1.csv --out walk_g1.gif",
        "manikin map rig.glb --out rig.map.json",
        "manikin retarget walk.bvh rig.glb --bones rig.map.json --out rig_walk.glb",
        "manikin batch retarget clips out --figure g1.xml --workers 4",
    ),
    {"source": "IN", "figure": "FIGURE"},
    OPTIONS,
    clips.motion_endings,
    clips.figure_ending,
    run,
    MEASURES,
    check,
    doing="retargeting",
)
