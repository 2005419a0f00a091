"""What a run has to do: the clips, the names of their results, and which of them are done already."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from manikin import __version__
from manikin.base.reading import open_file
from manikin.errors import BadValue, counted, listing
from manikin.jobs import Job
from manikin.jobs.folder.manifest import Manifest, Record, is_whole
from manikin.jobs.folder.places import LocalPlace, Place, digest_of
from manikin.jobs.options import BUILT_IN

RESERVED = ("manifest.jsonl", "report.html")
"""Names in the folder of results that no result may have."""


@dataclass
class Task:
    """One clip of a run."""

    clip: str
    output: str
    attempts: int = 0
    """How often it was submitted."""
    deaths: int = 0
    """How often its worker died."""


@dataclass(frozen=True)
class BatchQuestion:
    """The job of a run, its folders and its options. Two runs with the same question give the same results."""

    job: Job
    source: Place
    out: Place
    options: dict[str, Any]
    """As the user gave them, with defaults."""
    files: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the files that options name: figure, map, …"""

    @staticmethod
    def of(job: Job, source: Place, out: Place, options: dict[str, Any]) -> BatchQuestion:
        files = {
            o.name: _digest(options[o.name])
            for o in job.options_of("folder")
            if o.is_file and options[o.name] is not None
        }
        return BatchQuestion(job, source, out, options, files)

    def request(self, task: Task) -> str:
        """The request of a clip for `run_clip`, with absolute paths."""
        options = dict(self.options)
        for name in self.files:
            if options[name] not in BUILT_IN or os.path.exists(options[name]):
                options[name] = os.path.abspath(options[name])
        return json.dumps(
            {
                "job": self.job.name,
                "clip": task.clip,
                "output": task.output,
                "in": self.source.described(),
                "out": self.out.described(),
                "options": options,
                "files": self.files,
                "version": __version__,
            }
        )

    def record(self, task: Task, answer: Mapping[str, Any]) -> Record:
        """The line of a clip in the manifest."""
        keys = ("result", "good", "input", "output", "frames", "quality", "notes", "error", "kernels", "seconds")
        return {
            "clip": task.clip,
            **{key: answer[key] for key in keys},
            "files": self.files,
            "options": self.options,
            "version": __version__,
            "attempts": task.attempts,
        }

    def failure(self, task: Task, error: dict[str, Any], kernels: frozenset[str]) -> Record:
        """The line of a clip whose worker gave no answer."""
        answer = dict.fromkeys(("output", "frames"), None) | {"result": "failed", "good": False, "quality": {}}
        answer |= {"notes": [], "seconds": None, "input": self.source.digest(task.clip)}
        answer |= {"kernels": next(iter(kernels)) if len(kernels) == 1 else None}
        return self.record(task, answer | {"error": error})

    def answers(self, record: Record, task: Task, kernels: frozenset[str], retry: bool) -> bool:
        """Whether a record answers this question for a clip, and its result is still there."""
        if not is_whole(record):
            return False
        try:
            failed = record["result"] != "done"
            if failed and (retry or record["error"]["again"]):
                return False
            same = (
                record["version"] == __version__
                and record["kernels"] in (*kernels, None)
                and record["files"] == self.files
                and self._plain(record["options"]) == self._plain(self.options)
                and (failed or record["output"]["name"] == task.output)
                and record["input"] is not None
                and record["input"] == self.source.digest(task.clip)
            )
            return same and (failed or record["output"]["sha256"] == self.out.digest(task.output))
        except (KeyError, TypeError, AttributeError):
            return False

    def _plain(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options without the names of files. Their hashes count instead."""
        return {name: value for name, value in options.items() if name not in self.files}


@dataclass(frozen=True)
class Plan:
    """The clips of a run."""

    tasks: list[Task]
    """Clips to work on, sorted by name."""
    kept: list[str]
    """Clips that are done already."""
    links: int
    """Links that are left out."""
    others: int
    """Files that the job does not take."""


def tasks_of(question: BatchQuestion, pattern: str) -> tuple[list[Task], int, int]:
    """All clips with the names of their results; the number of links, and of other files.

    Raises:
        BadValue: `pattern` is not text, there are no clips, or two clips would have the same result.
    """
    if not isinstance(pattern, str):
        raise BadValue(f"pattern is {pattern!r}; it needs text such as 'walk*.bvh'")
    names, links = question.source.names()
    taken = question.job.inputs(question.options)
    chosen = [n for n in names if fnmatch.fnmatchcase(n, pattern) or fnmatch.fnmatchcase(n.rpartition("/")[2], pattern)]
    clips = [name for name in chosen if os.path.splitext(name)[1].lower() in taken]
    if not clips:
        raise BadValue(
            f"{question.source.shown} has no clips for {question.job.name!r} among {counted(len(chosen), 'file')}"
            f"{'' if pattern == '*' else f' that match {pattern!r}'}; it takes {', '.join(sorted(taken))}"
        )
    tasks, seen = [], dict.fromkeys(RESERVED, "")
    for clip in clips:
        stem, ending = os.path.splitext(clip)
        output = stem + question.job.ending(ending, question.options)
        key = output.casefold()
        if key in seen:
            other = seen[key] or "the run itself"
            raise BadValue(f"{clip} and {other} would both write {output}; select one with pattern= (--pattern)")
        seen[key] = clip
        tasks.append(Task(clip, output))
    return tasks, links, len(chosen) - len(clips)


def plan(
    question: BatchQuestion,
    manifest: Manifest,
    tasks: tuple[list[Task], int, int],
    kernels: frozenset[str],
    retry: bool,
) -> Plan:
    """Separates clips that are done from those to do."""
    every, links, others = tasks
    todo, kept = [], []
    for task in every:
        record = manifest.records.get(task.clip)
        if record is not None and question.answers(record, task, kernels, retry):
            kept.append(task.clip)
        else:
            todo.append(task)
    return Plan(todo, kept, links, others)


def check_places(source: Place, out: Place) -> None:
    """Raises BadValue if one folder contains the other: results would become clips of the next run."""
    if isinstance(source, LocalPlace) and isinstance(out, LocalPlace):
        one, two = source.root + os.sep, out.root + os.sep
    else:
        one, two = source.shown.rstrip("/") + "/", out.shown.rstrip("/") + "/"
    if one.startswith(two) or two.startswith(one):
        raise BadValue(
            f"the results in {out.shown!r} would mix with the clips in {source.shown!r}; use separate folders"
        )


def check_new(question: BatchQuestion, tasks: list[Task]) -> None:
    """Raises BadValue if a folder without a manifest has files with the names of results."""
    there = set(question.out.names()[0]).intersection(task.output for task in tasks)
    if there:
        raise BadValue(
            f"{question.out.shown} has no manifest, but files that would be replaced ({listing(sorted(there), 3)}); "
            f"choose another folder, or force=True (--force)"
        )


def _digest(value: str) -> str:
    """The SHA-256 of a file, or of the data of a built-in figure."""
    if value in BUILT_IN and not os.path.exists(value):
        from manikin.jobs.loading import load_figure

        return hashlib.sha256(json.dumps(load_figure(value).to_dict(), sort_keys=True).encode()).hexdigest()
    with open_file(value) as file:
        return digest_of(file)
