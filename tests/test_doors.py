"""Input that every function with array arguments rejects: tensors whose gradient would be lost, and masked arrays."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
from typing import Any

import numpy as np
import pytest
from checks import assert_refused

import manikin as mk
from manikin import _core, rotations
from manikin.errors import BadShape, BadValue
from manikin.solvers.native.solver import Solver

FIGURE = mk.human()
REST = np.array(FIGURE.rest)
STEP = np.zeros(FIGURE.nv)
POINT = np.array([0.3, 1.2, 0.2])
TURN = np.array([1.0, 0.0, 0.0, 0.0])
PLACEMENT = np.eye(4)
SOLVER = mk.Solver(FIGURE, [mk.Position("RightHand", POINT), mk.Posture(REST)])
ROW = np.array(SOLVER.targets)
ARM = mk.Solver(mk.chain(3, planar=True), mk.Position("Tip", (1.0, 1.0), axes="xy"))
J, DX = np.eye(2, 3), np.ones(2)


class Tensor:
    """As much of a tensor as NumPy and manikin see of one; it shares its memory and hides nothing but a gradient."""

    def __init__(self, values, requires_grad=True):
        self.values, self.requires_grad = np.array(values, dtype=np.float64), requires_grad

    def detach(self):
        return Tensor(self.values, requires_grad=False)

    def numpy(self):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.numpy(), dtype=dtype)

    def __dlpack__(self, **_):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()

    def __float__(self):
        return float(self.values)

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return (Tensor(value, self.requires_grad) for value in self.values)

    @property
    def shape(self):
        return self.values.shape

    @property
    def ndim(self):
        return self.values.ndim

    @property
    def dtype(self):
        return self.values.dtype


DOORS = {
    # poses
    "placements": (REST, FIGURE.placements),
    "placements of some": (REST, lambda x: FIGURE.placements(x, ["Hips"])),
    "placements of many": (np.stack([REST] * 2), FIGURE.placements),
    "jacobian": (REST, lambda x: FIGURE.jacobian(x, "Hips")),
    "jacobian, point": (POINT, lambda x: FIGURE.jacobian(REST, "Hips", x)),
    "center_of_mass": (REST, FIGURE.center_of_mass),
    "com_jacobian": (REST, FIGURE.com_jacobian),
    "jvp": (REST, lambda x: FIGURE.jvp(x, STEP)),
    "jvp, tangent": (STEP, lambda x: FIGURE.jvp(REST, x)),
    "vjp, cotangent": (FIGURE.placements(REST), lambda x: FIGURE.vjp(REST, x)),
    "violation": (REST, FIGURE.violation),
    "clamp": (REST, FIGURE.clamp),
    "check": (REST, FIGURE.check),
    "integrate": (REST, lambda x: FIGURE.integrate(x, STEP)),
    "integrate, step": (STEP, lambda x: FIGURE.integrate(REST, x)),
    "difference": (REST, lambda x: FIGURE.difference(REST, x)),
    # solving
    "solve, start": (REST, lambda x: mk.solve(FIGURE, SOLVER.goals[0], x)),
    "Solver.solve, start": (REST, SOLVER.solve),
    "Solver.solve, targets": (ROW, lambda x: SOLVER.solve(None, x)),
    "Solver.solve, of an arm": (np.zeros(3), ARM.solve),
    "Solver.solve, targets of an arm": (np.ones(2), lambda x: ARM.solve(None, x)),
    "solve_many, starts": (REST[None], SOLVER.solve_many),
    "solve_many, targets": (ROW[None], lambda x: SOLVER.solve_many(None, x)),
    "solve_many, weights": (np.ones(2), lambda x: SOLVER.solve_many(None, None, weights=x)),
    "solve_many, active": (np.ones(2), lambda x: SOLVER.solve_many(None, None, active=x)),
    "solve_many, budget": (np.array(1.0), lambda x: SOLVER.solve_many(None, None, budget=x)),
    "track, start": (REST, lambda x: SOLVER.track(x, ROW[None])),
    "track, targets": (ROW[None], lambda x: SOLVER.track(None, x)),
    "track, before": (ROW, lambda x: SOLVER.track(None, ROW[None], before=x)),
    "track, weights and before": (np.ones((1, 2)), lambda x: SOLVER.track(None, ROW[None], before=ROW, weights=x)),
    # goals
    "Position": (POINT, lambda x: mk.Position("Hips", x)),
    "Position, offset": (POINT, lambda x: mk.Position("Hips", POINT, offset=x)),
    "Position, weight": (np.array(1.0), lambda x: mk.Position("Hips", POINT, weight=x)),
    "Position, tolerance": (np.array(1.0), lambda x: mk.Position("Hips", POINT, tolerance=x)),
    "Position, with_target": (POINT, lambda x: mk.Position("Hips", POINT).with_target(x)),
    "Orientation": (TURN, lambda x: mk.Orientation("Hips", x)),
    "Placement": (PLACEMENT, lambda x: mk.Placement("Hips", x)),
    "Placement, seven numbers": (np.append(POINT, TURN), lambda x: mk.Placement("Hips", x)),
    "Placement, tolerances": (np.ones(2), lambda x: mk.Placement("Hips", PLACEMENT, tolerance=x)),
    "Aim": (POINT, lambda x: mk.Aim("Head", x)),
    "Aim, axis": (POINT, lambda x: mk.Aim("Head", POINT, axis=x)),
    "Plane": (POINT, lambda x: mk.Plane("Hips", x, (0, 1, 0))),
    "Line": (POINT, lambda x: mk.Line("Hips", x, (0, 1, 0))),
    "Distance": (np.array(1.0), lambda x: mk.Distance("Head", "Hips", x)),
    "Distance, from a point": (POINT, lambda x: mk.Distance("Head", x, 1.0)),
    "Distance, to_offset": (POINT, lambda x: mk.Distance("Head", "Hips", 1.0, to_offset=x)),
    "Relative": (PLACEMENT, lambda x: mk.Relative("Head", "Hips", x)),
    "Pole": (POINT, lambda x: mk.Pole("LeftForeArm", x)),
    "Posture": (REST, mk.Posture),
    "Posture, stiffness": (np.array(1.0), lambda x: mk.Posture(REST, stiffness={"Hips": x})),
    "Balance, margin": (np.array(0.1), lambda x: mk.Balance(["LeftFoot"], margin=x)),
    "Clearance": (np.array(0.1), mk.Clearance),
    "HalfSpace": (POINT, lambda x: mk.HalfSpace(x, (0, 1, 0))),
    # figures
    "Hinge, axis": (POINT, mk.Hinge),
    "Hinge, limits": (np.array([-1.0, 1.0]), lambda x: mk.Hinge(limits=x)),
    "SwingTwist, swing": (np.ones(2), lambda x: mk.SwingTwist(swing=x)),
    "SwingTwist, twist": (np.array([-1.0, 1.0]), lambda x: mk.SwingTwist(twist=x)),
    "Segment, offset": (POINT, lambda x: mk.Segment("A", offset=x)),
    "Segment, mass": (np.array(1.0), lambda x: mk.Segment("A", mass=x)),
    "Sphere": (POINT, lambda x: mk.Sphere(x, 1.0)),
    "Capsule": (POINT, lambda x: mk.Capsule(x, (0, 0, 0), 1.0)),
    "Box": (POINT, mk.Box),
    "chain": (np.ones(3), mk.chain),
    "scaled": (np.array(1.1), FIGURE.scaled),
    "pose": (np.array(0.1), lambda x: FIGURE.pose({"LeftForeArm": x})),
    # motion
    "Motion": (REST[None], lambda x: mk.Motion(FIGURE, x, [0.0])),
    "Motion, times": (np.array([0.0]), lambda x: mk.Motion(FIGURE, REST[None], x)),
    "path": (POINT, lambda x: mk.path(x, POINT, 3)),
    "Markers": (np.zeros((1, 1, 3)), lambda x: mk.Markers(["A"], x, rate=100.0)),
    # algebra
    "rotations.multiply": (TURN, lambda x: rotations.multiply(x, TURN)),
    "rotations.inverse": (TURN, rotations.inverse),
    "rotations.normalized": (TURN, rotations.normalized),
    "rotations.rotate": (POINT, lambda x: rotations.rotate(TURN, x)),
    "rotations.slerp": (np.array(0.5), lambda x: rotations.slerp(TURN, TURN, x)),
    "rotations.to_matrix": (TURN, rotations.to_matrix),
    "rotations.from_matrix": (np.eye(3), rotations.from_matrix),
    "rotations.from_euler": (POINT, lambda x: rotations.from_euler("xyz", x)),
    "rotations.from_axis_angle": (np.array(0.5), lambda x: rotations.from_axis_angle((1, 0, 0), x)),
    "rotations.from_rotation_vector": (POINT, rotations.from_rotation_vector),
    "linalg.pinv": (J, mk.linalg.pinv),
    "linalg.damped_step": (DX, lambda x: mk.linalg.damped_step(J, x, 0.1)),
    "linalg.bounded_step": (J, lambda x: mk.linalg.bounded_step(x, DX, 0.1, -1.0, 1.0)),
}
"""Good numbers, and what takes them."""


@pytest.mark.parametrize("door", DOORS)
def test_a_tensor_that_requires_a_gradient_is_refused_with_what_to_do(door):
    values, call = DOORS[door]
    with pytest.raises(BadValue, match=r"gradient.*tensor\.detach\(\)"):
        call(Tensor(values))


@pytest.mark.parametrize("door", [d for d, (values, _) in DOORS.items() if values.ndim])
def test_one_such_number_in_a_list_is_refused_too(door):
    values, call = DOORS[door]
    with pytest.raises(BadValue, match="is a tensor that requires a gradient"):
        call([Tensor(values[0]), *values[1:]])


@pytest.mark.parametrize("door", DOORS)
def test_a_masked_array_is_refused_even_where_nothing_is_masked(door):
    values, call = DOORS[door]
    for mask in (False, np.ones(values.shape, dtype=bool)):
        with pytest.raises(BadValue, match="is a masked array; pass one without a mask"):
            call(np.ma.masked_array(values, mask))


@pytest.mark.parametrize("door", DOORS)
def test_a_tensor_without_a_gradient_does_as_well_as_an_array(door):
    values, call = DOORS[door]
    call(values.copy())
    call(Tensor(values).detach())


def test_tensors_are_told_apart_alike_those_of_pytorch_too_where_it_is_installed():
    makers: list[Any] = [Tensor]
    if importlib.util.find_spec("torch"):
        torch = importlib.import_module("torch")
        makers.append(lambda values: torch.tensor(values, requires_grad=True))
    for (values, call), make in itertools.product(DOORS.values(), makers):
        tensor = make(values)
        with pytest.raises(BadValue, match="is a tensor that requires a gradient"):
            call(tensor)
        call(tensor.detach())


def test_arrays_are_told_from_masked_ones_where_numpy_is_unknown_too():
    try:
        assert not _core.use_array_api(False)
        for values, call in (DOORS["Solver.solve, start"], DOORS["Solver.solve, targets"]):
            call(values)
            with pytest.raises(BadValue, match="is a masked array"):
                call(np.ma.masked_array(values))
    finally:
        _core.use_array_api(True)


# out


ROWS = np.stack([ROW] * 3)
OUTS = {
    "placements": ((72, 4, 4), REST, lambda q, out: FIGURE.placements(q, out=out)),
    "placements of some": ((1, 4, 4), REST, lambda q, out: FIGURE.placements(q, ["Hips"], out=out)),
    "solve": ((FIGURE.nq,), REST, lambda q, out: SOLVER.solve(q, out=out, iterations=1).pose),
    "solve_many": ((3, FIGURE.nq), REST, lambda q, out: SOLVER.solve_many(q, ROWS, out=out, iterations=1).poses),
    "track": ((3, FIGURE.nq), REST, lambda q, out: SOLVER.track(q, ROWS, out=out, iterations=1).poses),
    "track, continued": (
        (3, FIGURE.nq),
        REST,
        lambda q, out: SOLVER.track(q, ROWS, before=ROW, out=out, iterations=1).poses,
    ),
}


@pytest.mark.parametrize("name", OUTS)
def test_out_takes_and_refuses_the_same_everywhere(name):
    shape, q, call = OUTS[name]
    out = np.zeros(shape)
    assert call(q, out) is out
    assert np.array_equal(out, call(q, None))
    read_only = np.zeros(shape)
    read_only.flags.writeable = False
    wrong = {
        rf"out has shape \(7,\); it needs \({shape[0]},": np.zeros(7),
        "out is ndarray of float32; it needs a float64 array": np.zeros(shape, np.float32),
        "out is ndarray of >f8; it needs a float64 array": np.zeros(shape, ">f8"),
        "out is list of no dtype; it needs a float64 array": [0.0],
        "out is memoryview of no dtype; it needs a float64 array": memoryview(np.zeros(shape)),
        "out is Tensor of float64; it needs a float64 array": Tensor(np.zeros(shape), requires_grad=False),
        "out must be C-contiguous and writable": read_only,
        "out must be C-contiguous and writable ": np.zeros((*shape[:-1], 2 * shape[-1]))[..., ::2],
    }
    for message, bad in wrong.items():
        with pytest.raises(BadShape, match=message.strip()):
            call(q, bad)
    assert_refused(lambda: call(q, np.ma.zeros(shape)), BadValue, "out is a masked array; pass one without a mask")
    assert_refused(lambda: call(q, Tensor(np.zeros(shape))), BadValue, r"out is a tensor .* pass tensor.detach")
    memory = np.zeros(FIGURE.nq + int(np.prod(shape)))
    memory[: FIGURE.nq] = q
    inside = memory[: int(np.prod(shape))].reshape(shape)
    assert_refused(lambda: call(memory[: FIGURE.nq], inside), BadShape, "out overlaps the poses in memory")


def test_a_bad_out_is_told_before_anything_is_solved(monkeypatch):
    def solved(*_, **__):
        raise AssertionError("it was solved")

    for name in ("solve", "solve_many", "track"):
        monkeypatch.setattr(f"manikin._core.{name}", solved)
    solver = Solver(mk.chain(2), mk.Position("Tip", (1, 1, 0)))
    for call in (solver.solve, solver.solve_many, lambda **k: solver.track(None, solver.targets[None], **k)):
        with pytest.raises(BadShape, match="out has shape"):
            call(out=np.zeros(3))
