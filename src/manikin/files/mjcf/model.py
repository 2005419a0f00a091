"""A compiled MuJoCo model as plain records, with only the data that a figure needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Vector
from manikin.base.names import native
from manikin.errors import BadFile
from manikin.files.mjcf.meshes import COLLIDES

JOINTS = ("free", "ball", "slide", "hinge")
"""Kinds of joints, in the order of MuJoCo's numbers."""
GEOMS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
"""Kinds of geoms, in the order of MuJoCo's numbers."""


@dataclass(frozen=True)
class BodyRecord:
    """A body of the model, in metres and kilograms."""

    name: str
    """Empty if it has none."""
    parent: int
    """Index of the parent. The world has index 0 and is its own parent."""
    pos: Vector
    """(3,) in the parent's space."""
    quat: Vector
    """(4,) wxyz, rotation to the parent's space."""
    joints: tuple[int, ...]
    mass: float
    center: Vector
    """(3,) in the body's space."""
    inertia: Matrix
    """(3, 3) about the centre of mass in the body's axes."""
    rigid_with: int
    """Index of the topmost body that it is rigidly attached to."""
    mocap: bool


@dataclass(frozen=True)
class JointRecord:
    """A joint of a body."""

    name: str
    kind: str
    """free, ball, slide, hinge."""
    body: int
    pos: Vector
    """(3,) the anchor in the body's space."""
    axis: Vector
    """(3,) in the body's space, length 1."""
    limits: tuple[float, float]
    """Infinite if there are none. For a ball, (0, largest rotation angle)."""
    reference: Vector
    """(nq,) its values in MuJoCo's reference pose."""


@dataclass(frozen=True)
class GeomRecord:
    """A geom of a body."""

    kind: str
    body: int
    pos: Vector
    quat: Vector
    size: Vector
    """(3,) in MuJoCo's form: radius; radius and half length; half edges."""
    collides: bool
    points: Points
    """(n, 3) points of a mesh in the geom's space; empty for other kinds."""


@dataclass(frozen=True)
class SiteRecord:
    """A site on a body."""

    name: str
    body: int
    pos: Vector
    quat: Vector


@dataclass(frozen=True)
class EqualityRecord:
    """A connect, a weld, or a polynomial between two joints."""

    name: str
    kind: str
    """connect, weld, joint."""
    sites: bool
    """Whether it refers to sites instead of bodies."""
    first: int
    second: int
    """Index of the second body, site or joint; −1 for a joint without a leader."""
    data: Vector
    active: bool


@dataclass(frozen=True)
class Model:
    """The records of a model."""

    bodies: tuple[BodyRecord, ...]
    joints: tuple[JointRecord, ...]
    geoms: tuple[GeomRecord, ...]
    sites: tuple[SiteRecord, ...]
    equalities: tuple[EqualityRecord, ...]
    nq: int


def records(mujoco: Any, m: Any, least: float, path: str) -> Model:
    """The records of a compiled model.

    Args:
        mujoco: the module.
        m: an MjModel.
        least: the mass that MuJoCo assigned to a body without mass, in kg.
        path: for messages.

    Raises:
        BadFile: a number is not finite. Finite numbers of the file may overflow when combined.
    """
    kinds = mujoco.mjtObj

    def name(kind: Any, index: int) -> str:
        return native(mujoco.mj_id2name(m, kind, index) or "")

    model = Model(
        bodies=tuple(_body(m, i, name(kinds.mjOBJ_BODY, i), least) for i in range(m.nbody)),
        joints=tuple(_joint(m, j, name(kinds.mjOBJ_JOINT, j)) for j in range(m.njnt)),
        geoms=tuple(_geom(m, g) for g in range(m.ngeom)),
        sites=tuple(
            SiteRecord(name(kinds.mjOBJ_SITE, s), int(m.site_bodyid[s]), _copy(m.site_pos[s]), _copy(m.site_quat[s]))
            for s in range(m.nsite)
        ),
        equalities=tuple(_equality(mujoco, m, e, name(kinds.mjOBJ_EQUALITY, e)) for e in range(m.neq)),
        nq=int(m.nq),
    )
    for things in (model.bodies, model.joints, model.geoms, model.sites, model.equalities):
        for thing in things:
            _check_finite(thing, path)
    return model


def _copy(values: Any) -> Vector:
    return np.array(values, dtype=np.float64)


def _body(m: Any, i: int, name: str, least: float) -> BodyRecord:
    R = rotations.to_matrix(_copy(m.body_iquat[i]))
    weighs = float(m.body_mass[i]) > least * (1.0 + 1e-6)
    first = int(m.body_jntadr[i])
    return BodyRecord(
        name=name,
        parent=int(m.body_parentid[i]),
        pos=_copy(m.body_pos[i]),
        quat=_copy(m.body_quat[i]),
        joints=tuple(range(first, first + int(m.body_jntnum[i]))),
        mass=float(m.body_mass[i]) if weighs else 0.0,
        center=_copy(m.body_ipos[i]) if weighs else np.zeros(3),
        inertia=R @ np.diag(m.body_inertia[i]) @ R.T if weighs else np.zeros((3, 3)),
        rigid_with=int(m.body_weldid[i]),
        mocap=int(m.body_mocapid[i]) >= 0,
    )


def _joint(m: Any, j: int, name: str) -> JointRecord:
    kind, first = JOINTS[int(m.jnt_type[j])], int(m.jnt_qposadr[j])
    low, high = (float(x) for x in m.jnt_range[j]) if m.jnt_limited[j] else (-np.inf, np.inf)
    count = {"free": 7, "ball": 4}.get(kind, 1)
    return JointRecord(
        name=name,
        kind=kind,
        body=int(m.jnt_bodyid[j]),
        pos=_copy(m.jnt_pos[j]),
        axis=_copy(m.jnt_axis[j]),
        limits=(low, high),
        reference=_copy(m.qpos0[first : first + count]),
    )


def _geom(m: Any, g: int) -> GeomRecord:
    number = int(m.geom_type[g])
    return GeomRecord(
        kind=GEOMS[number] if number < len(GEOMS) else "other",
        body=int(m.geom_bodyid[g]),
        pos=_copy(m.geom_pos[g]),
        quat=_copy(m.geom_quat[g]),
        size=_copy(m.geom_size[g]),
        collides=bool(m.geom_contype[g] or m.geom_conaffinity[g] or _collides(m, g)),
        points=_mesh_points(m, g),
    )


def _collides(m: Any, g: int) -> bool:
    """Whether a geom is a mesh that collides in the file (`meshes.Meshes.settle`)."""
    return int(m.geom_type[g]) == GEOMS.index("mesh") and int(m.geom_priority[g]) == int(COLLIDES)


def _mesh_points(m: Any, g: int) -> Points:
    """The points of a geom's mesh. MuJoCo moves and rotates both mesh and geom so that the combination matches the
    file."""
    mesh = int(m.geom_dataid[g])
    if GEOMS.index("mesh") != int(m.geom_type[g]) or mesh < 0:
        return np.zeros((0, 3))
    first = int(m.mesh_vertadr[mesh])
    return _copy(m.mesh_vert[first : first + int(m.mesh_vertnum[mesh])])


def _equality(mujoco: Any, m: Any, e: int, name: str) -> EqualityRecord:
    kinds = mujoco.mjtEq
    names = {int(kinds.mjEQ_CONNECT): "connect", int(kinds.mjEQ_WELD): "weld", int(kinds.mjEQ_JOINT): "joint"}
    objects = getattr(m, "eq_objtype", None)  # older versions only have bodies
    return EqualityRecord(
        name=name,
        kind=names[int(m.eq_type[e])],
        sites=objects is not None and int(objects[e]) == int(mujoco.mjtObj.mjOBJ_SITE),
        first=int(m.eq_obj1id[e]),
        second=int(m.eq_obj2id[e]),
        data=_copy(m.eq_data[e]),
        active=bool(m.eq_active0[e]),
    )


def _check_finite(record: Any, path: str) -> None:
    for key, value in vars(record).items():
        if isinstance(value, (float, np.ndarray)) and not np.isfinite(value).all():
            what = type(record).__name__.removesuffix("Record").lower()
            raise BadFile(path, f"{what} {getattr(record, 'name', '')!r}: {key} is not finite")
