"""Checks of the arguments of `fit_markers`. Each error names the argument, its value and a valid value."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin import arrays
from manikin.base.progress import require_progress
from manikin.errors import BadValue
from manikin.motion.marker_fit.attachments import Attachments


def check_options(robust: Any, smooth: Any, scales: Any, progress: Any) -> None:
    """Checks the options of a fit that need neither the figure nor the markers.

    Raises:
        BadValue: one of them has a wrong type or value.
    """
    if not isinstance(robust, (bool, np.bool_)):
        raise BadValue(f"robust is {robust!r}; it must be True or False")
    if isinstance(smooth, (bool, np.bool_)):
        raise BadValue(f"smooth is {smooth!r}; it needs a frequency in Hz such as 15, or None for no smoothing")
    if smooth is not None:
        arrays.positive(smooth, "smooth")
    if not (scales is None or isinstance(scales, (str, Mapping))):
        raise BadValue(
            f"scales is {scales!r}; it must be 'symmetric', 'one', 'each', None, or a dict {{group: deviation}}"
        )
    require_progress(progress)


def checked_weights(weights: Any) -> dict[str, float]:
    """The weights of markers by name.

    Raises:
        BadValue: they are not a dict of numbers of at least 0.
    """
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise BadValue(f"weights is {weights!r}; it needs a dict of marker names, as in weights={{'LASI': 2.0}}")
    return {name: arrays.non_negative(weight, f"weight of {name!r}") for name, weight in weights.items()}


def given_attachments(attach: Attachments | str | os.PathLike[str] | None) -> Attachments:
    """The attachments of the argument `attach`; none if it is None.

    Raises:
        BadValue: it is neither attachments nor the path of a file, or the file is an OpenSim model.
        BadFile: the file is not an attachment file.
    """
    if attach is None:
        return Attachments(())
    if isinstance(attach, Attachments):
        return attach
    if not isinstance(attach, (str, os.PathLike)):
        raise BadValue(
            f"attach is {type(attach).__name__}; it needs Attachments such as fit.attachments, or an attachment file"
        )
    if os.fspath(attach).lower().endswith(".osim"):
        raise BadValue(
            f"attach is {os.fspath(attach)!r}, an OpenSim model; read it first with "
            "manikin.files.osim.load_attachments(path, figure)"
        )
    return Attachments.load(attach)
