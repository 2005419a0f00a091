"""MuJoCo as the judge of MJCF files: its own reading of a file, in manikin's coordinates."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manikin.figure import Figure

mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is not installed; it is the judge here")

TETRAHEDRON = 0.1 * np.array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.0])
FACES = np.array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])


def model_of(path: Path) -> Any:
    """MuJoCo's model of a file, with a tetrahedron for each mesh where meshes are not there."""
    with quiet():
        return _model_of(path)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """MuJoCo writes its warnings into the folder of whoever runs the tests; not so in here."""
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(None)


def _model_of(path: Path) -> Any:
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        if "Error opening file" not in str(error):
            raise
    spec = mujoco.MjSpec.from_file(str(path))
    for mesh in spec.meshes:
        mesh.name = mesh.name or Path(mesh.file).stem
        mesh.file, mesh.uservert, mesh.userface = "", TETRAHEDRON, FACES
    for texture in list(spec.textures):
        texture.file, texture.builtin = "", mujoco.mjtBuiltin.mjBUILTIN_FLAT
        texture.width = texture.height = 1
    for skin in list(spec.skins):
        spec.delete(skin)
    return spec.compile()


class Judge:
    """A model and its state."""

    def __init__(self, model: Any) -> None:
        self.model, self.data = model, mujoco.MjData(model)

    @classmethod
    def of_text(cls, text: str) -> Judge:
        with quiet():
            return cls(mujoco.MjModel.from_xml_string(text))

    def pose(self, q: Any) -> None:
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    @property
    def bodies(self) -> list[str]:
        return [self.model.body(i).name for i in range(self.model.nbody)]

    @property
    def joints(self) -> list[str]:
        return [self.model.joint(i).name for i in range(self.model.njnt)]

    def worst(self, figure: Figure, q: Any) -> float:
        """How far any body or site is from where the figure has it at a pose; turns count as lengths of one metre."""
        self.pose(q)
        placed, m, d = figure.placements(q), self.model, self.data
        far = 0.0
        named = [(m.body(i).name, d.xpos[i], d.xmat[i]) for i in range(m.nbody) if m.body(i).name]
        sites = [i for i in range(m.nsite) if m.site(i).name]
        assert len(sites) == len(figure.source["sites"])
        named += [(name, d.site_xpos[i], d.site_xmat[i]) for name, i in zip(figure.source["sites"], sites, strict=True)]
        for name, pos, mat in named:
            T = placed[figure.segment_index(name)]
            far = max(far, float(np.abs(T[:3, 3] - pos).max()), float(np.abs(T[:3, :3].ravel() - mat).max()))
        return far

    def center(self, q: Any) -> Any:
        """(3,) the centre of mass of all."""
        self.pose(q)
        return np.array(self.data.subtree_com[0])

    def gaps(self, q: Any) -> dict[int, Any]:
        """What each equality that MuJoCo keeps lacks at a pose, by number: (3,) for a connect, (6,) for a weld."""
        self.data.qpos[:] = q
        with quiet():
            mujoco.mj_forward(self.model, self.data)
        d, kind = self.data, int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
        rows = [k for k in range(d.nefc) if d.efc_type[k] == kind]
        ids = sorted({int(d.efc_id[k]) for k in rows})
        return {e: np.array([d.efc_pos[k] for k in rows if d.efc_id[k] == e]) for e in ids}

    def rigid(self, equality: int) -> bool:
        """Whether an equality is between bodies that do not move against each other."""
        m = self.model
        ends = [int(m.eq_obj1id[equality]), int(m.eq_obj2id[equality])]
        if int(m.eq_objtype[equality]) == int(mujoco.mjtObj.mjOBJ_SITE):
            ends = [int(m.site_bodyid[e]) for e in ends]
        return bool(m.body_weldid[ends[0]] == m.body_weldid[ends[1]])
