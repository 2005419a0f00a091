"""Job `track`: a motion that follows targets over time."""

from __future__ import annotations

from pathlib import Path

from manikin.base.progress import Progress
from manikin.errors import ManikinError
from manikin.files.targets import load_targets
from manikin.jobs import Job, JobOutcome, Options, clips, solved
from manikin.jobs.loading import load_figure
from manikin.jobs.options import Option
from manikin.motion.clip import EASE, solve_motion

OPTIONS = (
    Option("figure", "figure", "The figure that follows the targets: a file, or human or quadruped.", required=True),
    clips.OUT,
    Option("noisy", "switch", "Smooth noisy targets at a frequency chosen from the data.", False),
    Option("smooth", "positive", "Smooth targets above this frequency in Hz.  [default: none]"),
    Option("ease", "number", "Seconds over which goals are blended in and out.", EASE),
    Option("rate", "positive", "Frames per second, if the table has no column 'time'."),
    Option("limits", "choice", "Use human limits if the figure has none.", choices=("human",)),
    Option("resume", "output", "Store finished frames in this file, and resume from it.", only="file"),
    clips.OF_FIGURE,
)


def run(source: str, options: Options, progress: Progress | None) -> JobOutcome:
    figure = load_figure(options["figure"], clips.robot_root(options["figure"], None))
    if options["limits"] is not None:
        figure = figure.with_limits(options["limits"], balls=True)
    goals, times = load_targets(Path(source), figure, options["rate"])
    smooth = options["noisy"] if options["smooth"] is None else options["smooth"]
    part = options.get("resume")
    clip = solve_motion(
        figure,
        goals,
        times,
        smooth,
        options["ease"],
        name=Path(source).stem,
        progress=progress,
        resume=part,
        store=part,
    )
    if not clip.complete:
        where = f"; the same command continues from {part}" if part is not None else ""
        raise ManikinError(f"stopped after {len(clip.motion)} of {len(times)} frames{where}")
    like = None if options["limits"] is not None else options["figure"]
    return solved.outcome(clip, like, close=lambda: None if part is None else Path(part).unlink(missing_ok=True))


JOB = Job(
    "track",
    """Move FIGURE (a file, or one of human, quadruped) so that it follows the targets in TARGETS.csv.

    The table has a column time and columns such as RightHand.x, RightHand.y, RightHand.z (a position). With
    RightHand.qw, .qx, .qy, .qz the target is a placement. Empty cells are gaps. Ctrl-C stops after the current window.
    With --resume FILE the finished frames are stored in FILE after each window of 2048 frames. If the command is
    stopped or killed, the same command continues from there and writes the same bytes. FILE is removed at the end.""",
    (
        "manikin track human targets.csv --out reach.bvh --out reach.html",
        "manikin track dancer.bvh mocap.csv --limits human --noisy --out dance.bvh",
        "manikin batch track tables out --figure human",
    ),
    {"figure": "FIGURE", "source": "TARGETS.csv"},
    OPTIONS,
    lambda _: frozenset({".csv"}),
    clips.figure_ending,
    run,
    solved.MEASURES,
    doing="tracking",
)
