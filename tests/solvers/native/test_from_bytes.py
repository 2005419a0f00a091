"""A solver from bytes: the same answers, the same names; what it cannot do is said, and damaged bytes are refused."""

from __future__ import annotations

import pickle
import struct
import subprocess
import sys

import numpy as np
import pytest
from solvers.native.hostile_blocks import changed

import manikin as mk
from manikin import backend
from manikin.errors import BadValue, UnknownName, Unsupported
from manikin.solvers.native.stored import array_places, read_arrays

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


def person() -> mk.Solver:
    """Priorities, an AnyOf, balance, a posture: links, parts and postures."""
    human = mk.human()
    feet = [mk.Placement(name, human.placements(human.rest, [name])[0]) for name in ("LeftFoot", "RightFoot")]
    either = mk.AnyOf(mk.Position("LeftHand", (0.3, 1.2, 0.3)), mk.Position("RightHand", (-0.3, 1.2, 0.3)), priority=1)
    posture = mk.Posture(human.rest, priority=2, name="calm")
    return mk.Solver(human, [*feet, either, mk.Balance(["LeftFoot", "RightFoot"]), posture])


def arm() -> mk.Solver:
    return mk.Solver(mk.chain(4), mk.Placement("Tip", np.eye(4)), damping=0.05, angle_length=0.3)


def loop() -> mk.Solver:
    segments = [
        mk.Segment("Ground"),
        mk.Segment("Crank", "Ground", mk.Hinge()),
        mk.Segment("Coupler", "Crank", mk.Hinge(), offset=(1, 0, 0)),
        mk.Segment("Rocker", "Ground", mk.Hinge(limits=(0.5, 3.0)), offset=(4, 0, 0)),
    ]
    figure = mk.Figure("four bars", segments, loops=[mk.Loop("bar", "Coupler", "Rocker", (4, 0, 0), (3, 0, 0))])
    return mk.Solver(figure, mk.Position("Crank", (0.5, 0.5, 0.0), offset=(0.7, 0, 0)))


@pytest.fixture(params=[person, arm, loop], ids=["person", "arm", "loop"])
def pair(request: pytest.FixtureRequest) -> tuple[mk.Solver, mk.Solver]:
    solver: mk.Solver = request.param()
    return solver, mk.Solver.from_bytes(solver.to_bytes())


def test_every_call_gives_the_same_bits(pair: tuple[mk.Solver, mk.Solver]) -> None:
    solver, other = pair
    rng = np.random.default_rng(0)
    starts, rows = solver.figure.random(rng, 5), np.tile(solver.targets, (5, 1))
    rows[:, :3] += 0.05 * rng.normal(size=(5, 3))
    calls = [
        lambda s: s.solve().pose,
        lambda s: s.solve(starts[0], rows[0], prefer=starts[1], settle=True).pose,
        lambda s: s.solve_many(starts, rows, threads=2).poses,
        lambda s: s.track(starts[0], rows, stay=0.02, prefer=starts[2]).poses,
        lambda s: s.track(starts[0], rows).errors,
    ]
    for call in calls:
        assert np.array_equal(call(solver), call(other))


def test_names_limits_and_targets_are_kept(pair: tuple[mk.Solver, mk.Solver]) -> None:
    solver, other = pair
    assert other.target_layout == solver.target_layout
    assert np.array_equal(other.targets, solver.targets)
    assert np.array_equal(other.movable, solver.movable)
    assert other.figure.number_names == solver.figure.number_names
    assert other.figure.name == solver.figure.name
    assert [g.label for g in other.goals] == [g.label for g in solver.goals]
    pose = solver.figure.random(np.random.default_rng(1))
    assert other.figure.violation(pose) == pytest.approx(solver.figure.violation(pose), abs=1e-12)


def test_targets_by_name_and_messages_work() -> None:
    solver, other = arm(), mk.Solver.from_bytes(arm().to_bytes())
    for row in ({"Tip": np.eye(4)}, {"Placement Tip": np.eye(4)}):
        assert np.array_equal(other.row(row), solver.row(row))
    with pytest.raises(UnknownName, match="has no goal 'Top'"):
        other.row({"Top": np.eye(4)})
    with pytest.raises(ValueError, match="Placement Tip 7"):
        other.solve(None, np.zeros(6))
    with pytest.raises(BadValue, match=r"start pose: Segment\d\S* is nan|quaternion"):
        other.solve(np.full(solver.figure.nq, np.nan))


def test_solutions_are_printed_without_a_figure() -> None:
    other = mk.Solver.from_bytes(person().to_bytes())
    text = str(other.solve())
    assert "calm" in text
    assert "Placement LeftFoot" in text
    far = mk.Solver.from_bytes(arm().to_bytes())
    missed = far.solve(None, far.row({"Tip": (99.0, 0, 0, 1, 0, 0, 0)}))
    assert "misses by" in str(missed)
    assert missed.notes == ()


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.solve().report,
        lambda s: s.figure.placements(s.figure.rest),
        lambda s: s.goals[0].target,
        lambda s: s.solve(prefer=s.figure.rest, stiffness={"Tip": 2.0}),
        lambda s: s.track(None, s.targets[None], max_speed={"Tip": 2.0}),
    ],
)
def test_what_needs_the_figure_is_said_in_one_sentence(call) -> None:
    with pytest.raises(Unsupported, match="was opened from bytes") as caught:
        call(mk.Solver.from_bytes(arm().to_bytes()))
    assert "\n" not in str(caught.value)


def test_it_is_written_and_pickled_again() -> None:
    block = person().to_bytes()
    other = mk.Solver.from_bytes(bytearray(block))
    assert other.to_bytes() == block
    assert np.array_equal(pickle.loads(pickle.dumps(other)).solve().pose, other.solve().pose)


def test_a_goal_in_python_cannot_be_written() -> None:
    figure = mk.chain(3)
    goal = mk.Custom("Tip", error=lambda p, _: p[:3, 3] - 1.0, rows=3, name="mine")
    with pytest.raises(Unsupported, match="mine is evaluated in Python"):
        mk.Solver(figure, goal).to_bytes()


@pytest.mark.parametrize("wrong", [None, 7, "text", b"", b"manikin", bytes(100)])
def test_what_is_no_block_is_one_clear_error(wrong) -> None:
    with pytest.raises(BadValue, match=r"Solver\.to_bytes\(\)"):
        mk.Solver.from_bytes(wrong)


@pytest.mark.parametrize("make", [person, arm, loop])
def test_damaged_bytes_are_refused_or_give_finite_poses(make) -> None:
    block, rng, opened = make().to_bytes(), np.random.default_rng(3), 0
    for _ in range(700):
        try:
            solver = mk.Solver.from_bytes(changed(block, rng))
            found = solver.solve(iterations=5, restarts=1)
            frames = solver.track(None, np.tile(solver.targets, (2, 1)), iterations=10)
        except BadValue:
            continue
        opened += 1
        assert np.isfinite(found.pose).all()
        assert np.isfinite(frames.poses).all()
    assert opened > 50


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, -1e200, 1e-310, 0.0])
@pytest.mark.parametrize("make", [person, arm])
def test_an_odd_number_in_any_array_is_refused_or_gives_finite_poses(make, value: float) -> None:
    block = make().to_bytes()
    for array in read_arrays(block).values():
        if array.dtype != np.dtype("<f8") or not array.size:
            continue
        at = array.__array_interface__["data"][0] - np.frombuffer(block, "u1").__array_interface__["data"][0]
        for k in {0, array.size // 2, array.size - 1}:
            damaged = block[: at + 8 * k] + struct.pack("<d", value) + block[at + 8 * k + 8 :]
            try:
                found = mk.Solver.from_bytes(damaged).solve(iterations=5, restarts=1)
            except BadValue:
                continue
            assert np.isfinite(found.pose).all()


@pytest.mark.parametrize("value", [-1, -(2**31), 2**31 - 1, 0, 3, 1000])
@pytest.mark.parametrize("make", [arm, loop])
def test_an_odd_index_in_any_array_is_refused_or_gives_finite_poses(make, value: int) -> None:
    block = make().to_bytes()
    for array in read_arrays(block).values():
        if array.dtype != np.dtype("<i4") or not array.size:
            continue
        at = array.__array_interface__["data"][0] - np.frombuffer(block, "u1").__array_interface__["data"][0]
        for k in {0, array.size // 2, array.size - 1}:
            damaged = block[: at + 4 * k] + struct.pack("<i", value) + block[at + 4 * k + 4 :]
            try:
                found = mk.Solver.from_bytes(damaged).solve(iterations=5, restarts=1)
            except BadValue:
                continue
            assert np.isfinite(found.pose).all()
            assert np.isfinite(found.errors).all()


@pytest.mark.parametrize("motion", [mk.Hinge((0, 0, 1), (-1.0, 2.0)), mk.Slider((0, 0, 1), (-1.0, 2.0))])
def test_a_joint_whose_axis_is_zero_is_refused(motion: mk.Hinge | mk.Slider) -> None:
    tip = mk.Segment("Tip", "Arm", mk.Joint("tip", (), offset=(1, 0, 0)))
    figure = mk.Figure("one", [mk.Segment("Arm", None, mk.Joint("turn", (motion,))), tip])
    block = mk.Solver(figure, mk.Position("Tip", (0.6, 0.6, 0.1))).to_bytes()
    axis = read_arrays(block)["axis"]
    at = axis.__array_interface__["data"][0] - np.frombuffer(block, "u1").__array_interface__["data"][0]
    assert axis[2] == 1.0
    with pytest.raises(BadValue, match="an axis of the tree is not of length 1"):
        mk.Solver.from_bytes(block[: at + 16] + struct.pack("<d", 0.0) + block[at + 24 :])


@pytest.mark.parametrize("limits", [(-1e15, 1e15), (0.0, 1e15), (-1e300, 3.0), (3.0, 3.2)])
def test_twist_limits_beyond_half_a_turn_are_refused(limits: tuple[float, float]) -> None:
    """Angles are brought within half a turn once; with such limits that took as many rounds as there are turns."""
    block = bytearray(mk.Solver(mk.human(), mk.Position("LeftHand", (0.3, 1.2, 0.3))).to_bytes())
    at, _, _ = array_places(bytes(block))["cone_twist"]
    block[at : at + 16] = np.array(limits).tobytes()
    with pytest.raises(BadValue, match="twist limit of a cone is not within half a turn"):
        mk.Solver.from_bytes(bytes(block))


FUZZ = """
import sys
import numpy as np
import manikin as mk
from manikin.solvers.native.stored import array_places
rng = np.random.default_rng(int(sys.argv[1]))
block = sys.stdin.buffer.read()
places = [(at, count) for at, kind, count in array_places(block).values() if kind == "<f8" and count]
opened = 0
for _ in range(200):
    changed = bytearray(block)
    for _ in range(rng.integers(1, 4)):
        at, count = places[rng.integers(len(places))]
        k = at + 8 * int(rng.integers(count))
        value = float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-300.0, 300.0))
        changed[k : k + 8] = np.float64(value).tobytes()
    try:
        solver = mk.Solver.from_bytes(bytes(changed))
    except mk.errors.BadValue:
        continue
    opened += 1
    start = solver.figure.rest
    assert np.isfinite(solver.solve(start, iterations=50).pose).all()
    assert np.isfinite(solver.track(start, np.tile(solver.targets, (3, 1)), iterations=50).poses).all()
print("done", opened)
"""


@pytest.mark.parametrize("seed", range(4))
def test_extreme_numbers_in_any_array_are_refused_or_end(seed: int) -> None:
    figure = mk.human() if seed % 2 else mk.chain(6)
    tip = "LeftHand" if seed % 2 else "Tip"
    block = mk.Solver(figure, [mk.Position(tip, (0.3, 1.2, 0.3)), mk.Posture(figure.rest, weight=0.1)]).to_bytes()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FUZZ, str(seed)],
        input=block,
        capture_output=True,
        timeout=600,
        check=False,
    )
    word, opened = done.stdout.split()
    assert word == b"done", done.stderr.decode()
    assert int(opened) > 10
