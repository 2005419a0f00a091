"""Markers of a person whose lengths, places and poses are known, for the tests of `fit_markers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

import manikin as mk
from manikin.arrays import Points, Poses
from manikin.motion.marker_fit.attachments import Attachments

NAMES = [
    "LASI",
    "RASI",
    "LPSI",
    "RPSI",
    "LTHI",
    "RTHI",
    "LKNE",
    "RKNE",
    "LKNM",
    "RKNM",
    "LTIB",
    "RTIB",
    "LANK",
    "RANK",
    "LANM",
    "RANM",
    "LHEE",
    "RHEE",
    "LTOE",
    "RTOE",
    "LMT5",
    "RMT5",
    "C7",
    "T10",
    "CLAV",
    "STRN",
    "LFHD",
    "RFHD",
    "LBHD",
    "RBHD",
    "LSHO",
    "RSHO",
    "LUPA",
    "RUPA",
    "LELB",
    "RELB",
    "LFRM",
    "RFRM",
    "LWRA",
    "RWRA",
    "LWRB",
    "RWRB",
    "LFIN",
    "RFIN",
]
"""A full set, with markers on both sides of knees and ankles."""
SCALES = {"thigh": 1.06, "shank": 1.02, "upper arm": 0.95, "forearm": 1.05, "pelvis": 1.0, "spine": 1.02, "neck": 1.02}


class Recording(NamedTuple):
    """Synthetic markers and the truth behind them."""

    markers: mk.Markers
    poses: Poses
    figure: mk.Figure
    """The person with the true lengths."""
    places: dict[str, tuple[float, ...]]
    """The true place of each marker on its segment."""


def walk(figure: mk.Figure, count: int) -> Poses:
    """Poses (count, nq) of a walk in place: legs and arms swing, knees and elbows bend, the trunk sways."""
    phase = np.linspace(0.0, 4.0 * np.pi, count)
    out = np.tile(figure.rest, (count, 1))
    step = np.zeros((count, figure.nv))

    def add(joint: str, axis: int, values: Points) -> None:
        step[:, figure.step_of(joint) + axis] += values

    for sign, side in ((1.0, "Left"), (-1.0, "Right")):
        swing = sign * np.sin(phase)
        add(f"{side}UpLeg", 0, -0.45 * swing)
        add(f"{side}UpLeg", 1, sign * 0.08 * np.cos(phase))
        add(f"{side}Leg", 0, 0.45 + 0.35 * sign * np.cos(phase))
        add(f"{side}Foot", 0, 0.15 * swing)
        add(f"{side}Arm", 0, -0.35 * swing)
        add(f"{side}ForeArm", 0, 0.3 + 0.2 * swing)
    for spine in ("Spine", "Spine2"):
        add(spine, 1, 0.08 * np.sin(phase))
    add("Head", 1, 0.2 * np.sin(0.5 * phase))
    step[:, 2] = 0.4 * np.linspace(0.0, 1.0, count)
    step[:, 4] = 0.3 * np.sin(0.5 * phase)
    return figure.clamp(figure.integrate(out, step))


def recorded(
    count: int = 60,
    *,
    noise: float = 0.0,
    shift: float = 0.004,
    seed: int = 1,
    rate: float = 100.0,
    valgus: Mapping[str, float] | None = None,
) -> Recording:
    """Markers at places that differ from those of their names by `shift` metres, with noise. Shanks lean outward by the
    angles `valgus`."""
    rng = np.random.default_rng(seed)
    person = mk.human()
    attach = Attachments.from_names(NAMES, person)
    from manikin.motion.marker_fit.body import MarkerBody
    from manikin.motion.marker_fit.knees import aligned
    from manikin.motion.marker_fit.lengths import factors

    lengths = factors(MarkerBody(person), SCALES)
    figure = aligned(person.scaled(lengths), MarkerBody(person), valgus or {})
    poses = walk(person, count)
    segments = [m.segment for m in attach]
    factor = np.array([lengths.get(s, 1.0) for s in segments])
    places = np.array([m.offset for m in attach]) * factor[:, None] + shift * rng.normal(size=(len(segments), 3))
    placed = figure.placements(poses, segments)
    points = np.einsum("tmij,mj->tmi", placed[..., :3, :3], places) + placed[..., :3, 3]
    points += noise * rng.normal(size=points.shape)
    markers = mk.Markers([m.name for m in attach], points, rate=rate, unit=1.0, up="y", name="synthetic")
    return Recording(markers, poses, figure, {m.name: tuple(p) for m, p in zip(attach, places.tolist(), strict=True)})
