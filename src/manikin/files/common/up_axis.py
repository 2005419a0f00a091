"""The rotation of the world that makes y the up axis, for formats in which y is always up."""

from __future__ import annotations

import numpy as np

from manikin import rotations

TO_Y_UP = {
    "x": (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)),
    "y": rotations.IDENTITY,
    "z": (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0),
}
"""Quaternions wxyz by up axis. For x it is a quarter turn about z, for z a quarter turn about −x."""
