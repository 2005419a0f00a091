"""A motion: one figure, its poses, and the time of each pose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Placements, Poses, Vector, read_only
from manikin.errors import BadShape, BadValue, unknown_name
from manikin.figure import Figure
from manikin.figure.html_table import html_table
from manikin.figure.mirror_pose import continuous_signs
from manikin.motion.between import between
from manikin.motion.frames import cut
from manikin.motion.on import poses_on

if TYPE_CHECKING:
    from manikin.motion.motion_solution import MotionSolution
    from manikin.motion.quality import Quality

EVEN = 5e-3
"""Frames are evenly spaced if none is further from its place than this fraction of the spacing. Files round times, and
recorders are not exact: a jitter of 0.3 % is common."""
MOST_FRAMES = 10_000_000
"""Largest number of frames that `resampled` makes: a day at 115 frames per second."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Motion:
    """Poses of a figure over time; immutable.

    Its frames are poses: `len(motion)` is their number, `motion[5]` is one pose (nq,), `motion[10:20]` is a shorter
    motion.

    Example:
        >>> import manikin as mk
        >>> arm = mk.chain(2, planar=True)
        >>> motion = Motion(arm, [arm.rest, arm.rest + 0.5], rate=10)
        >>> motion.duration, motion.resampled(20).poses[1, :2].round(2)
        (0.1, array([0.25, 0.25]))
    """

    figure: Figure
    """The figure that moves."""
    poses: Poses
    """(frames, nq) read-only; radians, and lengths in the figure's unit."""
    times: Vector
    """(frames,) read-only; increasing seconds."""
    name: str
    """Name in messages and files."""
    source: Mapping[str, Any]
    """Data about the file, kept for faithful saving. "frames" has the number of each frame in the file."""

    def __init__(
        self,
        figure: Figure,
        poses: ArrayLike,
        times: ArrayLike | None = None,
        name: str = "motion",
        *,
        rate: float | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> None:
        """
        Args:
            figure: the figure that moves.
            poses: (frames, nq), or one pose (nq,).
            times: (frames,) seconds, increasing. Default: frames at `rate`.
            name: name in messages and files.
            rate: frames per second, if no times are given (default 30).
            source: data about the file that it was read from.
        """
        owner = f"motion {name!r}"
        if not isinstance(figure, Figure):
            raise BadValue(f"{owner}: figure is {type(figure).__name__}; it needs a Figure")
        rows = _rows(figure, poses, owner)
        object.__setattr__(self, "figure", figure)
        object.__setattr__(self, "poses", rows)
        object.__setattr__(self, "times", _times(times, rate, len(rows), owner))
        object.__setattr__(self, "name", str(name))
        object.__setattr__(self, "source", dict(source or {}))

    @classmethod
    def _trusted(cls, figure: Figure, poses: Poses, times: Vector, name: str) -> Motion:
        """A motion with arrays that are known to be right. They are neither checked nor copied."""
        made = object.__new__(cls)
        for key, value in (("figure", figure), ("poses", read_only(poses)), ("times", read_only(times))):
            object.__setattr__(made, key, value)
        object.__setattr__(made, "name", str(name))
        object.__setattr__(made, "source", {})
        return made

    # Size and speed

    def __len__(self) -> int:
        return len(self.poses)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last; 0 for a single pose."""
        return float(self.times[-1] - self.times[0])

    @property
    def rate(self) -> float | None:
        """Frames per second, on average; None for a single pose."""
        return (len(self) - 1) / self.duration if len(self) > 1 else None

    @property
    def even(self) -> bool:
        """Whether all frames are evenly spaced in time."""
        if len(self) < 3:
            return True
        return is_even(self.times, self.duration / (len(self) - 1))

    # Other motions

    @overload
    def __getitem__(self, frames: int) -> Vector: ...
    @overload
    def __getitem__(self, frames: slice) -> Motion: ...
    def __getitem__(self, frames: int | slice) -> Vector | Motion:
        """One pose (nq,), or a part of the motion with its original times."""
        if not isinstance(frames, slice):
            pose: Vector = self.poses[frames]
            return pose
        _, source = cut(f"motion {self.name!r}", len(self), frames, self.source)
        return Motion(self.figure, self.poses[frames], self.times[frames], self.name, source=source)

    def __iter__(self) -> Iterator[Vector]:
        return iter(self.poses)

    def replaced(self, **changes: Any) -> Motion:
        """A copy with some of these fields changed: figure, poses, times, name, source. It can be saved as faithfully
        as the original.

        Args:
            changes: new values of fields, by their names.
        """
        known = {
            "figure": self.figure,
            "poses": self.poses,
            "times": self.times,
            "name": self.name,
            "source": self.source,
        }
        for key in changes:
            if key not in known:
                raise unknown_name("Motion", "field", key, list(known))
        return Motion(**{**known, **changes})

    def on(self, figure: Figure) -> Motion:
        """The same motion on a figure with other joints. The joints may have other limits, or be balls instead of Euler
        joints or hinges (see `Figure.with_limits`). The figure may also have fewer sliders (see `Figure.rigid`), or
        more sliders.

        Args:
            figure: the other figure.

        Raises:
            BadValue: the figure has other segments, or joints that cannot take these numbers. A slider that the figure
                lacks must be at rest in the motion, within a millionth of the figure's size.
        """
        return Motion(figure, poses_on(self.figure, figure, self.poses), self.times, self.name, source=self.source)

    def resampled(self, rate: float) -> Motion:
        """The motion at `rate` frames per second, from the first frame to the last one that fits.

        At a recorded time it is exactly the recorded pose. Between frames, balls and Euler joints of three axes turn
        along the shorter arc at constant speed, and their angles stay near the recorded ones. Hinges and Euler joints
        of two axes take the shorter arc if their limits span a whole turn. All other numbers are linear.

        Args:
            rate: frames per second, above 0.
        """
        rate = arrays.positive(rate, f"motion {self.name!r}: rate")
        if self.duration * rate > MOST_FRAMES:
            frames = f"{self.duration * rate:.3g} frames; at most {MOST_FRAMES:.3g} are made"
            raise BadValue(f"motion {self.name!r}: rate is {rate:g}, which gives {frames}")
        count = int(np.floor(self.duration * rate * (1.0 + 1e-12) + 1e-9)) + 1
        times = self.times[0] + np.arange(count) / rate
        return Motion(self.figure, self.at(times), times, self.name)

    def at(self, times: ArrayLike) -> Poses:
        """Poses (n, nq) at times (n,) seconds: between frames as in `resampled`, constant before the first and after
        the last.

        Args:
            times: the times, shape (n,), seconds.
        """
        t = arrays.numbers(times, "times", (None,))
        after = np.clip(np.searchsorted(self.times, t, side="right"), 1, max(len(self) - 1, 1))
        after = np.minimum(after, len(self) - 1)
        before = np.maximum(after - 1, 0)
        span = np.where(after > before, self.times[after] - self.times[before], 1.0)
        part = np.clip((t - self.times[before]) / span, 0.0, 1.0)
        a, b = self.poses[before], self.poses[after]
        out = between(self.figure, a, b, part)
        exact = part == 0.0
        out[exact] = a[exact]
        out[part == 1.0] = b[part == 1.0]
        return out

    def smoothed(self, frequency: float = 8.0) -> Motion:
        """A smoothed copy without waves above a frequency in Hz. Waves at this frequency keep half of their amplitude.

        The result stays within the joint limits. Rotations are smoothed as rotations. Polynomials in time up to the
        second degree are unchanged.

        Args:
            frequency: the frequency, in Hz.
        """
        from manikin.motion.smoothing import smooth_poses

        frequency = arrays.positive(frequency, f"motion {self.name!r}: frequency")
        return self.replaced(poses=smooth_poses(self.figure, self.poses, self.times, frequency))

    def mirrored(self, *, reference: ArrayLike | None = None, pairs: Mapping[str, str] | None = None) -> Motion:
        """The mirror image of the motion, frame by frame; see `Figure.mirrored`.

        Args:
            reference: (nq,) a pose that is its own mirror image; None means the figure's rest pose, or the neutral
                stance of its parts if the rest pose is not symmetric. If there is no such pose, there is a warning.
            pairs: maps each segment of one side to its counterpart, if the names do not show it.
        """
        from manikin.motion.mirror import symmetric_reference

        reference = symmetric_reference(self) if reference is None and pairs is None else reference
        poses = self.figure.mirrored(self.poses, reference=reference, pairs=pairs)
        return self.replaced(poses=continuous_signs(self.figure, poses))

    def placements(self, segments: Any = None, threads: int = 1) -> Placements:
        """World placements (frames, segments, 4, 4) of all segments, or of the named ones in that order.

        Args:
            segments: names of segments; None means all.
            threads: number of threads that share the frames.
        """
        return self.figure.placements(self.poses, segments, threads=threads)

    def quality(
        self, figure: Figure | None = None, *, clip: MotionSolution | None = None, floor: float | None = None
    ) -> Quality:
        """Measures foot slide, sinking, speed, jerk, use of limits and balance: a table, and curves over the frames.

        Args:
            figure: a figure with limits or masses, to which the motion is converted (`on`); None means the motion's
                own.
            clip: the result of `solve_motion`, for the errors of its goals.
            floor: height of the floor, length; None finds the floor from the clip (`contacts`).
        """
        from manikin.motion.measures import quality

        return quality(self, figure, clip, floor)

    # Text, files and comparison

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self.figure, self.poses, self.times, self.name, dict(self.source)))

    def __repr__(self) -> str:
        frames = "1 frame" if len(self) == 1 else f"{len(self)} frames, {self.duration:.3g} s"
        return f"<Motion {self.name!r} of {self.figure.name!r}: {frames}>"

    def _repr_html_(self) -> str:
        rows = [["figure", f"{self.figure.name}, {self.figure.nv} degrees of freedom"], ["frames", str(len(self))]]
        if self.rate is not None:
            even = "" if self.even else ", uneven"
            rows += [["duration", f"{self.duration:.4g} s"], ["rate", f"{self.rate:.4g} frames per second{even}"]]
        return html_table(f"Motion {self.name}", [], rows)


def require_motion(motion: object, name: str) -> None:
    """
    Raises:
        BadValue: this is not a Motion.
    """
    if not isinstance(motion, Motion):
        hint = "; pass its .motion" if isinstance(getattr(motion, "motion", None), Motion) else ""
        raise BadValue(f"{name} is {type(motion).__name__}; it needs a Motion{hint}")


def _rebuild(figure: Figure, poses: Poses, times: Vector, name: str, source: dict[str, Any]) -> Motion:
    return Motion(figure, poses, times, name, source=source)


def _rows(figure: Figure, poses: ArrayLike, owner: str) -> Poses:
    """Checked poses (frames, nq), read-only. A read-only array that owns its memory is not copied, because clips are
    large."""
    checked = figure.check(poses, f"{owner}: poses")
    if checked.ndim == 1:
        checked = checked[None]
    if checked.ndim != 2 or len(checked) == 0:
        shape = f"(frames, {figure.nq}), at least one frame"
        raise BadShape(f"{owner}: poses have shape {checked.shape}; they need {shape}")
    ours = checked is poses and checked.base is None and not checked.flags.writeable and checked.flags.c_contiguous
    return checked if ours else arrays.frozen(checked)


def is_even(times: Vector, step: float) -> bool:
    """Whether times (frames,) are `step` seconds apart, from any start."""
    apart = times - step * np.arange(len(times))
    return bool(0.5 * float(np.ptp(apart)) <= EVEN * step)


def _times(times: ArrayLike | None, rate: float | None, count: int, owner: str) -> Vector:
    if times is None:
        return arrays.frozen(np.arange(count) / arrays.positive(30.0 if rate is None else rate, f"{owner}: rate"))
    if rate is not None:
        raise BadValue(f"{owner} has times and rate; it needs one of them")
    t = arrays.numbers(times, f"{owner}: times", (None,))
    if len(t) != count:
        raise BadShape(f"{owner}: times have shape {t.shape}; {count} poses need ({count},)")
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if late.size:
        i = int(late[0])
        raise BadValue(f"{owner}: times must increase, but times[{i + 1}] is {t[i + 1]:g} s after {t[i]:g} s")
    return arrays.frozen(t)
