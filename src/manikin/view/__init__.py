"""Pictures of figures, goals and motions."""

from __future__ import annotations

from manikin.view.animation import animate
from manikin.view.curves import plot_quality
from manikin.view.picture import plot

__all__ = ["animate", "plot", "plot_quality"]
