"""Where the points of the body are on a figure: the segment that carries each point, and its offset.

Joint centres are those of the calibration of the figure. Other points are landmarks: offsets from a joint centre in the
canonical axes of a part (left, up, forward in the neutral stance), in legs (thigh and shank together). Landmarks were
read off `mk.human()`, whose proportions follow Drillis and Contini (1966). They are starting values: `fit_points`
corrects them from the data, within `sigma`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin.arrays import Points, Vector
from manikin.errors import BadValue, listing
from manikin.figure.parts.bone_map import SIDES
from manikin.figure.parts.calibration import Calibration, parent_part

SURE, VAGUE, LOOSE = 0.012, 0.018, 0.04
"""Standard deviations of the place of a point, in legs (1, 1.5 and 3.5 cm for a person). Estimators were trained on
labels that people clicked, so even joint centres are not exact."""


@dataclass(frozen=True)
class PointLandmark:
    """A point with a fixed offset from the joint of a part."""

    part: str
    offset: tuple[float, float, float]
    """Outward, up, forward, in legs."""
    sigma: float = VAGUE
    carrier: str = ""
    """The part that carries the point; `part` by default."""


JOINTS = {
    "shoulder": ("upper arm", SURE),
    "elbow": ("forearm", SURE),
    "wrist": ("hand", SURE),
    "hip": ("thigh", SURE),
    "knee": ("shank", SURE),
    "ankle": ("foot", SURE),
    "collar": ("clavicle", LOOSE),
    "neck joint": ("neck 1", LOOSE),
    "head joint": ("head", LOOSE),
}
"""Points that are joint centres: the part that begins there. The part above carries the point."""
LANDMARKS = {
    "nose": PointLandmark("head", (0.0, 0.006, 0.145)),
    "eye": PointLandmark("head", (0.037, 0.046, 0.110)),
    "eye inner": PointLandmark("head", (0.021, 0.046, 0.112)),
    "eye outer": PointLandmark("head", (0.052, 0.046, 0.101)),
    "ear": PointLandmark("head", (0.084, 0.026, 0.012)),
    "mouth": PointLandmark("head", (0.029, -0.041, 0.116)),
    "face": PointLandmark("head", (0.0, -0.010, 0.110), LOOSE),
    "head top": PointLandmark("head", (0.0, 0.176, 0.033), LOOSE),
    "heel": PointLandmark("foot", (0.0, -0.056, -0.052)),
    "big toe": PointLandmark("foot", (-0.017, -0.058, 0.215), carrier="toes"),
    "small toe": PointLandmark("foot", (0.041, -0.058, 0.157)),
    "foot": PointLandmark("foot", (0.0, -0.059, 0.139), LOOSE),
    "pelvis": PointLandmark("pelvis", (0.0, 0.100, 0.0), LOOSE),
    "hand": PointLandmark("hand", (0.0, -0.110, 0.0), LOOSE),
    "index": PointLandmark("hand", (0.0, -0.105, 0.030)),
    "pinky": PointLandmark("hand", (0.0, -0.100, -0.025)),
    "thumb": PointLandmark("hand", (-0.010, -0.055, 0.060)),
}
FINGERS = {"index": "index 1", "pinky": "pinky 1", "thumb": "thumb 3", "hand": "middle 1"}
"""The finger joint at which each landmark of the hand is, if the figure has fingers."""
TRUNK = {"mid spine": 0.5, "spine 1": 0.33, "spine 2": 0.56, "spine 3": 0.65}
"""Points between the hips (0) and the base of the neck (1), as a fraction of the way along the spine."""


@dataclass(frozen=True, eq=False)
class PointPlaces:
    """The places of some points on a figure."""

    names: tuple[str, ...]
    """The points of the body."""
    segments: tuple[str, ...]
    """The segment that carries each point."""
    offsets: Points
    """(K, 3) in the space of the segment."""
    sigmas: Vector
    """(K,) standard deviations of the offsets, in the unit of the figure."""


def without_place(calibration: Calibration, names: Sequence[str]) -> list[str]:
    """The points for which the figure has no part, such as the face of a robot without a head."""
    finder = _Finder(calibration)
    return [name for name in names if finder.place(name) is None]


def find_places(calibration: Calibration, names: Sequence[str]) -> PointPlaces:
    """The places of points on a figure.

    Raises:
        BadValue: the figure has no part for some points.
    """
    finder = _Finder(calibration)
    found = [finder.place(name) for name in names]
    missing = [name for name, place in zip(names, found, strict=True) if place is None]
    if missing:
        raise BadValue(
            f"figure {calibration.figure.name!r} has no part for the points {listing(missing, 8)}; give the parts with "
            "bones=, or leave these points out"
        )
    whole = [place for place in found if place is not None]
    return PointPlaces(
        tuple(names),
        tuple(segment for segment, _, _ in whole),
        np.array([offset for _, offset, _ in whole]),
        np.array([sigma * calibration.leg for _, _, sigma in whole]),
    )


class _Finder:
    """Finds places in the standing pose of a figure."""

    def __init__(self, calibration: Calibration) -> None:
        self.own = calibration
        self.figure, self.bones = calibration.figure, calibration.bones
        self.world = self.figure.placements(calibration.standing.pose)
        spine = [part for part in self.bones if part.startswith("spine")]
        self.chest = spine[-1] if spine else "pelvis"

    def place(self, name: str) -> tuple[str, Vector, float] | None:
        """(segment, offset, sigma in legs); None if the figure lacks the part."""
        side, _, rest = name.partition(" ")
        sided = side in SIDES
        kind = rest if sided else name
        prefix = f"{side} " if sided else ""
        if kind in JOINTS:
            part, sigma = JOINTS[kind]
            if prefix + part not in self.own.links:
                return self._collar(side) if kind == "collar" else None
            return self._on(parent_part(self.bones, prefix + part), self._center(prefix + part), sigma)
        if name == "mid hip":
            return self._on("pelvis", self._hips(), SURE)
        if name == "neck":
            return self._on(self.chest, self._shoulders(), LOOSE)
        if name in TRUNK:
            return self._trunk(TRUNK[name])
        return self._landmark(prefix, kind, side if sided else "")

    def _landmark(self, prefix: str, kind: str, side: str) -> tuple[str, Vector, float] | None:
        mark = LANDMARKS[kind]
        on_side = prefix if mark.part in ("foot", "hand") else ""
        part, carrier = on_side + mark.part, on_side + (mark.carrier or mark.part)
        if part not in self.bones:
            return None
        carrier = carrier if carrier in self.bones else part
        finger = self._finger(prefix + FINGERS[kind]) if kind in FINGERS and prefix else None
        if finger is not None:
            return self._on(carrier, finger, mark.sigma)
        out = np.array(mark.offset) * (-1.0 if side == "right" else 1.0, 1.0, 1.0)
        main = self.figure.segment_index(self.bones.main(part))
        start = self._hips() if part == "pelvis" else self._center(part)
        at = start + self.world[main, :3, :3] @ self.own.axes[part] @ out * self.own.leg
        return self._on(carrier, at, mark.sigma)

    def _finger(self, words: str) -> Vector | None:
        for i, segment in enumerate(self.figure.segment_names):
            if self.bones.words(segment) == words:
                return np.asarray(self.world[i, :3, 3])
        return None

    def _trunk(self, share: float) -> tuple[str, Vector, float]:
        """A point on the way from the hips along the spine to the base of the neck."""
        stages = [part for part in self.bones if part.startswith("spine")]
        top = self._center("neck 1") if "neck 1" in self.own.links else self._shoulders()
        way = np.array([self._hips(), *(self._center(part) for part in stages), top])
        far = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1))])
        at = share * far[-1]
        k = int(np.clip(np.searchsorted(far, at, side="right") - 1, 0, len(way) - 2))
        point = way[k] + (at - far[k]) / (far[k + 1] - far[k]) * (way[k + 1] - way[k])
        return self._on(("pelvis", *stages)[k], point, LOOSE)

    def _collar(self, side: str) -> tuple[str, Vector, float]:
        """The place of a clavicle that the figure lacks: between the neck and the shoulder."""
        middle, end = self._shoulders(), self._center(f"{side} upper arm")
        return self._on(self.chest, middle + 0.35 * (end - middle), LOOSE)

    def _center(self, part: str) -> Vector:
        main = self.figure.segment_index(self.bones.main(part))
        return np.asarray(self.world[main, :3, :3] @ self.own.links[part].at_own + self.world[main, :3, 3])

    def _hips(self) -> Vector:
        main = self.figure.segment_index(self.bones.main("pelvis"))
        return np.asarray(self.world[main, :3, :3] @ self.own.hips + self.world[main, :3, 3])

    def _shoulders(self) -> Vector:
        return np.asarray(np.mean([self._center(f"{side} upper arm") for side in SIDES], axis=0))

    def _on(self, part: str | None, point: Vector, sigma: float) -> tuple[str, Vector, float]:
        """A point of the world, carried by a part. The first segment of a forearm carries its points, because a later
        segment may twist about the bone."""
        assert part is not None
        segment = self.bones.first(part) if part.endswith("forearm") else self.bones.main(part)
        at = self.world[self.figure.segment_index(segment)]
        return segment, np.asarray(at[:3, :3].T @ (point - at[:3, 3])), sigma
