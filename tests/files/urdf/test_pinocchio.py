"""URDF files read and written against Pinocchio: every frame, the centre of mass, Jacobians, masses and limits."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given, settings
from needs import real_files
from strategies import random_figure, random_pose, rngs

import manikin as mk
from manikin import rotations
from manikin.figure import Figure
from manikin.files import urdf

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is not installed; it is the judge here")

pytestmark = pytest.mark.filterwarnings("ignore::manikin.errors.OddFile")  # real files are odd
NO_ROBOTS = "example-robot-data is not installed"
ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
NOT_TO_BE_USED = ("tiago", "alex")  # their licence forbids it
TOLERANCE = 1e-9
SAMPLES = mk.samples.all()
SAMPLES["long_chain"] = (mk.samples.long_chain(40), mk.samples.long_chain(40).rest)  # with 200, Pinocchio takes seconds


def _robots() -> list[Any]:
    found = [p for p in sorted(ROBOTS.rglob("*.urdf")) if not p.relative_to(ROBOTS).parts[0].startswith(NOT_TO_BE_USED)]
    found = [p for p in found if p.name != "ur3.urdf"]  # a robot without links, see test_urdf_bad
    if not found:
        return [pytest.param(None, marks=pytest.mark.skip(reason=NO_ROBOTS))]
    return [pytest.param(p, id=f"{p.relative_to(ROBOTS).parts[0]}-{p.stem}") for p in found]


class Judge:
    """Pinocchio's model of a file, evaluated in manikin's coordinates."""

    def __init__(self, figure: Figure, path: Path, root: str = "fixed") -> None:
        self.figure = figure
        if root == "free":
            self.model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer(), "root")
        else:
            self.model = pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()
        self.joints = {s.joint.name: s.joint for s in figure.segments}

    def pose(self, q: Any) -> Any:
        """Pinocchio's numbers of a pose: xyz and xyzw for a free joint, cosine and sine for a continuous one."""
        out = pin.neutral(self.model)
        for i in range(1, self.model.njoints):
            joint, name = self.model.joints[i], self.model.names[i]
            x = q[self.figure.index_of(name) :][: self.joints[name].nq]
            at = joint.idx_q
            if joint.nq == 7:
                out[at : at + 7] = [*x[:3], *x[4:7], x[3]]
            elif joint.nq == 4:  # planar
                out[at : at + 4] = [x[0], x[1], np.cos(x[2]), np.sin(x[2])]
            elif joint.nq == 2:
                out[at : at + 2] = np.cos(x[0]), np.sin(x[0])
            else:
                assert joint.nq == 1
                out[at] = x[0]
        return out

    def columns(self, J: Any, q: Any) -> Any:
        """A Jacobian (m, Pinocchio's nv) by manikin's steps (m, nv).

        Pinocchio's free and planar joints move along the axes of the moved segment, ours along those of the joint; a
        coupled joint's column belongs to its leader.
        """
        J = np.reshape(J, (-1, self.model.nv))  # with one column, Pinocchio gives a vector
        out = np.zeros((len(J), self.figure.nv))
        for i in range(1, self.model.njoints):
            joint, name = self.model.joints[i], self.model.names[i]
            block = J[:, joint.idx_v : joint.idx_v + joint.nv].copy()
            at = self.figure.index_of(name)
            if joint.nq == 7:
                block[:, :3] = block[:, :3] @ rotations.to_matrix(q[at + 3 : at + 7]).T
            elif joint.nq == 4:
                c, s = np.cos(q[at + 2]), np.sin(q[at + 2])
                block[:, :2] = block[:, :2] @ np.array([[c, s], [-s, c]])
            ratio, leader = 1.0, self.joints[name]
            while leader.coupling is not None:
                ratio, leader = ratio * leader.coupling.ratio, self.joints[leader.coupling.source]
            first = self.figure.step_of(leader.name)
            out[:, first : first + joint.nv] += ratio * block
        return out

    def frames(self, q: Any) -> list[tuple[str, Any]]:
        """The world placement of every frame, of links and of joints, with the segment that should be there too."""
        pin.framesForwardKinematics(self.model, self.data, self.pose(q))
        by_joint = {s.joint.name: s.name for s in self.figure.segments}
        out = []
        for k, frame in enumerate(self.model.frames):
            body = frame.type == pin.FrameType.BODY
            if k == 0 or (body and frame.name not in self.figure.segment_names):  # universe, or our world
                continue
            name = frame.name if body else by_joint.get(frame.name)
            if name is not None:
                out.append((name, self.data.oMf[k].homogeneous))
        return out

    def center_of_mass(self, q: Any) -> tuple[Any, Any]:
        """The centre of mass and its Jacobian. Pinocchio leaves out what is fixed to the world; we do not."""
        fixed = self.model.inertias[0]
        J = pin.jacobianCenterOfMass(self.model, self.data, self.pose(q))
        moving = self.data.mass[0]
        total = moving + fixed.mass
        moved = moving * self.data.com[0] if moving > 0.0 else np.zeros(3)
        return (moved + fixed.mass * fixed.lever) / total, self.columns(J, q) * moving / total


def assert_agree(figure: Figure, path: Path, poses: Any, root: str = "fixed", jacobians: int = 1) -> None:
    judge = Judge(figure, path, root)
    for k, q in enumerate(poses):
        placements = figure.placements(q)
        frames = judge.frames(q)
        assert {name for name, _ in frames} >= set(figure.segment_names)
        scale = max(figure.size, float(np.abs(placements[:, :3, 3]).max()))
        for name, theirs in frames:
            ours = placements[figure.segment_index(name)]
            assert_close(ours[:3, :3], theirs[:3, :3], tol=TOLERANCE)
            assert_close(ours[:3, 3], theirs[:3, 3], scale, TOLERANCE)
        if figure.mass > 0.0 and judge.model.nv > 0:
            center, J = judge.center_of_mass(q)
            assert_close(figure.center_of_mass(q), center, scale, TOLERANCE)
            assert_close(figure.com_jacobian(q), J, max(scale, 1.0), TOLERANCE)
        if k >= jacobians or judge.model.nv == 0:
            continue
        pin.computeJointJacobians(judge.model, judge.data, judge.pose(q))
        for name in figure.segment_names:
            frame = judge.model.getFrameId(name, pin.FrameType.BODY)
            J = pin.getFrameJacobian(judge.model, judge.data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            assert_close(figure.jacobian(q, name), judge.columns(J, q), max(scale, 1.0), TOLERANCE)


def assert_same_masses(figure: Figure, path: Path) -> None:
    """Pinocchio puts together what fixed joints hold together, so the sums are compared, joint by joint."""
    model = Judge(figure, path).model
    sums = np.zeros((len(model.inertias), 4, 4))
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY:
            s = figure.segment(frame.name)
            xx, xy, xz, yy, yz, zz = s.inertia or np.zeros(6)
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            R, p = frame.placement.rotation, frame.placement.translation
            sums[frame.parentJoint] += _moments(s.mass, R @ s.center + p, R @ inertia @ R.T)
    for ours, sum_there in zip(sums, model.inertias, strict=True):
        center = sum_there.lever if sum_there.mass > 0.0 else np.zeros(3)
        theirs = _moments(sum_there.mass, center, sum_there.inertia)
        assert_close(ours, theirs, max(1.0, np.abs(theirs).max()), TOLERANCE)


def _moments(mass: float, center: Any, inertia: Any) -> Any:
    """(4, 4): mass, mass times centre, and the inertia about the origin."""
    out = np.zeros((4, 4))
    out[0, 0], out[0, 1:] = mass, mass * center
    out[1:, 1:] = inertia + mass * ((center @ center) * np.eye(3) - np.outer(center, center))
    return out


def free_poses(figure: Figure, rng: np.random.Generator, count: int) -> Any:
    """Random poses in which the free root has moved too."""
    poses = figure.random(rng, count)
    at = figure.index_of("root")
    poses[:, at : at + 3] = rng.normal(size=(count, 3))
    poses[:, at + 3 : at + 7] = rotations.normalized(rng.normal(size=(count, 4)))
    return poses


@pytest.mark.parametrize("path", [*real_files("urdf/*.urdf"), *_robots()])
def test_a_real_file_agrees_with_pinocchio(path: Path) -> None:
    figure = mk.load_figure(path)
    assert_agree(figure, path, figure.random(np.random.default_rng(1), 3))
    assert_same_masses(figure, path)


@pytest.mark.parametrize("path", [*real_files("urdf/*.urdf"), *_robots()])
def test_limits_and_speeds_of_a_real_file_are_those_of_pinocchio(path: Path) -> None:
    figure = mk.load_figure(path)
    model = Judge(figure, path).model
    lifted = " ".join(figure.source["notes"])
    for s in figure.segments:
        if s.joint.kind not in ("hinge", "slider") or f"follower {s.joint.name!r}" in lifted:
            continue
        motion: Any = s.joint.motions[0]
        joint = model.joints[model.getJointId(s.joint.name)]
        if joint.nq == 1:
            theirs = model.lowerPositionLimit[joint.idx_q], model.upperPositionLimit[joint.idx_q]
            for ours, limit in zip(motion.limits, theirs, strict=True):
                assert ours == (np.sign(limit) * np.inf if abs(limit) >= 1e9 else limit)
        else:
            assert motion.limits == (-np.inf, np.inf)
        speed = model.velocityLimit[joint.idx_v]
        assert motion.speed == (speed if 0.0 < speed < 1e9 else np.inf)


@pytest.mark.parametrize("path", [*real_files("urdf/*.urdf"), *_robots()])
def test_a_real_file_with_a_free_root_agrees_with_pinocchio(path: Path) -> None:
    figure = mk.load_figure(path, root="free")
    assert figure.segments[0].joint.kind == "free"
    assert_agree(figure, path, free_poses(figure, np.random.default_rng(2), 2), root="free")


@pytest.mark.parametrize("path", [*real_files("urdf/*.urdf"), *_robots()])
def test_a_real_file_written_again_is_read_by_pinocchio_and_gives_the_same_figure(path: Path, tmp_path: Path) -> None:
    figure = mk.load_figure(path)
    mk.save(figure, tmp_path / "again.urdf")
    again = mk.load_figure(tmp_path / "again.urdf")
    assert again == figure
    assert_agree(again, tmp_path / "again.urdf", figure.random(np.random.default_rng(3), 1), jacobians=0)
    mk.save(again, tmp_path / "third.urdf")
    assert (tmp_path / "third.urdf").read_bytes() == (tmp_path / "again.urdf").read_bytes()


@pytest.mark.parametrize("path", real_files("urdf/*.urdf"))
def test_a_real_file_saved_with_a_free_root_comes_back_free(path: Path, tmp_path: Path) -> None:
    figure = mk.load_figure(path, root="free")
    mk.save(figure, tmp_path / "free.urdf")
    assert mk.load_figure(tmp_path / "free.urdf") == figure
    assert mk.load_figure(tmp_path / "free.urdf", root="free") == figure
    assert_agree(figure, tmp_path / "free.urdf", free_poses(figure, np.random.default_rng(4), 1), jacobians=0)


def _figures() -> list[Any]:
    built = {
        "human": mk.human,
        "quadruped": mk.quadruped,
        "chain": lambda: mk.chain([1.0, 0.7, 0.4]),
        "planar_chain": lambda: mk.chain(5, planar=True),
        "ball_chain": lambda: mk.chain(4, mk.Ball()),
        "tree": lambda: mk.tree([-1, 0, 0, 1, 1, 2]),
        "two_trees": lambda: mk.tree([-1, -1, 0, 1], joint=mk.Ball(mk.SwingTwist((1, 0, 0), (0.9, 1.4), (-1, 2)))),
    }
    return [pytest.param(make, id=name) for name, make in built.items()]


@pytest.mark.parametrize("make", _figures())
def test_a_written_figure_is_read_by_pinocchio_and_agrees(make: Any, tmp_path: Path) -> None:
    figure = make()
    mk.save(figure, tmp_path / "written.urdf")
    expansion = urdf.expanded(figure)
    again = mk.load_figure(tmp_path / "written.urdf")
    rng = np.random.default_rng(5)
    poses = np.stack([random_pose(figure, rng, inside=True) for _ in range(3)])
    spread = expansion.pose(poses)
    assert_agree(again, tmp_path / "written.urdf", spread)
    # The same pose puts the same segments in the same places: in the figure, and in what Pinocchio made of the file.
    frames = Judge(again, tmp_path / "written.urdf").frames(spread[0])
    ours = figure.placements(poses[0])
    for name, theirs in frames:
        if name in figure.segment_names:
            assert_close(ours[figure.segment_index(name)], theirs, max(figure.size, 1.0), TOLERANCE)
    assert figure.mass == pytest.approx(pin.computeTotalMass(Judge(again, tmp_path / "written.urdf").model))


@pytest.mark.parametrize("name", list(SAMPLES))
def test_a_sample_written_agrees_with_pinocchio_at_its_bad_place(name: str, tmp_path: Path) -> None:
    figure, q = SAMPLES[name]
    path = tmp_path / f"{name}.urdf"
    mk.save(figure, path)
    spread = urdf.expanded(figure).pose(q)
    again = mk.load_figure(path)
    assert_agree(again, path, [spread])
    ours, theirs = figure.placements(q), again.placements(spread, figure.segment_names)
    assert_close(ours[:, :3, :3], theirs[:, :3, :3], tol=1e-12)
    assert_close(ours[:, :3, 3], theirs[:, :3, 3], max(figure.size, np.abs(ours[:, :3, 3]).max()), 1e-12)


@settings(max_examples=25)
@given(rng=rngs())
def test_a_random_figure_written_is_read_by_pinocchio_and_agrees(
    rng: np.random.Generator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    figure = random_figure(rng)
    figure = (figure if figure.unit is not None else figure.replaced(unit=1.0)).in_metres()
    path = tmp_path_factory.mktemp("urdf") / "random.urdf"
    mk.save(figure, path)
    expansion = urdf.expanded(figure)
    q = random_pose(figure, rng, inside=True)
    judge = Judge(mk.load_figure(path), path)
    ours = figure.placements(q)
    scale = max(figure.size, float(np.abs(ours[:, :3, 3]).max()))
    frames = judge.frames(expansion.pose(q))
    for name, theirs in frames:
        if name in figure.segment_names:
            at = ours[figure.segment_index(name)]
            assert_close(at[:3, :3], theirs[:3, :3], tol=TOLERANCE)
            assert_close(at[:3, 3], theirs[:3, 3], scale, TOLERANCE)
    assert {name for name, _ in frames} >= set(figure.segment_names)


def test_planar_and_floating_joints_move_as_in_pinocchio(tmp_path: Path) -> None:
    path = tmp_path / "planar.urdf"
    path.write_text(
        """<robot name="slider">
             <link name="base"/>
             <joint name="floor" type="planar">
               <parent link="base"/> <child link="cart"/> <axis xyz="0 0 1"/> <origin xyz="1 2 3" rpy="0.3 -0.2 0.1"/>
             </joint>
             <link name="cart"> <inertial> <mass value="2"/> <origin xyz="0.1 0 0"/>
               <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/> </inertial> </link>
             <joint name="drone" type="floating">
               <parent link="cart"/> <child link="body"/> <origin xyz="0 0 1" rpy="1 2 3"/>
             </joint>
             <link name="body"> <inertial> <mass value="1"/> <origin xyz="0 0.2 0"/>
               <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/> </inertial> </link>
           </robot>"""
    )
    figure = mk.load_figure(path)
    q = figure.pose({"floor": (0.4, -0.7, 2.0), "drone": (1, 2, 3, *rotations.normalized(np.array([1.0, 2, 3, 4])))})
    assert_agree(figure, path, [q])


def test_the_shapes_of_the_written_person_stand_where_pinocchio_finds_them(tmp_path: Path) -> None:
    figure = mk.human()
    path = tmp_path / "human.urdf"
    mk.save(figure, path)
    model = pin.buildModelFromUrdf(str(path))
    solids = pin.buildGeomFromUrdf(model, str(path), pin.GeometryType.COLLISION)
    data, found = model.createData(), solids.createData()
    judge = Judge(mk.load_figure(path), path)
    q = figure.random(np.random.default_rng(6))
    pin.updateGeometryPlacements(model, data, solids, found, judge.pose(urdf.expanded(figure).pose(q)))
    placements = figure.placements(q)
    balls: dict[str, list[tuple[Any, float]]] = {}
    for solid, at in zip(solids.geometryObjects, found.oMg, strict=True):
        if type(solid.geometry).__name__ == "Sphere":
            name = model.frames[solid.parentFrame].name
            balls.setdefault(name, []).append((at.translation, solid.geometry.radius))
    for s in figure.segments:
        # A capsule is written as a cylinder and a ball at each end.
        ends = [
            (end, shape.radius)
            for shape in s.shapes
            if isinstance(shape, mk.Capsule)
            for end in (shape.start, shape.end)
        ]
        R, p = placements[figure.segment_index(s.name), :3, :3], placements[figure.segment_index(s.name), :3, 3]
        theirs = balls.pop(s.name, [])
        assert len(theirs) == len(ends) + sum(isinstance(shape, mk.Sphere) for shape in s.shapes)
        for end, radius in ends:
            assert any(np.allclose(at, R @ end + p, atol=TOLERANCE) and r == radius for at, r in theirs), (s.name, end)
    assert not balls
    assert any(isinstance(shape, mk.Capsule) for s in figure.segments for shape in s.shapes)
