"""URDF files: `read` reads them; `expand` and `write` write them."""

from __future__ import annotations

from manikin.files.urdf.expand import Expansion, expanded
from manikin.files.urdf.read import load_figure
from manikin.files.urdf.write import save, to_urdf

__all__ = ["Expansion", "expanded", "load_figure", "save", "to_urdf"]
