"""Markers: points on a body that cameras recorded, frame by frame, with gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Matrix, Points, Vector
from manikin.errors import BadValue, UnknownName, listing, unknown_name
from manikin.figure.html_table import html_table
from manikin.motion import marker_checks
from manikin.motion.frames import cut

UPS = ("x", "y", "z")
MOST = 1e15
"""Largest length in metres. Files have the same limit."""
SUBJECT = ":"
"""Separator between the name of a subject and that of a marker, as in "Anna:LASI"."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Markers:
    """Positions of named markers over time, NaN in gaps; immutable.

    `len(markers)` is the number of frames. `markers["LASI"]` is one marker in all frames (frames, 3), `markers[5]` all
    markers in one frame (markers, 3), `markers[10:20]` a part of the frames.

    Example:
        >>> markers = Markers(["LASI", "RASI"], [[[0, 0, 1], [0, 1, 1]], [[0.2, 0, 1], [np.nan] * 3]], rate=10)
        >>> markers["LASI"][1], markers.present[1], markers.duration
        (array([0.2, 0. , 1. ]), array([ True, False]), 0.1)
    """

    names: tuple[str, ...]
    """One name for each marker, all different. It may begin with the name of a subject, as in "Anna:LASI"."""
    positions: Points
    """(frames, markers, 3) read-only, in `unit`; all three NaN where the marker was not seen."""
    times: Vector
    """(frames,) read-only; increasing seconds."""
    rate: float | None
    """Frames per second, from the file or on average; None if not known."""
    unit: float | None
    """One length in metres; None if not known."""
    up: str | None
    """The axis that points up, "x", "y" or "z"; None if not known."""
    residuals: Matrix | None
    """(frames, markers) read-only: distance by which the rays of the cameras missed each other, in `unit`; NaN in
    gaps."""
    cameras: NDArray[np.uint8] | None
    """(frames, markers) read-only: bit k is set if camera k + 1 (of the first seven) saw the marker; or None."""
    name: str
    """Name in messages and files."""
    source: Mapping[str, Any]
    """Data about the file. "frames" has the number of each frame in the file, "notes" has oddities of the file."""

    def __init__(
        self,
        names: Iterable[str],
        positions: ArrayLike,
        times: ArrayLike | None = None,
        *,
        rate: float | None = None,
        unit: float | None = None,
        up: str | None = None,
        residuals: ArrayLike | None = None,
        cameras: ArrayLike | None = None,
        name: str = "markers",
        source: Mapping[str, Any] | None = None,
    ) -> None:
        """
        Args:
            names: names of the markers, each once.
            positions: (frames, markers, 3). A marker with a NaN in a frame is a gap there.
            times: (frames,) seconds, increasing. Default: frames at `rate`, from 0.
            rate: frames per second. Default: the average of `times`.
            unit: one length in metres, such as 0.001 for millimetres; None if not known.
            up: "x", "y", "z", or None if not known.
            residuals: (frames, markers), in `unit`.
            cameras: (frames, markers) whole numbers from 0 to 255.
            name: name in messages and files.
            source: data about the file that they were read from.

        Raises:
            BadShape, BadValue: the message names the wrong argument.
        """
        owner = f"markers {name!r}"
        labels = marker_checks.names(names, owner)
        points = marker_checks.positions(positions, len(labels), owner)
        seconds, rate = marker_checks.times(times, rate, len(points), owner)
        if up is not None and up not in UPS:
            raise BadValue(f"{owner}: up is {up!r}; it must be one of 'x', 'y', 'z', or None if unknown")
        shape = points.shape[:2]
        values = {
            "names": labels,
            "positions": points,
            "times": seconds,
            "rate": rate,
            "unit": None if unit is None else arrays.positive(unit, f"{owner}: unit"),
            "up": up,
            "residuals": None if residuals is None else marker_checks.residuals(residuals, points, owner),
            "cameras": None if cameras is None else marker_checks.cameras(cameras, shape, owner),
            "name": str(name),
            "source": dict(source or {}),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    # Size and speed

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last; 0 for a single frame."""
        return float(self.times[-1] - self.times[0])

    @property
    def present(self) -> NDArray[np.bool_]:
        """(frames, markers): whether the marker was seen."""
        seen: NDArray[np.bool_] = ~np.isnan(self.positions[..., 0])
        return seen

    @property
    def notes(self) -> tuple[str, ...]:
        """Oddities of the file, and how they were interpreted."""
        return tuple(self.source.get("notes", ()))

    # Parts

    def index_of(self, name: str) -> int:
        """Index of a marker in `names`. The subject may be omitted if only one subject has such a marker.

        Args:
            name: name of the marker.
        """
        if name in self.names:
            return self.names.index(name)
        bare = [i for i, n in enumerate(self.names) if n.rpartition(SUBJECT)[2] == name]
        if len(bare) == 1:
            return bare[0]
        if bare:
            whose = listing([self.names[i] for i in bare])
            raise UnknownName(f"markers {self.name!r} have {len(bare)} called {name!r}: {whose}; use one of these")
        raise unknown_name(f"markers {self.name!r}", "marker", name, self.names)

    @overload
    def __getitem__(self, which: int | str) -> Points: ...
    @overload
    def __getitem__(self, which: slice) -> Markers: ...
    def __getitem__(self, which: int | str | slice) -> Points | Markers:
        """One marker (frames, 3) by name, one frame (markers, 3) by number, or a part of the frames."""
        if isinstance(which, str):
            one: Points = self.positions[:, self.index_of(which)]
            return one
        if not isinstance(which, slice):
            frame: Points = self.positions[which]
            return frame
        chosen, source = cut(f"markers {self.name!r}", len(self), which, self.source)
        return self.replaced(
            positions=self.positions[which],
            times=self.times[which],
            rate=None if self.rate is None else self.rate / chosen.step,
            residuals=None if self.residuals is None else self.residuals[which],
            cameras=None if self.cameras is None else self.cameras[which],
            source=source,
        )

    def subset(self, names: Sequence[str]) -> Markers:
        """The named markers only, in that order.

        Args:
            names: names of markers.
        """
        if isinstance(names, str):
            raise BadValue(f"markers {self.name!r}: names are {names!r}; subset needs a list of names")
        index = [self.index_of(n) for n in names]
        return self.replaced(
            names=[self.names[i] for i in index],
            positions=self.positions[:, index],
            residuals=None if self.residuals is None else self.residuals[:, index],
            cameras=None if self.cameras is None else self.cameras[:, index],
        )

    def __iter__(self) -> Iterator[Points]:
        return iter(self.positions)

    # Other markers

    def replaced(self, **changes: Any) -> Markers:
        """Markers with some fields changed.

        Args:
            changes: new values of fields, by their names.
        """
        known = {key: getattr(self, key) for key in self.__dataclass_fields__}
        for key in changes:
            if key not in known:
                raise unknown_name("Markers", "field", key, list(known))
        return Markers(**{**known, **changes})

    def in_metres(self) -> Markers:
        """The same markers with lengths in metres. Raises an error if the unit is not known."""
        if self.unit is None:
            raise BadValue(
                f"markers {self.name!r} have no unit; set it in metres first, as in markers.replaced(unit=0.001)"
            )
        self._require_moderate()
        if self.unit == 1.0:
            return self
        return self.replaced(
            positions=self.positions * self.unit,
            residuals=None if self.residuals is None else self.residuals * self.unit,
            unit=1.0,
        )

    def _require_moderate(self) -> None:
        """Raises BadValue if a position is so large that its square is not accurate."""
        most = MOST / (self.unit or 1.0)
        low, high = np.nanmin(self.positions, initial=0.0), np.nanmax(self.positions, initial=0.0)
        if max(-low, high) <= most:
            return
        frame, marker, axis = np.argwhere(np.abs(np.nan_to_num(self.positions)) > most)[0]
        raise BadValue(
            f"markers {self.name!r}: {self.names[marker]} is {self.positions[frame, marker, axis]:g} in frame {frame}, "
            f"with a unit of {self.unit:g} m; lengths must lie within ±{MOST:g} m"
        )

    def with_up(self, up: str) -> Markers:
        """The same markers with another axis up. x, y and z are permuted cyclically, which is a rotation.

        From z up to y up, (x, y, z) becomes (y, z, x). Raises an error if the present up axis is not known.

        Args:
            up: the new axis, "x", "y" or "z".
        """
        if up not in UPS:
            raise BadValue(f"up is {up!r}; it must be one of 'x', 'y', 'z'")
        if self.up is None:
            raise BadValue(f"markers {self.name!r} have no up axis; set it first, as in markers.replaced(up='z')")
        shift = UPS.index(up) - UPS.index(self.up)
        return self.replaced(positions=np.roll(self.positions, shift, axis=-1), up=up) if shift else self

    def resampled(self, rate: float) -> Markers:
        """The markers at `rate` frames per second, from the first frame to the last one that fits, interpolated as in
        `at`.

        Residuals and cameras belong to the recorded frames and are left out.

        Args:
            rate: frames per second, above 0.
        """
        rate = arrays.positive(rate, f"markers {self.name!r}: rate")
        count = int(np.floor(self.duration * rate * (1.0 + 1e-12) + 1e-9)) + 1
        times = self.times[0] + np.arange(count) / rate
        source = {k: v for k, v in self.source.items() if k != "frames"}
        return self.replaced(
            positions=self.at(times), times=times, rate=rate, residuals=None, cameras=None, source=source
        )

    def at(self, times: ArrayLike) -> Points:
        """Positions (n, markers, 3) at times (n,) seconds: linear between frames, constant before the first and after
        the last. If a marker has a gap in one of the two frames, it also has a gap between them. Gaps are not
        filled.

        Args:
            times: the times, shape (n,), seconds.
        """
        t = arrays.numbers(times, "times", (None,))
        after = np.clip(np.searchsorted(self.times, t, side="right"), 1, max(len(self) - 1, 1))
        after = np.minimum(after, len(self) - 1)
        before = np.maximum(after - 1, 0)
        span = np.where(after > before, self.times[after] - self.times[before], 1.0)
        part = np.clip((t - self.times[before]) / span, 0.0, 1.0)
        a, b = self.positions[before], self.positions[after]
        out = a + part[:, None, None] * (b - a)
        out[part == 0.0] = a[part == 0.0]
        out[part == 1.0] = b[part == 1.0]
        return out

    # Text, files and comparison

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, ({key: getattr(self, key) for key in self.__dataclass_fields__},))

    def __repr__(self) -> str:
        frames = "1 frame" if len(self) == 1 else f"{len(self)} frames, {self.duration:.3g} s"
        missing = 1.0 - float(self.present.mean()) if self.names else 0.0
        gaps = f", {missing:.1%} missing" if missing else ""
        return f"<Markers {self.name!r}: {len(self.names)} markers, {frames}{gaps}>"

    def _repr_html_(self) -> str:
        seen = self.present.mean(axis=0)
        rows = [[name, f"{share:.1%}"] for name, share in zip(self.names, seen, strict=True)]
        return html_table(repr(self).strip("<>"), ["marker", "present"], rows)


def _rebuild(fields: dict[str, Any]) -> Markers:
    return Markers(**fields)
