"""The jobs: what a command does to one file, and `mk.batch` to every file of a folder.

A new job is a module with `JOB`, named in `JOBS`. The command line and the batch take everything else from the record.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from manikin.base.progress import Progress
from manikin.errors import unknown_name
from manikin.jobs.options import Option

JOBS = {
    "check": "manikin.jobs.check",
    "convert": "manikin.jobs.convert",
    "edit": "manikin.jobs.edit",
    "fit": "manikin.jobs.fit",
    "points": "manikin.jobs.points",
    "retarget": "manikin.jobs.retarget",
    "track": "manikin.jobs.track",
}
"""The module of each job. The module has a `Job` named JOB."""
Options = Mapping[str, Any]


@dataclass(frozen=True)
class Measure:
    """A quality figure of a clip, for the report. Larger values are worse."""

    key: str
    """Its key in the manifest."""
    words: str
    """Its name with its unit, for people."""
    most: float | None = None
    """A clip with a larger value is not good."""


@dataclass(frozen=True, eq=False)
class JobOutcome:
    """The outcome of a job on one file. Nothing is written yet."""

    frames: int
    quality: Mapping[str, float]
    """Quality figures by name; NaN if one is not known."""
    write: Callable[[str], str | None]
    """Writes the result to a file. Returns what the file holds, if the command is to print it."""
    data: Callable[[], dict[str, Any]]
    """Returns the outcome for programs."""
    text: str
    """The outcome for people. If there is a table, this is its title."""
    columns: Sequence[str] = ()
    """The headers of the table."""
    rows: Sequence[Sequence[str]] = ()
    """The rows of the table."""
    good: bool = True
    """False if goals are missed or the quality is too low. The command then has exit code 1."""
    notes: tuple[str, ...] = ()
    """Remarks on the result, in words."""
    oddities: tuple[str, ...] = ()
    """Notes of the readers. The warnings that they raise have the same text."""
    files: Mapping[str, Callable[[str], object]] = field(default_factory=dict)
    """For options of the kind "output": writes such a file."""
    close: Callable[[], object] = lambda: None
    """Called when all files are written."""


@dataclass(frozen=True)
class Job:
    """A job: its options, the files that it takes and writes, and the work on one file."""

    name: str
    help: str
    """Sentences for people. The first one is the summary."""
    examples: tuple[str, ...]
    """Commands that use it, for one file and for a folder."""
    arguments: Mapping[str, str]
    """The arguments of the command for one file, in order, and how its help writes them. "source" is the file; others
    are names of options."""
    options: tuple[Option, ...]
    inputs: Callable[[Options], frozenset[str]]
    """Extensions of the clips that the job takes, in lower case."""
    ending: Callable[[str, Options], str]
    """Returns the text that replaces the extension of a clip in the name of its output."""
    run: Callable[[str, Options, Progress | None], JobOutcome]
    """Does the work for a file with these options."""
    measures: tuple[Measure, ...]
    check: Callable[[Options], object] = lambda _: None
    """Raises BadValue if options do not fit together."""
    doing: str | None = None
    """The word at the progress bar; None if the work takes no `progress`."""
    replaces: bool = False
    """Whether the result may replace the file that is read."""

    def options_of(self, use: str) -> tuple[Option, ...]:
        """The options for one "file" or for a "folder"."""
        return tuple(option for option in self.options if option.only in ("", use))


def find(name: str) -> Job:
    """The job of that name.

    Raises:
        UnknownName: there is none.
    """
    if name not in JOBS:
        raise unknown_name("mk.batch", "job", name, list(JOBS))
    job: Job = importlib.import_module(JOBS[name]).JOB
    return job
