"""A figure as plain dictionaries, lists and numbers, and back, without any loss.

Fields with their default value are left out. Numbers are written by `repr`, which Python reads back exactly. Infinities
are the strings "inf" and "-inf", because JSON has none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from manikin.errors import BadValue, ManikinError
from manikin.figure.joint import Ball, Coupling, Euler, Free, Hinge, Joint, Slider, SwingTwist
from manikin.figure.loop import Loop
from manikin.figure.segment import Segment
from manikin.figure.shapes import Box, Capsule, Sphere

if TYPE_CHECKING:
    from manikin.figure.figure import Figure

FORMAT = 1
"""Version of the record. A newer version raises an error."""
_NAMES = ("name", "parent", "source", "order", "segment", "to")
"""Fields that are strings."""
_KINDS: dict[str, Any] = {
    c.__name__.lower(): c for c in (Slider, Hinge, Euler, Ball, Free, SwingTwist, Coupling, Sphere, Capsule, Box)
}


def to_dict(figure: Figure) -> dict[str, Any]:
    """Everything except `source`; loops only if there are any."""
    return {
        "manikin": FORMAT,
        "name": figure.name,
        "unit": figure.unit,
        "up": figure.up,
        "segments": [_segment(s) for s in figure.segments],
        **({"loops": [_fields(loop) for loop in figure.loops]} if figure.loops else {}),
    }


def from_dict(data: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `Figure`."""
    if not isinstance(data, Mapping) or data.get("manikin") != FORMAT:
        version = data.get("manikin") if isinstance(data, Mapping) else type(data).__name__
        raise BadValue(f"this is not a figure record of version {FORMAT}: its key 'manikin' is {version!r}")
    for key in ("name", "segments"):
        if key not in data:
            raise BadValue(f"figure record has no {key!r}")
    for key in ("segments", "loops"):
        if not isinstance(data.get(key, ()), (list, tuple)):
            raise BadValue(f"figure record: {key} are {data[key]!r}; they must be a list")
    return {
        "name": data["name"],
        "unit": data.get("unit"),
        "up": data.get("up", "y"),
        "segments": [_read_segment(s) for s in data["segments"]],
        "loops": [_read_loop(loop) for loop in data.get("loops", ())],
    }


def digest(data: Mapping[str, Any]) -> str:
    """A fingerprint of a record."""
    import hashlib  # here, because loading OpenSSL takes milliseconds of `import manikin`
    import json

    text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _segment(s: Segment) -> dict[str, Any]:
    out = _fields(s, skip=("joint", "shapes"))
    joint = _fields(s.joint, skip=("motions", "coupling", "name"))
    if s.joint.name != s.name:
        joint["name"] = s.joint.name
    if s.joint.motions:
        joint["motions"] = [_thing(m) for m in s.joint.motions]
    if s.joint.coupling is not None:
        joint["coupling"] = _fields(s.joint.coupling)
    if joint:
        out["joint"] = joint
    if s.shapes:
        out["shapes"] = [_thing(shape) for shape in s.shapes]
    return out


def _read_segment(data: Mapping[str, Any]) -> Segment:
    try:
        values = _read_fields({k: v for k, v in data.items() if k not in ("joint", "shapes")})
        joint = dict(data.get("joint", {}))
        motions = tuple(_read_thing(m) for m in joint.pop("motions", ()))
        coupling = joint.pop("coupling", None)
        if coupling is not None:
            joint["coupling"] = Coupling(**_read_fields(coupling))
        made = Joint(motions=motions, **_read_fields(joint))
        return Segment(joint=made, shapes=tuple(_read_thing(s) for s in data.get("shapes", ())), **values)
    except ManikinError:
        raise
    except (TypeError, AttributeError, ValueError) as error:
        name = data.get("name", "?") if isinstance(data, Mapping) else data
        raise BadValue(f"figure record: segment {name!r} is malformed: {error}") from error


def _read_loop(data: Mapping[str, Any]) -> Loop:
    try:
        return Loop(**_read_fields(data))
    except ManikinError:
        raise
    except (TypeError, AttributeError, ValueError) as error:
        name = data.get("name", "?") if isinstance(data, Mapping) else data
        raise BadValue(f"figure record: loop {name!r} is malformed: {error}") from error


def _thing(thing: Any) -> dict[str, Any]:
    return {"kind": type(thing).__name__.lower(), **_fields(thing)}


def _read_thing(data: Mapping[str, Any]) -> Any:
    values = dict(data)
    kind = values.pop("kind", None)
    if kind not in _KINDS:
        raise BadValue(f"figure record: kind {kind!r} is not one of {', '.join(_KINDS)}")
    return _KINDS[kind](**{k: _read_thing(v) if isinstance(v, Mapping) else _read(v) for k, v in values.items()})


def _fields(thing: Any, skip: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults."""
    out: dict[str, Any] = {}
    for f in dataclasses.fields(thing):
        value = getattr(thing, f.name)
        default = f.default if f.default is not dataclasses.MISSING else None
        if f.name not in skip and (value != default or f.default is dataclasses.MISSING):
            out[f.name] = _plain(value)
    return out


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if dataclasses.is_dataclass(value):
        return _thing(value)
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return value


def _read_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a dataclass. Names are kept as strings: a segment may be called "inf"."""
    return {k: v if k in _NAMES else _read(v) for k, v in data.items()}


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_read(v) for v in value)
    return float(value) if value in ("inf", "-inf") else value
