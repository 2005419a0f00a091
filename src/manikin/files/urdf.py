"""URDF files: read (`urdf_read`) and written (`urdf_write`, after `urdf_expand`)."""

from __future__ import annotations

from manikin.files.urdf_expand import Expansion, expanded
from manikin.files.urdf_read import load_figure
from manikin.files.urdf_write import save, to_urdf

__all__ = ["Expansion", "expanded", "load_figure", "save", "to_urdf"]
