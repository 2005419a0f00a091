"""Facts about a figure, a motion or markers: short lines for people, a dictionary for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import counted, listing
from manikin.jobs.loading import span

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.jobs.loading import Loaded
    from manikin.motion import Markers, Motion

UNITS = {1.0: "metres", 0.1: "decimetres", 0.01: "centimetres", 0.001: "millimetres", 0.0254: "inches", 0.3048: "feet"}
"""Names of units, by their length in metres."""


def unit(metres: float | None) -> str:
    """The name of a unit."""
    if metres is None:
        return "not defined in the file; lengths are the numbers of the file"
    name = next((word for value, word in UNITS.items() if abs(metres / value - 1.0) < 1e-6), None)
    return name or f"{metres:g} m"


def kind_words(kind: str) -> str:
    """A kind of joint in words: slider+slider+slider+euler is "3 sliders + euler"."""
    words = kind.split("+")
    sliders = sum(word == "slider" for word in words)
    return " + ".join([f"{sliders} sliders", *words[sliders:]]) if sliders > 1 else " + ".join(words)


def number(value: float) -> str:
    """Three digits, without an exponent."""
    return np.format_float_positional(float(f"{value:.3g}"), trim="-")


def figure_facts(loaded: Loaded) -> list[tuple[str, str]]:
    """Label and text of each line above the tree."""
    figure, motion = loaded.figure, loaded.motion
    assert figure is not None
    kinds = ", ".join(f"{many:,} × {kind_words(kind)}" for kind, many in joint_kinds(figure).items())
    lines = [
        ("figure", f"{figure.name}: {counted(len(figure.segments), 'segment')}, {figure.nv:,} degrees of freedom"),
        ("joints", kinds),
        ("unit", unit(figure.unit)),
        ("up", figure.up),
        ("size", f"{figure.size:.4g}, the length of the longest path from root to tip"),
    ]
    if figure.mass:
        lines.append(("mass", f"{figure.mass:.4g} kg"))
    free = unlimited(figure)
    if free:
        lines.append(("no limits", f"{listing(free)} ({len(free):,} in all)" if len(free) > 8 else listing(free)))
    if figure.loops:
        lines.append(("loops", listing([loop.name for loop in figure.loops])))
    if motion is not None:
        named = f"{motion.name}: " if loaded.clips else ""
        lines.append(("motion", named + span(motion)))
    if loaded.clips:
        lines.append(("clips", f"{len(loaded.clips)}: {', '.join(loaded.clips)}"))
    return lines


def marker_facts(markers: Markers) -> list[tuple[str, str]]:
    """Label and text of each line above the table of markers."""
    seen = float(markers.present.mean())
    lines = [
        ("markers", str(len(markers.names))),
        ("frames", span(markers)),
        ("unit", unit(markers.unit)),
        ("up", markers.up or "not defined in the file"),
        ("seen", "always" if seen == 1.0 else f"{100.0 * seen:.1f} % of the time"),
    ]
    events = markers.source.get("events", ())
    if events:
        words = [f"{e.get('label', '')} {e['time']:.3g} s".strip() for e in events]
        lines.append(("events", listing(words)))
    return lines


def marker_rows(markers: Markers) -> list[list[str]]:
    """For each marker: its name, how often it is seen, its gaps, the longest gap, and the box in which it moves."""
    rows = []
    for i, name in enumerate(markers.names):
        seen = markers.present[:, i]
        gaps = gap_lengths(seen)
        where = markers.positions[seen, i]
        box = " × ".join(number(x) for x in np.ptp(where, axis=0)) if len(where) else "never seen"
        longest = f"{max(gaps)}" if gaps else ""
        rows.append([name, f"{100.0 * float(seen.mean()):.1f} %", str(len(gaps)) if gaps else "", longest, box])
    return rows


def gap_lengths(seen: Any) -> list[int]:
    """The number of frames of each gap."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], np.asarray(seen, dtype=bool), [True]])))
    return [int(b - a) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def data(loaded: Loaded) -> dict[str, Any]:
    """All facts, for programs. Lengths are in the unit of the file, angles in radians. A missing limit is None."""
    if loaded.markers is not None:
        body = marker_data(loaded.markers)
    else:
        assert loaded.figure is not None
        motion = None if loaded.motion is None else motion_data(loaded.motion)
        body = {**figure_data(loaded.figure), "motion": motion, "clips": list(loaded.clips)}
    return {"file": loaded.name, "format": loaded.format, **body, "warnings": list(loaded.warnings)}


def motion_data(motion: Motion) -> dict[str, Any]:
    """The name and the length of a motion."""
    return {"name": motion.name, "frames": len(motion), "seconds": motion.duration, "rate": motion.rate}


def marker_data(markers: Markers) -> dict[str, Any]:
    """Markers for programs."""
    return {
        "name": markers.name,
        "frames": len(markers),
        "seconds": markers.duration,
        "rate": markers.rate,
        "unit": markers.unit,
        "up": markers.up,
        "markers": [
            {"name": name, "seen": float(seen.mean()), "gaps": gap_lengths(seen)}
            for name, seen in zip(markers.names, markers.present.T, strict=True)
        ],
    }


def figure_data(figure: Figure) -> dict[str, Any]:
    """A figure for programs: counts, unit, axes, and a list of segments with joints and limits."""

    def bound(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    segments = []
    for s in figure.segments:
        first = figure.index_of(s.joint.name)
        numbers = range(first, first + s.joint.nq)
        segments.append(
            {
                "name": s.name,
                "parent": s.parent,
                "joint": s.joint.name,
                "kind": s.joint.kind,
                "numbers": [figure.number_names[i] for i in numbers],
                "lower": [bound(figure.lower[i]) for i in numbers],
                "upper": [bound(figure.upper[i]) for i in numbers],
                "mass": s.mass,
                "shapes": len(s.shapes),
            }
        )
    return {
        "name": figure.name,
        "degrees_of_freedom": figure.nv,
        "numbers": figure.nq,
        "unit": figure.unit,
        "up": figure.up,
        "size": figure.size,
        "mass": figure.mass,
        "joints": joint_kinds(figure),
        "unlimited": unlimited(figure),
        "loops": [loop.name for loop in figure.loops],
        "segments": segments,
    }


def joint_kinds(figure: Figure) -> dict[str, int]:
    """The number of joints of each kind."""
    kinds: dict[str, int] = {}
    for s in figure.segments:
        kinds[s.joint.kind] = kinds.get(s.joint.kind, 0) + 1
    return kinds


def unlimited(figure: Figure) -> list[str]:
    """Names of the numbers without limits, and of the balls without limits.

    Free joints (which should have no limits), joints that follow another joint, and held sliders are left out.
    """
    from manikin.figure import Ball

    free = []
    for s in figure.segments:
        if s.joint.coupling is not None or s.joint.kind == "free":
            continue
        first, last = figure.index_of(s.joint.name), s.joint.motions[-1] if s.joint.motions else None
        plain = s.joint.nq - (4 if isinstance(last, Ball) else 0)
        for i in range(first, first + plain):
            if np.isinf(figure.lower[i]) and np.isinf(figure.upper[i]) and i not in figure.layout.held:
                free.append(figure.number_names[i])
        if isinstance(last, Ball) and last.limits is None:
            free.append(s.joint.name)
    return free
