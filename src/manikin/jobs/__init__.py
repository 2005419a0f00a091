"""The jobs of `mk.batch`. A job does one thing to one clip. A new job is a module with `JOB`, named in `JOBS`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from manikin.errors import unknown_name
from manikin.jobs.options import Option

JOBS = {
    "check": "manikin.jobs.check",
    "convert": "manikin.jobs.convert",
    "edit": "manikin.jobs.edit",
    "fit": "manikin.jobs.fit",
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


@dataclass(frozen=True)
class ClipOutcome:
    """The outcome of a job on one clip, apart from the file that it wrote."""

    frames: int
    quality: Mapping[str, float]
    """Quality figures by name; NaN if one is not known."""
    good: bool = True
    """False if goals are missed or the quality is too low. The command for one clip then has exit code 1."""
    notes: tuple[str, ...] = ()
    """Warnings of the reader and remarks on the result, in words."""


@dataclass(frozen=True)
class Job:
    """A job: its options, the files that it takes and writes, and the work on one clip."""

    name: str
    summary: str
    """One sentence for people."""
    example: str
    """A command that uses it."""
    options: tuple[Option, ...]
    inputs: Callable[[Options], frozenset[str]]
    """Extensions of the clips that the job takes, in lower case."""
    ending: Callable[[str, Options], str]
    """Returns the text that replaces the extension of a clip in the name of its output."""
    run: Callable[[str, str, Options], ClipOutcome]
    """Reads the first path, writes the second, with these options."""
    measures: tuple[Measure, ...]
    check: Callable[[Options], None] = lambda _: None
    """Raises BadValue if options do not fit together."""


def find(name: str) -> Job:
    """The job of that name.

    Raises:
        UnknownName: there is none.
    """
    if name not in JOBS:
        raise unknown_name("mk.batch", "job", name, list(JOBS))
    job: Job = importlib.import_module(JOBS[name]).JOB
    return job
