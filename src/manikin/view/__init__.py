"""Pictures of figures, goals and motions."""

from __future__ import annotations

from manikin.view.curves import plot_quality
from manikin.view.picture import plot

__all__ = ["plot", "plot_quality"]
