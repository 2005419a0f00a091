"""Options of jobs: their names, kinds and checks. `mk.batch` and the command line both take them from here."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manikin.errors import BadValue, Unsupported, unknown_name

BUILT_IN = ("human", "quadruped")
"""Names of the built-in figures."""
MOVING = (".gif", ".mp4", ".html")
"""Extensions of animations."""


class BadOption(BadValue):
    """An option has a wrong value. The command line writes the names of options as they are typed there."""

    def __init__(self, names: str | Sequence[str], what: str) -> None:
        self.names, self.what = ((names,) if isinstance(names, str) else tuple(names)), what
        super().__init__(f"{' and '.join(self.names)} {what}")

    def typed(self) -> str:
        """The message with the names of the options on the command line."""
        return f"{' and '.join(map(flag, self.names))} {self.what}"


def flag(name: str) -> str:
    """The name of an option on the command line."""
    return f"--{name.replace('_', '-')}"


@dataclass(frozen=True)
class Option:
    """One option of a job."""

    name: str
    """The keyword in `mk.batch`. On the command line, underscores become hyphens."""
    kind: str
    """A key of `KINDS`."""
    help: str
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    """For the kinds "choice" and "ending": the allowed values."""
    flags: str = ""
    """The flags on the command line, if they are not just the name: "--in-place/--walk-on"."""
    only: str = ""
    """ "file" or "folder", if only the command for one file or only `mk.batch` has the option."""

    @property
    def is_file(self) -> bool:
        """Whether the value names a file. The hash of its content is then in the manifest."""
        return self.kind in ("file", "figure")


def is_built_in(name: str) -> bool:
    """Whether this is the name of a built-in figure and not that of a file.

    Raises:
        UnknownName: it is neither.
    """
    if Path(name).exists():
        return False
    if name not in BUILT_IN and not Path(name).suffix:
        raise unknown_name(f"there is no file {name!r}, and manikin", "built-in figure", name, BUILT_IN)
    return name in BUILT_IN


def checked(job: str, options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all options as plain data, with defaults.

    Raises:
        UnknownName, BadValue: an option is unknown, missing or has a wrong value.
    """
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            raise unknown_name(f"job {job!r}", "option", name, list(known))
    out: dict[str, Any] = {}
    for name, option in known.items():
        value = given.get(name, option.default)
        if value is None:
            if option.required:
                raise BadValue(f"job {job!r} needs the option {name!r}: {option.help}")
            out[name] = None
        else:
            out[name] = KINDS[option.kind](value, option)
    return out


def _wrong(option: Option, value: object, right: str) -> BadValue:
    shown = f"{value:g}" if isinstance(value, float) else repr(value)
    return BadOption(option.name, f"is {shown}; it needs {right}")


def _text(value: Any, option: Option) -> str:
    if not isinstance(value, str):
        raise _wrong(option, value, "text")
    return value


def _choice(value: Any, option: Option) -> str:
    if value not in option.choices:
        raise _wrong(option, value, f"one of {', '.join(option.choices)}")
    return str(value)


def _number(value: Any, option: Option) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise _wrong(option, value, "a finite number")
    return float(value)


def _positive(value: Any, option: Option) -> float:
    if _number(value, option) <= 0.0:
        raise _wrong(option, value, "a number above 0")
    return float(value)


def _whole(value: Any, option: Option) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _wrong(option, value, "a whole number, 0 or more")
    return value


def _switch(value: Any, option: Option) -> bool:
    if not isinstance(value, bool):
        raise _wrong(option, value, "True or False")
    return value


def _file_name(value: Any, option: Option, others: str = "") -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise _wrong(option, type(value).__name__, f"the path of a file{others}")
    return os.fspath(value)


def _file(value: Any, option: Option, others: str = "") -> str:
    name = _file_name(value, option, others)
    if not Path(name).is_file():
        raise _wrong(option, name, f"the path of a file that exists{others}")
    return name


def _figure(value: Any, option: Option) -> str:
    others = f", or one of {', '.join(BUILT_IN)}"
    name = _file_name(value, option, others)
    return name if is_built_in(name) else _file(name, option, others)


def _ending(value: Any, option: Option) -> str:
    text = _text(value, option).lower()
    text = text if text.startswith(".") else f".{text}"
    if text not in option.choices:
        raise Unsupported(f"{option.name} is {text!r}; files can be written as {', '.join(sorted(option.choices))}")
    return text


def _output(value: Any, option: Option) -> str:
    path = Path(_file_name(value, option))
    if not path.parent.is_dir():
        raise BadValue(f"{path}: there is no folder {str(path.parent)!r}")
    return str(path)


def _outputs(value: Any, option: Option) -> list[str]:
    paths = [_output(v, option) for v in value]
    if len(set(paths)) < len(paths):
        raise BadValue("the same file is named twice as an output")
    return paths


def _motions(value: Any, option: Option) -> list[str]:
    from manikin.files import check_motion_name

    paths = _outputs(value, option)
    for path in paths:
        if Path(path).suffix.lower() not in MOVING:
            check_motion_name(path)
    return paths


def _frames(value: Any, option: Option) -> list[int]:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise _wrong(option, value, "two frames: (first, last)")
    first, last = (_whole(v, option) for v in value)
    if first > last:
        raise _wrong(option, value, "a first frame that is not after the last")
    return [first, last]


def _texts(value: Any, option: Option) -> list[str]:
    if isinstance(value, str) or not isinstance(value, (tuple, list)):
        raise _wrong(option, value, "a list of texts")
    return [_text(v, option) for v in value]


def _points(value: Any, option: Option) -> list[list[Any]]:
    if not isinstance(value, (tuple, list)):
        raise _wrong(option, value, "a list of (segment, x, y, z)")
    out = []
    for row in value:
        if not isinstance(row, (tuple, list)) or len(row) != 4:
            raise _wrong(option, row, "(segment, x, y, z)")
        out.append([_text(row[0], option), *(_number(v, option) for v in row[1:])])
    return out


KINDS: dict[str, Callable[[Any, Option], Any]] = {
    "text": _text,
    "choice": _choice,
    "number": _number,
    "positive": _positive,
    "whole": _whole,
    "switch": _switch,
    "file": _file,
    "figure": _figure,
    "ending": _ending,
    "frames": _frames,
    "texts": _texts,
    "points": _points,
    "output": _output,
    "outputs": _outputs,
    "motions": _motions,
}
"""Checks of the kinds of options. Each returns plain data for JSON."""
