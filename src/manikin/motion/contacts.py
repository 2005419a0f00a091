"""Finds when feet and hands of a motion touch the floor: `contacts`.

For each point (`soles`), the speed and the height above the floor are compared with thresholds. Thresholds are in legs
(thigh and shank together) and seconds, so the result does not depend on the unit or the frame rate. An interval begins
and ends where the loose thresholds are crossed. It counts if the strict thresholds hold somewhere inside. Intervals of
feet must also keep their place, and end where the point leaves its resting height (`stands`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import overload

import numpy as np

from manikin import arrays
from manikin.arrays import Points, Vector
from manikin.base.blas import one_thread
from manikin.base.names import stacked
from manikin.base.text_table import text_table
from manikin.errors import BadValue, counted, unknown_name
from manikin.figure.html_table import html_table
from manikin.figure.joint import as_tuple
from manikin.figure.parts.bone_map import BoneMap
from manikin.figure.parts.find import bone_map
from manikin.motion.floor import Floor, floor_under_hands, found_slope, ground, levels, moving_floor, velocities
from manikin.motion.frames import Flags, middle, runs
from manikin.motion.motion import Motion
from manikin.motion.soles import Soles, find_soles
from manikin.motion.stands import resting, staying, without_edges

HEADERS = ("point", "frames", "seconds", "place")
SHORTEST = 0.05
"""Contacts shorter than this are dropped, in seconds."""
LONGEST_GAP = 0.04
"""Gaps between two contacts that are shorter than this are closed, in seconds."""
HAND_NEAR = 0.16
"""Hands count if a wrist comes below this height, in legs."""
MOVING_SLACK = (0.35, 0.6)
"""On a moving floor, speed thresholds are at least these fractions of the floor's speed, because feet in animated walk
cycles do not move evenly. Chosen on four clips (two of CesiumMan, MakeHuman, RobotExpressive)."""
RUNNING_SLACK = (0.1, 0.17)
"""Speed thresholds are at least these fractions of the speed of the pelvis, because the feet of a runner roll and slip
faster than those of a walker. Only clips faster than 2.5 legs per second are affected. Chosen on one run."""


@dataclass(frozen=True)
class Thresholds:
    """Strict thresholds, which hold somewhere in a contact, and loose ones, which hold everywhere in it. Speed is in
    legs per second, height in legs."""

    speed: float
    height: float
    kept_speed: float
    kept_height: float

    def at(self, speed: float, slack: tuple[float, float]) -> Thresholds:
        """The thresholds with both speeds raised to at least the fractions `slack` of a speed, in legs per second."""
        sure, kept = (part * speed for part in slack)
        return replace(self, speed=max(self.speed, sure), kept_speed=max(self.kept_speed, kept))


FOOT = Thresholds(0.25, 0.035, 0.45, 0.06)
HAND = Thresholds(0.5, 0.05, 0.8, 0.09)


@dataclass(frozen=True)
class Contact:
    """A point that stays on the floor for some frames."""

    point: str
    """ "left toe", "left heel", "left hand", or the same of the right side."""
    first: int
    """The first frame."""
    last: int
    """The last frame, included."""
    place: tuple[float, ...] = ()
    """(3,) position of the point: the median over the frames. On a moving floor, the distance that the floor has moved
    since the first frame of the clip is subtracted."""


@dataclass(frozen=True, eq=False, repr=False)
class Contacts(Sequence[Contact]):
    """The contacts of a motion, ordered by point and frame. Immutable: `added` and `removed` return new objects."""

    motion: Motion
    """The motion that was analysed."""
    soles: Soles
    """The points that can touch the floor."""
    intervals: tuple[Contact, ...]
    """The contacts."""
    floor: float | None
    """The height of the floor, found or given, in the figure's unit; None if a function gives it. For a tilted floor it
    is the height under the first sole point in the first frame."""
    floor_slope: tuple[float, ...] = (0.0, 0.0, 0.0)
    """(3,) slope of the floor along the axes of the world, a ratio. Recorded floors are often tilted by a degree."""
    floor_velocity: tuple[float, ...] = (0.0, 0.0, 0.0)
    """(3,) velocity of the floor under a figure that walks on the spot, in lengths per second; otherwise zero."""

    @overload
    def __getitem__(self, index: int) -> Contact: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Contact, ...]: ...
    def __getitem__(self, index: int | slice) -> Contact | tuple[Contact, ...]:
        return self.intervals[index]

    def __len__(self) -> int:
        return len(self.intervals)

    def __iter__(self) -> Iterator[Contact]:
        return iter(self.intervals)

    @property
    def on_the_spot(self) -> bool:
        """Whether the figure walks on the spot, over a floor that moves."""
        return any(self.floor_velocity)

    def of(self, point: str) -> tuple[Contact, ...]:
        """The contacts of one point.

        Args:
            point: name of the point.
        """
        self._check(point)
        return tuple(c for c in self.intervals if c.point == point)

    def mask(self, point: str) -> Flags:
        """(frames,) True in frames in which the point is on the floor.

        Args:
            point: name of the point.
        """
        out = np.zeros(len(self.motion), dtype=bool)
        for contact in self.of(point):
            out[contact.first : contact.last + 1] = True
        return out

    def added(self, point: str, first: int, last: int) -> Contacts:
        """A copy with one more contact. It is merged with contacts of the same point that it touches or overlaps.

        Args:
            point: name of the point.
            first: first frame of the contact.
            last: last frame of the contact; it is included.
        """
        self._check(point)
        self._frames(first, last)
        mask = self.mask(point)
        mask[first : last + 1] = True
        return self._with(point, mask)

    def removed(self, point: str, first: int | None = None, last: int | None = None) -> Contacts:
        """A copy without the contacts of a point. With `first` or `last`, only contacts in these frames are removed.

        Args:
            point: name of the point.
            first: first frame; None means the first of the clip.
            last: last frame, included; None means the last of the clip.
        """
        self._check(point)
        first, last = 0 if first is None else first, len(self.motion) - 1 if last is None else last
        self._frames(first, last)
        mask = self.mask(point)
        mask[first : last + 1] = False
        return self._with(point, mask)

    def from_frame(self, first: int) -> Contacts:
        """The contacts of the frames from `first` on.

        Args:
            first: the frame that becomes frame 0.
        """
        arrays.whole(first, "first", least=0)
        kept = [replace(c, first=max(c.first - first, 0), last=c.last - first) for c in self if c.last >= first]
        return replace(self, motion=self.motion[first:], intervals=tuple(kept))

    def __repr__(self) -> str:
        return f"<Contacts of {self.motion.name!r}: {counted(len(self.intervals), 'interval')}>"

    def __str__(self) -> str:
        return stacked([self._headline(), *text_table(HEADERS, self._rows())])

    def _repr_html_(self) -> str:
        return html_table(self._headline(), HEADERS, self._rows())

    # Inside

    def _headline(self) -> str:
        text = f"{self.motion.name}: {counted(len(self.intervals), 'contact')}"
        text += f", floor at {self.floor:.4g}" if self.floor is not None else ", floor from a function"
        return text + (", walks on the spot" if self.on_the_spot else "")

    def _rows(self) -> list[tuple[str, str, str, str]]:
        times = self.motion.times
        return [
            (
                c.point,
                f"{c.first}–{c.last}",
                f"{times[c.first]:.2f}–{times[c.last]:.2f}",
                "(" + ", ".join(f"{x:.3g}" for x in c.place) + ")",
            )
            for c in self.intervals
        ]

    def _check(self, point: str) -> None:
        if point not in self.soles.names:
            raise unknown_name(f"motion {self.motion.name!r}", "point", point, self.soles.names)

    def _frames(self, first: int, last: int) -> None:
        for name, frame in (("first", first), ("last", last)):
            arrays.whole(frame, name, least=0)
        if not first <= last < len(self.motion):
            raise BadValue(
                f"frames are {first} to {last}; motion {self.motion.name!r} has frames 0 to {len(self.motion) - 1}"
            )

    def _with(self, point: str, mask: Flags) -> Contacts:
        way = _way(self.motion, np.array(self.floor_velocity))
        points = self.soles.over(self.motion.figure, self.motion.poses) - way
        made = _intervals(point, mask, points[self.soles.names.index(point)])
        order = {name: i for i, name in enumerate(self.soles.names)}
        kept = [c for c in self.intervals if c.point != point]
        return replace(self, intervals=tuple(sorted([*kept, *made], key=lambda c: (order[c.point], c.first))))


@one_thread
def contacts(
    motion: Motion, floor: Floor = None, *, bones: BoneMap | None = None, pose: Vector | None = None
) -> Contacts:
    """Finds when toes, heels and hands of a motion touch the floor.

    Args:
        motion: a clip of a person, an animal or a robot with two arms and two legs.
        floor: the height of a level floor along the figure's up axis, or a function that gives it for points (N, 3);
            None finds the floor from the clip: a plane that is level or tilted by less than 3°.
        bones: the segments of each part; None uses `mk.bone_map(motion.figure)`.
        pose: (nq,) a pose in which the figure stands on level feet; None finds one.

    Raises:
        BadValue: the parts are not found, the figure stands neither in the rest pose nor in any frame, or the given
            floor is more than a leg above all soles.

    Example:
        >>> found = mk.contacts(mk.load_motion("walk.bvh"))  # doctest: +SKIP
        >>> print(found.removed("left toe", 0, 10))  # doctest: +SKIP
    """
    # Check the arguments.
    if not isinstance(motion, Motion):
        raise BadValue(f"motion is {type(motion).__name__}; contacts needs a Motion")
    figure = motion.figure
    bones = bone_map(figure) if bones is None else bones
    if not isinstance(bones, BoneMap) or bones.figure != figure:
        raise BadValue(f"bones is {bones!r}; it needs a map of figure {figure.name!r}, such as mk.bone_map(figure)")
    # Heights of all soles above a level floor.
    soles = find_soles(figure, motion.poses, bones, pose)
    up = np.eye(3)["xyz".index(figure.up)]
    points = soles.over(figure, motion.poses)
    feet = list(range(soles.feet))
    above = points @ up - ground(floor, points)
    if floor is not None and (highest := float(above[feet].max())) < -soles.leg:
        raise BadValue(
            f"floor is too high: all soles of motion {motion.name!r} are at least {-highest:.4g} below it in all "
            "frames; it needs the height along the up axis in the unit of the figure"
        )
    # The height of the floor: under the hands if it stands on them; otherwise its slope and velocity are found too.
    found, zeros = levels(above[feet], soles.leg, floor is None)
    on_hands = None if floor is not None else floor_under_hands(above, soles.feet, found, soles.leg)
    slope = velocity = np.zeros(3)
    if on_hands is None:
        velocity = moving_floor(motion.times, points[feet], above[feet] - zeros[:, None], up, soles.leg)
        points = points - _way(motion, velocity)
        slope = found_slope(motion.times, points[feet], up, soles.leg) if floor is None else slope
        above = above - (points - points[0, 0]) @ slope
        found, zeros = levels(above[feet], soles.leg, floor is None)
    else:
        found, zeros = on_hands, np.full(len(feet), on_hands)
    # Contacts of each point; hands only if they come near the floor.
    foot = FOOT.at(_body_speed(motion, bones, up) / soles.leg, RUNNING_SLACK)
    masks = np.zeros(points.shape[:2], dtype=bool)
    for k in range(len(soles.names)):
        if k < soles.feet:
            height, limits = above[k] - zeros[k], foot
        else:
            lowest = float(above[k].min()) - found
            if lowest > HAND_NEAR * soles.leg:
                continue
            height, limits = above[k] - found - lowest, HAND
        limits = limits.at(float(np.linalg.norm(velocity)) / soles.leg, MOVING_SLACK)
        find = partial(_down, motion.times, points[k], height, soles.leg, limits)
        masks[k] = staying(find, points[k], soles.leg) if k < soles.feet and not velocity.any() else find()
        if k < soles.feet:
            masks[k] = resting(motion.times, points[k], height, masks[k], soles.names[k], soles.leg)
    # Intervals from the masks.
    masks[feet] = without_edges(motion.times, points[feet], masks[feet], soles.parts[: soles.feet], soles.leg)
    intervals = [c for k, name in enumerate(soles.names) for c in _intervals(name, masks[k], points[k])]
    level = None if callable(floor) else found if floor is None else float(floor)
    return Contacts(motion, soles, tuple(intervals), level, as_tuple(slope), as_tuple(velocity))


def _body_speed(motion: Motion, bones: BoneMap, up: Vector) -> float:
    """The median speed of the pelvis across the floor, in lengths per second."""
    pelvis = motion.figure.placements(motion.poses, [bones.main("pelvis")])[:, 0, :3, 3]
    velocity = velocities(motion.times, pelvis)
    return float(np.median(np.linalg.norm(velocity - np.outer(velocity @ up, up), axis=1)))


def _way(motion: Motion, velocity: Vector) -> Points:
    """(frames, 3) displacement of the floor since the first frame."""
    return np.asarray((motion.times - motion.times[0])[:, None] * velocity)


def _down(times: Vector, points: Points, height: Vector, leg: float, limits: Thresholds, part: float = 1.0) -> Flags:
    """(frames,) whether a point is on the floor, with the fraction `part` of the speed thresholds."""
    speed = np.linalg.norm(velocities(times, points), axis=-1) / part
    sure = (speed < limits.speed * leg) & (height < limits.height * leg)
    kept = (speed < limits.kept_speed * leg) & (height < limits.kept_height * leg)
    frame = (times[-1] - times[0]) / max(len(times) - 1, 1)
    out = np.zeros(len(times), dtype=bool)
    for first, last in runs(kept):
        out[first : last + 1] = sure[first : last + 1].any()
    for first, last in runs(~out):
        inside = first > 0 and last < len(times) - 1
        if inside and times[last] - times[first] + frame <= LONGEST_GAP:
            out[first : last + 1] = True
    for first, last in runs(out):
        if len(times) > 1 and times[last] - times[first] + frame < SHORTEST:
            out[first : last + 1] = False
    return out


def _intervals(name: str, mask: Flags, points: Points) -> list[Contact]:
    return [Contact(name, a, b, as_tuple(middle(points[a : b + 1]))) for a, b in runs(mask)]
