"""The manifest: the outcome of each clip, as JSON lines.

A line is appended when a clip is done, so a run that is killed loses no line. A last line that was cut off is ignored
and removed. At the end of a run, the file is replaced by one that has one line for each clip, sorted by name. Two runs
with the same clips, options and version then have the same manifest, except for the times and the numbers of attempts.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

from manikin.base.json_file import parsed
from manikin.errors import BadFile, BadValue
from manikin.jobs.folder.places import LocalPlace, Place

NAME = "manifest.jsonl"
NOT_A_RECORD = "this is not a record of a manifest; move the file away to begin again"
KIND, FORMAT = "batch manifest", 1
VARYING = ("seconds", "attempts")
"""Fields that differ between runs with the same clips, options and version."""
FIELDS: dict[str, tuple[type, ...]] = {
    "clip": (str,),
    "result": (str,),
    "good": (bool,),
    "frames": (int, type(None)),
    "quality": (dict,),
    "notes": (list,),
    "error": (dict, type(None)),
    "seconds": (int, float, type(None)),
}
"""Fields of a record that results and reports use, with their types."""
INTERVAL = 5.0
"""If the storage cannot append to a file, the manifest is rewritten at most once in this many seconds."""
Record = dict[str, Any]


class Manifest:
    """The records of a folder of results, by clip. `close` writes the sorted file."""

    def __init__(self, place: Place, job: str) -> None:
        """Reads the manifest of a folder, or begins one.

        Raises:
            BadFile: a line in the middle is damaged.
            BadValue: the manifest belongs to another job.
        """
        self.place, self.job = place, job
        data = place.read(NAME)
        self.existed = data is not None
        self.records, length = _parsed(f"{place.shown}/{NAME}", data or b"", job)
        self._written = time.monotonic()
        if not isinstance(place, LocalPlace):
            place.write(NAME, self._sorted())
        elif length:
            os.truncate(place.path(NAME), length)  # removes a line that was cut off
        else:
            place.write(NAME, self._header())

    def add(self, record: Record) -> None:
        """Appends the record of a clip. It replaces an earlier one."""
        self.records[record["clip"]] = record
        if isinstance(self.place, LocalPlace):
            with open(self.place.path(NAME), "ab") as file:
                file.write(_line(record))
                file.flush()
                os.fsync(file.fileno())
        elif time.monotonic() - self._written > INTERVAL:
            self.place.write(NAME, self._sorted())
            self._written = time.monotonic()

    def close(self) -> None:
        """Replaces the file by a sorted one."""
        self.place.write(NAME, self._sorted())

    def _header(self) -> bytes:
        return _line({"manikin": KIND, "format": FORMAT, "job": self.job})

    def _sorted(self) -> bytes:
        return self._header() + b"".join(_line(self.records[clip]) for clip in sorted(self.records))


def _line(value: Record) -> bytes:
    """One line in ASCII. Names that are not valid Unicode are escaped."""
    return json.dumps(value, allow_nan=False, separators=(", ", ": ")).encode() + b"\n"


def _parsed(path: str, data: bytes, job: str) -> tuple[dict[str, Record], int]:
    """The records by clip, and the length of the part that is not cut off."""
    whole = data[: data.rfind(b"\n") + 1]
    records: dict[str, Record] = {}
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            value = parsed(path, line)
        except BadFile as error:
            raise BadFile(path, NOT_A_RECORD, number) from error
        if number == 1 and isinstance(value, dict):
            _check_header(path, value, job)
        elif number > 1 and isinstance(value, dict) and isinstance(value.get("clip"), str):
            records[value["clip"]] = value
        else:
            raise BadFile(path, NOT_A_RECORD, number)
    return records, len(whole)


def is_whole(value: Record) -> bool:
    """Whether the fields that results and reports use are there and have their types."""
    if not all(name in value and isinstance(value[name], kinds) for name, kinds in FIELDS.items()):
        return False
    error, quality = value["error"], value["quality"]
    texts = error is None or all(isinstance(error.get(key), str) for key in ("kind", "message"))
    figures = all(isinstance(x, (int, float, type(None))) for x in quality.values())
    return figures and texts and (error is not None or value["result"] == "done")


def _check_header(path: str, value: Record, job: str) -> None:
    if value.get("manikin") != KIND or value.get("format") != FORMAT:
        raise BadValue(f"{path} is not a manifest of this version of manikin; choose another folder")
    if value.get("job") != job:
        raise BadValue(f"{path} belongs to the job {value.get('job')!r}; choose another folder for {job!r}")
