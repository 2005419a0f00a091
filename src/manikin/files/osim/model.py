"""The parts of an OpenSim model that attachments need: bodies in the neutral pose, and markers.

In the neutral pose every coordinate is 0. Models of versions 3 and 4 are read. Muscles, contacts, meshes and limits are
ignored.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Vector
from manikin.errors import BadFile
from manikin.files.common import xml_safe
from manikin.files.common.xml_safe import Element

GROUND = "ground"
JOINTS = (
    "CustomJoint",
    "PinJoint",
    "WeldJoint",
    "BallJoint",
    "FreeJoint",
    "UniversalJoint",
    "SliderJoint",
    "PlanarJoint",
)
TRANSLATIONS = ("translation1", "translation2", "translation3")


@dataclass(frozen=True)
class OsimMarker:
    """A marker of a model."""

    name: str
    body: str
    location: tuple[float, float, float]
    """In the space of the body, in metres."""


@dataclass(frozen=True, eq=False)
class OsimModel:
    """Bodies and markers of a model."""

    name: str
    placements: dict[str, Matrix]
    """(4, 4) of each body in the neutral pose; x forward, y up, z right."""
    markers: tuple[OsimMarker, ...]


def read(path: str | os.PathLike[str]) -> OsimModel:
    """Reads a model.

    Raises:
        BadFile: the file is not an OpenSim model, or a part is missing; the message names the line if it is known.
    """
    root = xml_safe.read(path)
    model = root.first("Model")
    if root.tag != "OpenSimDocument" or model is None:
        raise BadFile(path, f"this is not an OpenSim model; the file begins with <{root.tag}>", root.line)
    links = {child: (parent, placed) for child, parent, placed in _links(path, model)}
    placements: dict[str, Matrix] = {GROUND: np.eye(4)}
    for body in links:
        _place(path, body, links, placements, 0)
    markers = tuple(_marker(path, element) for element in _all(model, "Marker"))
    return OsimModel(model.attributes.get("name", ""), placements, markers)


def weights(path: str | os.PathLike[str]) -> dict[str, float]:
    """The weights of markers in the set-up of an inverse kinematics run (IKMarkerTask); 0 if a task does not apply.

    Raises:
        BadFile: the file has no such tasks.
    """
    out = {}
    for task in _all(xml_safe.read(path), "IKMarkerTask"):
        applies = _text(task.first("apply")).strip().lower() != "false"
        weight = _numbers(path, task.first("weight"), 1, (1.0,))[0]
        out[task.attributes.get("name", "")] = float(weight) if applies else 0.0
    if not out:
        raise BadFile(path, "the file has no IKMarkerTask")
    return out


def _place(
    path: str | os.PathLike[str],
    body: str,
    links: dict[str, tuple[str, Matrix]],
    placements: dict[str, Matrix],
    depth: int,
) -> None:
    if body in placements:
        return
    if body not in links or depth > len(links):
        raise BadFile(path, f"the body {body!r} has no joint that connects it to the ground")
    parent, placed = links[body]
    _place(path, parent, links, placements, depth + 1)
    placements[body] = placements[parent] @ placed


def _links(path: str | os.PathLike[str], model: Element) -> Iterator[tuple[str, str, Matrix]]:
    """(child body, parent body, placement of the child in its parent) of each joint."""
    for body in _all(model, "Body"):  # version 3: the joint is inside of its child body
        for holder in body.all("Joint"):
            for joint in holder.children:
                before = _frame(path, joint.first("location_in_parent"), joint.first("orientation_in_parent"))
                after = _frame(path, joint.first("location"), joint.first("orientation"))
                parent = _text(joint.first("parent_body")).strip()
                yield body.attributes.get("name", ""), parent, before @ _motion(path, joint) @ np.linalg.inv(after)
    for kind in JOINTS:
        for joint in _all(model, kind):
            sockets = [_text(joint.first(f"socket_{end}_frame")).strip() for end in ("parent", "child")]
            if not all(sockets):
                continue
            frames = {
                f.attributes.get("name", ""): f
                for holder in joint.all("frames")
                for f in holder.all("PhysicalOffsetFrame")
            }
            (parent, before), (child, after) = (_socket(path, name, frames) for name in sockets)
            yield child, parent, before @ _motion(path, joint) @ np.linalg.inv(after)


def _socket(path: str | os.PathLike[str], name: str, frames: dict[str, Element]) -> tuple[str, Matrix]:
    """The body of a socket, and the placement of its frame in the body."""
    own = frames.get(name.rpartition("/")[2])
    if own is None:
        return name.rpartition("/")[2], np.eye(4)
    body = _text(own.first("socket_parent")).strip().rpartition("/")[2]
    return body, _frame(path, own.first("translation"), own.first("orientation"))


def _frame(path: str | os.PathLike[str], place: Element | None, turn: Element | None) -> Matrix:
    out = np.eye(4)
    out[:3, 3] = _numbers(path, place, 3, (0.0, 0.0, 0.0))
    out[:3, :3] = rotations.to_matrix(rotations.from_euler("xyz", _numbers(path, turn, 3, (0.0, 0.0, 0.0))))
    return out


def _motion(path: str | os.PathLike[str], joint: Element) -> Matrix:
    """The transform of a CustomJoint with all coordinates at 0."""
    out = np.eye(4)
    transform = joint.first("SpatialTransform")
    for axis in transform.all("TransformAxis") if transform else ():
        along = _numbers(path, axis.first("axis"), 3, (1.0, 0.0, 0.0))
        value = _at_zero(path, axis)
        if axis.attributes.get("name") in TRANSLATIONS:
            out[:3, 3] += value * along
        else:
            out[:3, :3] = out[:3, :3] @ rotations.to_matrix(rotations.from_axis_angle(along, value))
    return out


def _at_zero(path: str | os.PathLike[str], holder: Element) -> float:
    """The value of the function in an element where its variable is 0; 0 if there is none."""
    for inner in holder.children:
        if inner.tag == "function":
            return _at_zero(path, inner)
        if inner.tag == "Constant":
            return float(_numbers(path, inner.first("value"), 1, (0.0,))[0])
        if inner.tag in ("LinearFunction", "PolynomialFunction"):
            return float(_numbers(path, inner.first("coefficients"), None, (0.0,))[-1])
        if inner.tag == "MultiplierFunction":
            scale = _numbers(path, inner.first("scale"), 1, (1.0,))[0]
            return float(scale) * _at_zero(path, inner)
        if inner.tag in ("SimmSpline", "NaturalCubicSpline", "PiecewiseLinearFunction", "GCVSpline"):
            x = _numbers(path, inner.first("x"), None, (0.0,))
            y = _numbers(path, inner.first("y"), None, (0.0,))
            if len(x) != len(y) or (np.diff(x) <= 0.0).any():
                raise BadFile(path, f"<{inner.tag}> needs increasing x and as many y", inner.line)
            return _spline(x, y, straight=inner.tag == "PiecewiseLinearFunction" or len(x) < 3)
    return 0.0


def _spline(x: Vector, y: Vector, straight: bool) -> float:
    if straight:
        return float(np.interp(0.0, x, y))
    from scipy.interpolate import CubicSpline

    return float(CubicSpline(x, y, bc_type="natural")(np.clip(0.0, x[0], x[-1])))


def _marker(path: str | os.PathLike[str], element: Element) -> OsimMarker:
    name = element.attributes.get("name", "")
    body = _text(element.first("socket_parent_frame") or element.first("body")).strip().rpartition("/")[2]
    place = element.first("location")
    if not name or not body or place is None:
        raise BadFile(path, f"the marker {name!r} needs a name, a body and a location", element.line)
    x, y, z = _numbers(path, place, 3, (0.0, 0.0, 0.0)).tolist()
    return OsimMarker(name, body, (x, y, z))


def _all(element: Element, tag: str) -> Iterator[Element]:
    """The elements with a tag anywhere below."""
    for child in element.children:
        if child.tag == tag:
            yield child
        yield from _all(child, tag)


def _text(element: Element | None) -> str:
    return "" if element is None else "".join(c for c in element.content if isinstance(c, str))


def _numbers(
    path: str | os.PathLike[str], element: Element | None, count: int | None, usual: tuple[float, ...]
) -> Vector:
    words = _text(element).split()
    if element is None or not words:
        return np.array(usual)
    try:
        values = np.array([float(w) for w in words])
    except ValueError:
        raise BadFile(path, f"<{element.tag}> is {' '.join(words)[:60]!r}; it needs numbers", element.line) from None
    if (count is not None and len(values) != count) or not np.isfinite(values).all():
        raise BadFile(
            path, f"<{element.tag}> is {' '.join(words)[:60]!r}; it needs {count} finite numbers", element.line
        )
    return values
