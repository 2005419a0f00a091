"""OpenSim motions (.mot): joint angles in degrees, with the coordinates of gait2392. They can be written only."""

from __future__ import annotations

import os

import numpy as np

from manikin.base import writing
from manikin.motion.gait_angles import gait_angles
from manikin.motion.motion import Motion

LENGTHS = ("pelvis_tx", "pelvis_ty", "pelvis_tz")


def save(motion: Motion, path: str | os.PathLike[str]) -> None:
    """Writes the joint angles of a person. See `motion.gait_angles` for their meaning."""
    angles = gait_angles(motion)
    columns = [motion.times, *(v if name in LENGTHS else np.rad2deg(v) for name, v in angles.items())]
    head = ["Coordinates", "version=1", f"nRows={len(motion)}", f"nColumns={len(columns)}", "inDegrees=yes", ""]
    head += ["Units are S.I. units (second, meters, Newtons, ...)", "Angles are in degrees.", "", "endheader"]
    rows = ["\t".join(f"{x:.8f}" for x in row) for row in np.stack(columns, axis=1).tolist()]
    writing.write(path, "\n".join([*head, "\t".join(["time", *angles]), *rows]) + "\n")
