"""Builds a figure in Pinocchio joint by joint: the same tree, balls as spherical joints, a free root as a free
flyer."""

from __future__ import annotations

from typing import Any

import numpy as np

import manikin as mk
from manikin.figure.joint import Ball, Euler, Free, Hinge, Joint, Slider
from manikin.rotations import AXES, to_matrix


class Peer:
    """Pinocchio's model of a figure, and the map between the numbers of manikin and Pinocchio."""

    def __init__(self, figure: mk.Figure) -> None:
        import pinocchio as pin

        self.pin = pin
        self.model = pin.Model()
        self.model.name = figure.name
        self.columns: list[int] = []
        """The index of manikin's number for each of Pinocchio's numbers."""
        self.of_segment: list[tuple[int, Any]] = []
        """(joint, constant placement on it) of each segment."""
        at: dict[str | None, tuple[int, Any]] = {None: (0, pin.SE3.Identity())}
        for s in figure.segments:
            joint, below = at[s.parent]
            place = below * pin.SE3(to_matrix(np.array(s.joint.rotation)), np.array(s.joint.offset))
            number = figure.index_of(s.joint.name)
            for kind, mine in self._joints(s.joint, number):
                joint = self.model.addJoint(joint, kind, place, f"{s.name}:{mine[0]}")
                self.columns += mine
                place = pin.SE3.Identity()
            at[s.name] = (joint, place)
            self.of_segment.append((joint, place))
        self.data = self.model.createData()

    def _joints(self, joint: Joint, n: int) -> list[tuple[Any, list[int]]]:
        pin, out = self.pin, []
        for motion in joint.motions:
            if isinstance(motion, Hinge):
                out.append((pin.JointModelRevoluteUnaligned(np.array(motion.axis)), [n]))
                n += 1
            elif isinstance(motion, Slider):
                out.append((pin.JointModelPrismaticUnaligned(np.array(motion.axis)), [n]))
                n += 1
            elif isinstance(motion, Euler):
                for letter in motion.order:
                    out.append((pin.JointModelRevoluteUnaligned(np.array(AXES[letter.lower()])), [n]))
                    n += 1
            elif isinstance(motion, Ball):
                out.append((pin.JointModelSpherical(), [n + 1, n + 2, n + 3, n]))  # xyzw in Pinocchio, wxyz in manikin
                n += 4
            elif isinstance(motion, Free):
                out.append((pin.JointModelFreeFlyer(), [n, n + 1, n + 2, n + 4, n + 5, n + 6, n + 3]))
                n += 7
        for k, (kind, mine) in enumerate(out):
            axis = np.array(kind.axis) if hasattr(kind, "axis") else None
            if axis is not None and len(mine) == 1:  # axis-aligned joints are faster in Pinocchio
                for letter, unit in AXES.items():
                    if np.array_equal(axis, unit):
                        name = "JointModelR" if "Revolute" in kind.shortname() else "JointModelP"
                        out[k] = (getattr(pin, name + letter.upper())(), mine)
        return out

    def pose(self, q: np.ndarray) -> np.ndarray:
        """The numbers of manikin in Pinocchio's order. (..., nq)."""
        return np.ascontiguousarray(q[..., self.columns])

    def placements(self, q: np.ndarray) -> np.ndarray:
        """(S, 4, 4), for a check."""
        self.pin.forwardKinematics(self.model, self.data, q)
        return np.array([(self.data.oMi[j] * place).homogeneous for j, place in self.of_segment])
