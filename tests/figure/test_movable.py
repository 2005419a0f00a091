"""The steps that a solver may take: all except held sliders, modified by `freeze` and `only`, for joints and single
numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from checks import assert_refused

import manikin as mk
from manikin.errors import BadValue, UnknownName, Unsupported
from manikin.figure.movable import movable_steps

HELD = tuple(mk.Slider(axis, held=True) for axis in np.eye(3))
LOOSE = tuple(mk.Slider(axis) for axis in np.eye(3))


def rig() -> mk.Figure:
    """A body that slides, an arm that is held on it, a forearm, and a slide without a turn."""
    return mk.Figure(
        "rig",
        [
            mk.Segment("Hips", None, (*LOOSE, mk.Euler("ZXY"))),
            mk.Segment("Shoulder", "Hips", (*HELD, mk.Ball()), offset=(0, 1, 0)),
            mk.Segment("ForeArm", "Shoulder", mk.Hinge(), offset=(1, 0, 0)),
            mk.Segment("Drawer", "Hips", (mk.Slider((0, 1, 0), held=True),), offset=(0, 0.5, 0)),
            mk.Segment("Free.1", "Hips", mk.Free()),
            mk.Segment("Tip", "ForeArm", offset=(1, 0, 0)),
        ],
    )


FIGURE = rig()
ALL = {name: i for i, name in enumerate(n for n in FIGURE.number_names if not n.endswith(".w"))}
"""Steps by number; a quaternion has one step for each of x, y and z."""


def moving(**options: object) -> set[str]:
    movable = movable_steps(FIGURE, **options)  # type: ignore[arg-type]
    assert movable.shape == (FIGURE.nv,) == (len(ALL),)
    return {name for name, i in ALL.items() if movable[i]}


SHOULDER = {f"Shoulder.{c}" for c in ("tx", "ty", "tz")}
TURN = {f"Shoulder.{c}" for c in "xyz"}
HIPS = {f"Hips.{c}" for c in ("tx", "ty", "tz", "z", "x", "y")}


def test_held_sliders_stay_and_all_else_moves() -> None:
    assert moving() == set(ALL) - SHOULDER - {"Drawer"}


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (["Shoulder.tx"], {"Shoulder.tx"}),
        ("Shoulder.tx", {"Shoulder.tx"}),
        (["Shoulder.tx", "Hips"], {"Shoulder.tx"} | HIPS),
        (["Shoulder"], TURN),  # the turn; its sliders are released one by one
        (["Shoulder", "Shoulder.ty"], TURN | {"Shoulder.ty"}),
        (["Drawer"], {"Drawer"}),  # it has nothing else
        (["Hips.z", "Hips.ty", "ForeArm"], {"Hips.z", "Hips.ty", "ForeArm"}),
        (["Free.1.tx"], {"Free.1.tx"}),
        ([], set()),
    ],
)
def test_only_names_joints_and_single_numbers(only: object, expected: set[str]) -> None:
    assert moving(only=only) == expected


@pytest.mark.parametrize(
    ("freeze", "gone"),
    [
        (["Hips.tx", "Hips.x"], {"Hips.tx", "Hips.x"}),
        (["Shoulder"], TURN),
        (["Shoulder.tx"], set()),
        (["Free.1"], {f"Free.1.{c}" for c in ("tx", "ty", "tz", "x", "y", "z")}),
        (["Free.1.ty"], {"Free.1.ty"}),
    ],
)
def test_freeze_names_joints_and_single_numbers(freeze: list[str], gone: set[str]) -> None:
    assert moving(freeze=freeze) == moving() - gone


def test_freeze_wins_over_only() -> None:
    assert moving(only=["Hips", "Shoulder.tx"], freeze=["Hips.tx", "Shoulder.tx"]) == HIPS - {"Hips.tx"}


@pytest.mark.parametrize("option", ["only", "freeze"])
@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("Sholder", UnknownName, "figure 'rig' has no joint 'Sholder'; did you mean 'Shoulder'"),
        ("Sholder.tx", UnknownName, "has no joint or number 'Sholder.tx'; did you mean 'Shoulder.tx'"),
        ("Shoulder.rx", UnknownName, "has no joint or number 'Shoulder.rx'; did you mean 'Shoulder"),
        ("Free.2", UnknownName, "has no joint or number 'Free.2'; did you mean 'Free.1'"),
        (
            "Shoulder.x",
            BadValue,
            "'Shoulder.x' is a part of the quaternion of joint 'Shoulder', which moves as a whole",
        ),
        ("Free.1.w", BadValue, "'Free.1.w' is a part of the quaternion of joint 'Free.1', .*; name 'Free.1'"),
        (3, UnknownName, "has no joint 3"),
    ],
)
def test_a_wrong_name_is_said(option: str, name: object, kind: type, message: str) -> None:
    assert_refused(lambda: moving(**{option: [name]}), kind, f"{option}: .*{message}")
    assert_refused(
        lambda: mk.Solver(FIGURE, mk.Position("Tip", (0, 0, 0)), **{option: [name]}), kind, f"{option}: .*{message}"
    )


def test_what_is_no_list_is_said() -> None:
    assert_refused(
        lambda: moving(only=3), BadValue, "only is 3; it needs a list of names of joints or of single numbers"
    )


METHODS = ("auto", "lbfgsb", "pinv", "stacked", "dls", "bounded-dls", "transpose", "sdls", "ccd")


@pytest.mark.parametrize("method", METHODS)
def test_held_sliders_stay_as_in_the_start_and_single_numbers_are_let_go(method: str) -> None:
    start = FIGURE.pose({"Shoulder.tx": 0.3, "Shoulder.ty": -0.2, "Drawer": 0.1, "ForeArm": 0.4})
    held = sorted(FIGURE.layout.held)
    goal = mk.Position("Tip", (0.3, 1.4, 0.9))
    solution = mk.solve(FIGURE, goal, start, method=method)
    assert solution.reached, solution
    assert (solution.pose[held] == start[held]).all()
    # Along x alone the tip comes near; nothing else moves, to the bit.
    wish = mk.Position("Tip", FIGURE.placements(start, ["Tip"])[0, :3, 3] + [0.5, 0.0, 0.0])
    let = mk.solve(FIGURE, wish, start, method=method, only=["Shoulder.tx"])
    assert let.reached, let
    n = FIGURE.number_names.index("Shoulder.tx")
    assert let.pose[n] == pytest.approx(0.8, abs=2e-3)
    assert (np.delete(let.pose, n) == np.delete(start, n)).all()


def test_the_native_solver_holds_them_too_in_every_way_it_is_called() -> None:
    solver = mk.Solver(FIGURE, mk.Position("Tip", (0.3, 1.4, 0.9)), only=["Shoulder", "ForeArm", "Hips.ty"])
    rng = np.random.default_rng(1)
    starts = np.array([FIGURE.pose({"Shoulder.tx": x, "Hips.tx": 0.1}) for x in rng.uniform(-0.3, 0.3, 8)])
    may = movable_steps(FIGURE, only=["Shoulder", "ForeArm", "Hips.ty"])
    for far in ((0.3, 1.4, 0.9), (30.0, 1.0, 0.0)):
        found = solver.solve_many(starts, np.tile(far, (8, 1)))
        one = solver.solve(starts[0], far)
        track = solver.track(starts[0], np.tile(far, (3, 1)))
        for pose, start in [
            *zip(found.poses, starts, strict=True),
            (one.pose, starts[0]),
            (track.poses[-1], starts[0]),
        ]:
            change = FIGURE.difference(start, pose)
            assert (change[~may] == 0.0).all()


@pytest.mark.parametrize("options", [{"freeze": ["Hips.tx"]}, {"only": ["Hips.ty", "RightArm", "RightForeArm"]}])
@pytest.mark.parametrize("method", ["auto", "dls", "lbfgsb", "ccd"])
def test_a_free_root_moves_in_part(method: str, options: dict[str, list[str]]) -> None:
    human = mk.human()
    start = human.random(np.random.default_rng(3))
    solution = mk.solve(human, mk.Position("RightHand", (-0.4, 1.3, 0.5)), start, method=method, **options)
    may = movable_steps(human, **options)
    change = human.difference(start, solution.pose)
    assert np.abs(change[~may]).max() < 1e-15  # of a quaternion rounding is left
    assert (solution.pose[:3] == start[:3])[~may[:3]].all()
    assert np.abs(change[may]).max() > 1e-3


def test_fabrik_refuses_a_free_root_that_moves_in_part() -> None:
    base = mk.Figure("b", [mk.Segment("A", None, mk.Free()), mk.Segment("Tip", "A", mk.Ball(), offset=(1, 0, 0))])
    assert_refused(
        lambda: mk.solve(base, mk.Position("Tip", (2, 0, 0)), method="fabrik", only=["A.tx"]),
        Unsupported,
        "joint 'A' has some numbers that may move and some that may not",
    )


def test_fabrik_takes_a_held_slider_for_a_fixed_length() -> None:
    figure = mk.Figure(
        "arm",
        [
            mk.Segment("A", None, mk.Ball()),
            mk.Segment("B", "A", (*HELD, mk.Euler("XYZ")), offset=(1, 0, 0), rotation=(0.6, 0, 0.8, 0)),
            mk.Segment("Tip", "B", offset=(0, 1, 0)),
        ],
    )
    start = figure.pose({"B.tx": 0.2, "B.tz": -0.4, "B.x": 0.5})
    solution = mk.solve(figure, mk.Position("Tip", (0.2, 0.3, 1.2)), start, method="fabrik")
    assert solution.reached, solution
    held = sorted(figure.layout.held)
    assert (solution.pose[held] == start[held]).all()
    part = mk.solve(figure, mk.Position("Tip", (0.2, 0.3, 1.2)), start, method="fabrik", only=["A", "B.y"])
    still = [figure.number_names.index(n) for n in ("B.x", "B.z", "B.tx", "B.ty", "B.tz")]
    assert (part.pose[still] == start[still]).all()


def test_held_is_part_of_a_figure() -> None:
    loose = mk.Figure("rig", [s.replaced(joint=_let_go(s.joint)) for s in FIGURE.segments])
    assert loose != FIGURE
    assert hash(loose) != hash(FIGURE)
    for back in (mk.Figure.from_dict(FIGURE.to_dict()), pickle.loads(pickle.dumps(FIGURE)), FIGURE.scaled(2.0)):
        assert back.layout.held == FIGURE.layout.held
        assert movable_steps(back).tolist() == movable_steps(FIGURE).tolist()
    assert mk.Figure.from_dict(FIGURE.to_dict()) == FIGURE
    assert "held" not in str(loose.to_dict())
    words = FIGURE.describe()
    assert "sliders x, y, z held + ball" in words
    assert "slider y held" in words


def _let_go(joint: mk.Joint) -> mk.Joint:
    motions = tuple(mk.Slider(m.axis, m.limits) if isinstance(m, mk.Slider) else m for m in joint.motions)
    return mk.Joint(joint.name, motions, joint.offset, joint.rotation)


def test_held_is_true_or_false_and_not_for_what_follows() -> None:
    assert_refused(lambda: mk.Slider(held="yes"), BadValue, "slider: held is 'yes'; it needs True or False")  # type: ignore[arg-type]
    assert_refused(
        lambda: mk.Joint("B", (mk.Slider(held=True),), coupling=mk.Coupling("A")),
        BadValue,
        "joint 'B' follows 'A', so it cannot be held; hold that joint instead",
    )
