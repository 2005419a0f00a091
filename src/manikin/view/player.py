"""A page that plays a motion: data and a small canvas player in one file, without a network or a library."""

from __future__ import annotations

import base64
import re
from importlib import resources
from typing import Any

import numpy as np

from manikin.base.names import html, script
from manikin.view import camera
from manikin.view.reel import Reel
from manikin.view.style import STYLE

STEPS = 65_000
"""Positions are stored as whole numbers up to this. In a room of six metres the step is a tenth of a millimetre."""


def page(reel: Reel, view: Any, ghosts: int) -> str:
    """The whole page."""
    azimuth, elevation = camera.angles(view)
    seen = reel.targets[np.isfinite(reel.targets).all(axis=-1)]
    everything = np.concatenate([reel.ends.reshape(-1, 3), reel.trails.reshape(-1, 3), seen])
    low = everything.min(axis=0)
    step = max(float((everything.max(axis=0) - low).max()), 1e-9) / STEPS
    names = ("paper", "ink", "faint", "grid", "shade", "wood", "wood_light", "outline", "target", "missed", "path")
    data = {
        "name": reel.name,
        "rate": reel.rate,
        "start": float(reel.times[0]),
        "frames": len(reel.ends),
        "sticks": len(reel.sticks.radius),
        "radius": [round(float(r), 5) for r in reel.sticks.radius],
        "low": [float(x) for x in low],
        "step": step,
        "ends": _packed(reel.ends, low, step),
        "trails": [_packed(way, low, step) for way in reel.trails],
        "targets": [_packed(reel.targets[:, k], low, step) for k in range(reel.targets.shape[1])],
        "met": ["".join("1" if m else "0" for m in reel.met[:, k]) for k in range(reel.met.shape[1])],
        "labels": list(reel.labels),
        "floor": reel.floor,
        "size": reel.size,
        "azimuth": float(azimuth),
        "elevation": float(elevation),
        "ghosts": ghosts,
        "colors": {name: [round(255 * c) for c in getattr(STYLE, name)] for name in names},
    }
    text = resources.files("manikin.view").joinpath("player.html").read_text(encoding="utf-8")
    held = {"__TITLE__": html(reel.name), "__DATA__": script(data)}
    return re.sub("__TITLE__|__DATA__", lambda found: held[found[0]], text)


def _packed(points: Any, low: Any, step: float) -> str:
    """Points as 16-bit whole numbers; 65535 where there is none."""
    gap = ~np.isfinite(points)
    numbers = np.where(gap, 65_535, np.round((np.where(gap, 0.0, points) - low) / step))
    return base64.b64encode(numpy_little(numbers)).decode()


def numpy_little(numbers: Any) -> bytes:
    """The numbers as little-endian bytes, the byte order that JavaScript uses on all common machines."""
    return bytes(np.asarray(numbers).astype("<u2").tobytes())
