"""Pictures of figures, goals and motions."""

from __future__ import annotations

from manikin.view.picture import plot

__all__ = ["plot"]
