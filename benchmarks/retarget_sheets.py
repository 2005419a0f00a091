"""Sheets of retargeted clips: the recording and four figures in rows, moments of the clip in columns.

    MANIKIN_DATA=... python -m benchmarks.retarget_sheets [--clips walk] [--out FOLDER]

The pictures are docs/images/retarget_sheet_walk.png and so on. The parts of all figures are drawn as capsules between
their joints, with legs of the same length, by parallel projection. The travel of the body is left out.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks.retarget import load_clip, load_figure
from manikin.figure.parts.calibration import Calibration, calibrate
from manikin.motion.retarget.ground import source_height
from manikin.motion.retarget.watch import Observed, watch
from manikin.motion.soles import find_soles
from manikin.view.camera import Eye
from manikin.view.picture import blank
from manikin.view.solids import Solid, lathed, silhouette
from manikin.view.style import STYLE, brightness
from manikin.view.union import skin

IMAGES = Path(__file__).parents[1] / "docs" / "images"
FIGURES = {"human": "built-in person", "CesiumMan": "CesiumMan", "MakeHuman": "MakeHuman", "G1": "Unitree G1"}
LIMBS = (
    ("thigh", "shank", 0.075),
    ("shank", "foot", 0.052),
    ("upper arm", "forearm", 0.05),
    ("forearm", "hand", 0.04),
)
"""Parts, where they end, and their radius in legs."""
ROW = 2.62
"""Height of a row, in legs."""
DPI = 85.0


@dataclass(frozen=True)
class Sheet:
    """Which moments of a clip are drawn, and how."""

    frames: tuple[int, ...]
    azimuth: float
    """Direction of the camera in degrees: 0 is in front of the figure, 90 is on its left."""
    spacing: float
    """Distance of two columns, in legs."""
    title: str


SHEETS = {
    "walk": Sheet((60, 90, 120, 150, 180, 210, 240, 270), 62.0, 1.3, "A walk (CMU 02_01)"),
    "cartwheel": Sheet((120, 175, 205, 225, 245, 265, 285, 305, 345), 0.0, 2.0, "A cartwheel (CMU 49_06)"),
    "dance": Sheet((380, 430, 540, 570, 600, 620, 680, 760), 30.0, 1.75, "A dance (CMU 05_02)"),
}


@dataclass(frozen=True, eq=False)
class Row:
    """The bodies of a figure in the poses of a sheet, in canonical axes (left, up, forward) and in legs, with the hips
    of each above the origin and the floor at height 0."""

    label: str
    bodies: list[list[Solid]]


def row(label: str, motion: mk.Motion, frames: list[int], own: Calibration, floor: Any) -> Row:
    """Draws the parts of a body as capsules between their joints.

    Args:
        label: name of the figure.
        motion: the motion to draw.
        frames: which frames.
        own: the calibration of its figure.
        floor: (frames,) height of the floor below the hips, in the unit of the figure.
    """
    poses = motion.poses[frames]
    seen = watch(own, poses)
    origin = seen.hips.copy()
    origin[:, 1] = floor[frames]
    soles = find_soles(motion.figure, motion.poses, own.bones, own.standing.pose)
    centers = {part: (at - origin) / own.leg for part, at in seen.centers.items()}
    centers |= {
        name: (at @ own.world - origin) / own.leg
        for name, at in zip(soles.names[:4], soles.over(motion.figure, poses), strict=False)
    }
    return Row(label, [_body({n: at[k] for n, at in centers.items()}, _turns(seen, k)) for k in range(len(frames))])


def _turns(seen: Observed, k: int) -> dict[str, Any]:
    return {part: turns[k] for part, turns in seen.turns.items()}


def _body(at: dict[str, Any], turns: dict[str, Any]) -> list[Solid]:
    """The solids of a body: limbs of the left side are darker."""
    hips, shoulders = (0.5 * (at[f"left {part}"] + at[f"right {part}"]) for part in ("thigh", "upper arm"))
    spine = [part for part in at if part.startswith("spine")]
    waist = at[spine[-1]] if spine else 0.5 * (hips + shoulders)
    out = [_rod(at["left thigh"], at["right thigh"], 0.095), _rod(hips, waist, 0.12)]
    out += [_rod(waist, shoulders - 0.25 * (shoulders - waist), 0.145)]
    out += [_rod(at["left upper arm"], at["right upper arm"], 0.065)]
    if "head" in at:
        top = at["head"] + 0.13 * turns["head"][:, 1] + 0.02 * turns["head"][:, 2]
        out += [_rod(shoulders, at["head"], 0.045), _rod(top, top + 0.05 * turns["head"][:, 1], 0.115)]
    for side in ("left", "right"):
        kind = "joint" if side == "left" else "solid"
        for part, after, width in LIMBS:
            out.append(_rod(at[f"{side} {part}"], at[f"{side} {after}"], width, kind))
        if f"{side} hand" in at:
            wrist = at[f"{side} hand"]
            out.append(_rod(wrist, wrist - 0.15 * turns[f"{side} hand"][:, 1], 0.03, kind))
        ankle, toe, heel = (at[f"{side} {name}"] for name in ("foot", "toe", "heel"))
        lift = np.array([0.0, 0.028, 0.0])  # the soles of the capsules, not their axes, touch the floor
        out += [
            _rod(a, b, 0.028, kind) for a, b in ((ankle, toe + lift), (ankle, heel + lift), (heel + lift, toe + lift))
        ]
    return out


def _rod(start: Any, end: Any, radius: float, kind: str = "solid") -> Solid:
    shape = lathed((mk.Capsule(tuple(start), tuple(end), radius),), 2.0, 0.8)[0]
    return Solid.of(0, kind, shape)


def rows_of(clip: str) -> list[Row]:
    """The recording and the figures that got its motion."""
    motion, sheet = load_clip(clip, None), SHEETS[clip]
    own = calibrate(motion.figure, mk.bone_map(motion.figure), motion.poses)
    touching = mk.contacts(motion[1:])  # frame 0 is a T-pose
    hips = watch(own, motion.poses).hips
    rows = [row("recording", motion, list(sheet.frames), own, source_height(touching, own.world, hips))]
    for name, label in FIGURES.items():
        figure = load_figure(name)
        done = mk.retarget(motion, figure)
        out, frames = done.motion, [k - done.first_frame for k in sheet.frames]
        rows.append(row(label, out, frames, calibrate(figure, mk.bone_map(figure)), np.zeros(len(out))))
    return rows


def draw(clip: str, path: Path) -> None:
    """Draws the sheet of a clip."""
    sheet, rows = SHEETS[clip], rows_of(clip)
    columns = len(sheet.frames)
    eye = Eye.at(sheet.azimuth, 9.0)
    width = sheet.spacing * (columns - 1)
    left = 0.55 * sheet.spacing + 0.6 + 0.1 * width  # labels have the same size on all sheets
    wide, high = left + width + 0.65 * sheet.spacing, ROW * len(rows) + 0.9
    picture = blank(13.0, 13.0 * high / wide, DPI, STYLE)
    ax = picture.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_xlim(-left, wide - left)
    ax.set_ylim(-ROW * len(rows) + 2.1, high - ROW * len(rows) + 2.1)
    ax.set_aspect("equal")
    ax.set_axis_off()
    for k, each in enumerate(rows):
        _draw_row(ax, each, -ROW * k, sheet.spacing, eye, width)
        ax.text(-left + 0.12, -ROW * k + 0.8, each.label, color=STYLE.ink, fontsize=11.5, va="center")
    rate = load_clip(clip, None).rate or 1.0
    for k, frame in enumerate(sheet.frames):
        at = (frame - sheet.frames[0]) / rate
        ax.text(sheet.spacing * k, 2.2, f"{at:.2f} s", color=STYLE.faint, fontsize=9.5, ha="center")
    ax.text(-left + 0.12, 2.68, sheet.title, color=STYLE.ink, fontsize=14.0, va="center")
    picture.savefig(path, dpi=DPI)


def _draw_row(ax: Any, row: Row, base: float, spacing: float, eye: Eye, width: float) -> None:
    from matplotlib.collections import PolyCollection

    ends = [-0.45 * spacing, width + 0.45 * spacing]
    ax.plot(ends, [base, base], color=STYLE.grid, linewidth=1.0, zorder=1.0, solid_capstyle="round")
    across = np.stack([eye.right, eye.up], axis=1)
    for k, body in enumerate(row.bodies):
        place = np.array([spacing * k, base])
        shadows, faces, colors = [], [], []
        for solid, (outside, directions) in zip(body, skin(body, np.eye(4)[None]), strict=True):
            if not len(outside):
                continue
            light = brightness(_upright(directions), eye.right, eye.up, eye.toward)
            faces.append(_upright(outside))
            colors.append(STYLE.ramp(light, solid.kind))
            flat = silhouette(faces[-1].reshape(-1, 3)[:, :2])
            if len(flat) > 2:
                shadows.append(np.column_stack([flat, np.zeros(len(flat))]) @ across + place)
        corners, paint = np.concatenate(faces), np.concatenate(colors)
        order = np.argsort((corners @ eye.toward).mean(axis=1))
        ax.add_collection(PolyCollection(shadows, facecolors=[STYLE.shade], edgecolors="none", zorder=0.5))
        seen = corners[order] @ across + place
        ax.add_collection(
            PolyCollection(seen, facecolors=paint[order], edgecolors=paint[order], linewidths=0.3, zorder=2.0)
        )


def _upright(points: Any) -> Any:
    """Points or directions in the axes of the camera: forward, left, up."""
    return points[..., [2, 0, 1]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retarget_sheets", description=(__doc__ or "")[:60])
    parser.add_argument("--clips", default=",".join(SHEETS), help="which clips, separated by commas")
    parser.add_argument("--out", type=Path, default=IMAGES, help="folder of the pictures (docs/images)")
    options = parser.parse_args()
    if unknown := set(options.clips.split(",")) - set(SHEETS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(SHEETS)}")
    warnings.simplefilter("ignore", mk.errors.OddFile)
    for clip in options.clips.split(","):
        path = options.out / f"retarget_sheet_{clip}.png"
        draw(clip, path)
        print(path, flush=True)


if __name__ == "__main__":
    main()
