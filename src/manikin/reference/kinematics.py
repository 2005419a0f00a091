"""Placements, Jacobians, centre of mass and their derivatives: the NumPy twin of the native `Kinematics`.

Every method takes poses (B, nq) and returns arrays with the same leading axis. `threads` exists for the native twin and
has no effect here. Step number k moves a point x of a segment below its node (world axis a, node origin c) with the
velocity

    turn:   a × (x − c), and the segment turns with a
    slide:  a,           and the segment does not turn
    ball:   as three turns about the axes of the *moved* node (the columns of its world rotation)

and zero for segments that are not below the node.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from manikin import rotations
from manikin.arrays import Indices, Matrix, Placements, Points, Steps, Vector
from manikin.reference.tree import BALL, FIXED, SLIDE, Tree, ancestors, follow, world_nodes


class Kinematics:
    """Kinematics of a tree of nodes. It has the same methods as the native `manikin._core.Kinematics`."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._path = [ancestors(tree, int(node)) for node in tree.segment]

    def placements(
        self, q: Matrix, segments: Indices | None = None, out: Placements | None = None, threads: int = 1
    ) -> Placements:
        """World placements (B, S, 4, 4), of all segments or of the chosen ones."""
        R, p = world_nodes(self.tree, q)
        nodes = self.tree.segment if segments is None else self.tree.segment[segments]
        out = np.empty((len(q), len(nodes), 4, 4)) if out is None else out
        out[:] = 0.0
        out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = R[:, nodes], p[:, nodes], 1.0
        return out

    def jacobian(self, q: Matrix, segment: int, point: Vector, threads: int = 1) -> Matrix:
        """(B, 6, nv): linear then angular velocity, in world axes, of a point fixed on a segment, per step."""
        R, p = world_nodes(self.tree, q)
        node = self.tree.segment[segment]
        x = p[:, node] + R[:, node] @ point
        J = np.zeros((len(q), 6, self.tree.nv))
        for i in self._path[segment]:
            for k, axis, turns in self._columns(i, R):
                if turns:
                    J[:, :3, k] += self.tree.ratio[i] * np.cross(axis, x - p[:, i])
                    J[:, 3:, k] += self.tree.ratio[i] * axis
                else:
                    J[:, :3, k] += self.tree.ratio[i] * axis
        return J

    def center_of_mass(self, q: Matrix, threads: int = 1) -> Points:
        """(B, 3): Σ mᵢ xᵢ / Σ mᵢ over the segments."""
        R, p = world_nodes(self.tree, q)
        nodes = self.tree.segment
        centers = p[:, nodes] + np.einsum("bsij,sj->bsi", R[:, nodes], self.tree.center)
        mean: Points = np.einsum("s,bsi->bi", self.tree.mass / self.tree.mass.sum(), centers)
        return mean

    def com_jacobian(self, q: Matrix, threads: int = 1) -> Matrix:
        """(B, 3, nv): the mean of the Jacobians of the segments' centres of mass, weighted by mass."""
        J = np.zeros((len(q), 3, self.tree.nv))
        for s, mass in enumerate(self.tree.mass):
            if mass > 0.0:
                J += mass / self.tree.mass.sum() * self.jacobian(q, s, self.tree.center[s])[:, :3]
        return J

    def jvp(self, q: Matrix, v: Steps, threads: int = 1) -> Placements:
        """(B, S, 4, 4): the derivative of all placements along the steps v of shape (B, nv)."""
        R, p = world_nodes(self.tree, q)
        angular, linear = np.zeros_like(p), np.zeros_like(p)
        for i in range(len(self.tree.parent)):
            parent = self.tree.parent[i]
            if parent >= 0:
                angular[:, i] = angular[:, parent]
                linear[:, i] = linear[:, parent] + np.cross(angular[:, parent], p[:, i] - p[:, parent])
            for k, axis, turns in self._columns(i, R):
                (angular if turns else linear)[:, i] += self.tree.ratio[i] * v[:, k, None] * axis
        nodes = self.tree.segment
        out = np.zeros((len(q), len(nodes), 4, 4))
        out[..., :3, :3] = rotations.cross_matrix(angular[:, nodes]) @ R[:, nodes]
        out[..., :3, 3] = linear[:, nodes]
        return out

    def vjp(self, q: Matrix, cotangent: Placements, threads: int = 1) -> Steps:
        """(B, nv): the transpose of `jvp` applied to cotangents (B, S, 4, 4).

        A cotangent G of the rotation and g of the origin act on the segment like the torque Σ_c R_c × G_c (over the
        columns) and the force g; wrenches are summed from the tips to the root.
        """
        R, p = world_nodes(self.tree, q)
        torque, force = np.zeros_like(p), np.zeros_like(p)
        for s, node in enumerate(self.tree.segment):
            G = cotangent[:, s, :3, :3]
            torque[:, node] += np.cross(R[:, node], G, axis=1).sum(axis=2)
            force[:, node] += cotangent[:, s, :3, 3]
        out = np.zeros((len(q), self.tree.nv))
        for i in reversed(range(len(self.tree.parent))):
            for k, axis, turns in self._columns(i, R):
                out[:, k] += self.tree.ratio[i] * np.einsum("bi,bi->b", axis, torque[:, i] if turns else force[:, i])
            parent = self.tree.parent[i]
            if parent >= 0:
                torque[:, parent] += torque[:, i] + np.cross(p[:, i] - p[:, parent], force[:, i])
                force[:, parent] += force[:, i]
        return out

    def integrate(self, q: Matrix, v: Steps) -> Matrix:
        """(B, nq): numbers add, a ball becomes q ⊗ exp(v/2), coupled numbers follow their source."""
        tree, out = self.tree, q.copy()
        for i in range(len(tree.parent)):
            n, k = tree.number[i], tree.step[i]
            if tree.kind[i] == BALL:
                turned = rotations.multiply(q[:, n : n + 4], rotations.from_rotation_vector(v[:, k : k + 3]))
                out[:, n : n + 4] = rotations.normalized(turned)
            elif tree.kind[i] != FIXED and tree.source[i] < 0:
                out[:, n] = q[:, n] + v[:, k]
        return follow(tree, out)

    def difference(self, q0: Matrix, q1: Matrix) -> Steps:
        """(B, nv): the v with integrate(q0, v) = q1, along the shorter arc for balls. Coupled numbers are left out."""
        tree = self.tree
        out = np.zeros((len(q0), tree.nv))
        for i in range(len(tree.parent)):
            n, k = tree.number[i], tree.step[i]
            if tree.kind[i] == BALL:
                turn = rotations.multiply(rotations.inverse(q0[:, n : n + 4]), q1[:, n : n + 4])
                out[:, k : k + 3] = rotations.to_rotation_vector(turn)
            elif tree.kind[i] != FIXED and tree.source[i] < 0:
                out[:, k] = q1[:, n] - q0[:, n]
        return out

    def _columns(self, i: int, R: Matrix) -> Iterator[tuple[int, Points, bool]]:
        """(step, world axis (B, 3), whether it rotates) of each step of node i."""
        kind, k = self.tree.kind[i], int(self.tree.step[i])
        if kind == BALL:
            for c in range(3):
                yield k + c, R[:, i, :, c], True
        elif kind != FIXED:
            yield k, R[:, i] @ self.tree.axis[i], kind != SLIDE
