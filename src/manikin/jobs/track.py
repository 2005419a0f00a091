"""Job `track`: a figure follows the targets of every table."""

from __future__ import annotations

from pathlib import Path

from manikin.files.targets import load_targets
from manikin.jobs import ClipOutcome, Job, Options, clips, solved
from manikin.jobs.options import Option
from manikin.motion.clip import EASE, solve_motion

OPTIONS = (
    Option("figure", "figure", "The figure that follows the targets: a file, or human or quadruped.", required=True),
    Option("noisy", "switch", "Smooth noisy targets at a frequency chosen from the data.", False),
    Option("smooth", "positive", "Smooth targets above this frequency in Hz.  [default: none]"),
    Option("ease", "number", "Seconds over which goals are blended in and out.", EASE),
    Option("rate", "positive", "Frames per second, if a table has no column 'time'."),
    Option("limits", "choice", "Use human limits if the figure has none.", choices=("human",)),
    Option("to", "ending", "Format of the results.  [default: that of a rig, .csv for robots, else .bvh]"),
)


def check(options: Options) -> None:
    clips.check_ending(options["to"])


def ending(_: str, options: Options) -> str:
    return options["to"] or clips.output_ending(options["figure"])


def run(source: str, out: str, options: Options) -> ClipOutcome:
    figure = clips.load_figure(options["figure"])
    if options["limits"] is not None:
        figure = figure.with_limits(options["limits"], balls=True)
    goals, times = load_targets(Path(source), figure, options["rate"])
    smooth = options["noisy"] if options["smooth"] is None else options["smooth"]
    clip = solve_motion(figure, goals, times, smooth, options["ease"], name=Path(source).stem)
    clips.save(clip.motion, out, None if options["limits"] is not None else options["figure"])
    return solved.outcome(clip, ())


JOB = Job(
    "track",
    "Move a figure along the targets of every table (.csv).",
    "manikin batch track tables out --figure human",
    OPTIONS,
    lambda _: frozenset({".csv"}),
    ending,
    run,
    solved.MEASURES,
    check,
)
