"""A picture that a notebook shows."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure

SCREEN_DPI = 100.0
"""Pixels per inch on a screen. Saved pictures have more."""


class Picture(Figure):
    """A matplotlib Figure that notebooks show without pyplot and its inline backend."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        options: dict[str, Any] = {"dpi": min(self.dpi, SCREEN_DPI), "facecolor": self.get_facecolor()}
        self.savefig(file, format="png", **options)
        return file.getvalue()
