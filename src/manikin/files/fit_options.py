"""Files that options of a marker fit name: places of markers, and weights."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from manikin.figure import Figure
from manikin.files import osim
from manikin.motion.marker_fit.attachments import Attachments
from manikin.motion.markers import SUBJECT, Markers


def load_attachments(path: str | os.PathLike[str], figure: Figure, bones: Any = None) -> Attachments:
    """Attachments from an attachment file (.json) or from an OpenSim model (.osim).

    Raises:
        BadFile: the file is neither.
    """
    if Path(path).suffix.lower() == ".osim":
        return osim.load_attachments(path, figure, bones)
    return Attachments.load(path)


def load_weights(path: str | os.PathLike[str], markers: Markers) -> dict[str, float]:
    """Weights of these markers from an OpenSim set-up (.xml). A marker that the set-up does not list has weight 0. A
    marker of the set-up that is missing here is left out.

    Raises:
        BadFile: the file has no weights.
    """
    given = osim.weights(path)
    bare = [name.rpartition(SUBJECT)[2] for name in markers.names]
    return {name: given.get(name, 0.0) for name in bare}
