"""Every argument of every goal counts, in every call: another value gives another answer, or is refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.errors import ManikinError

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

HUMAN = mk.human()
INTERNAL = {"at_rest", "pairs", "horizon", "shapeless", "figure", "given", "size"}
"""Arguments that `goal.on(figure)` fills in."""
TURN = (0.8, 0.0, 0.6, 0.0)
SOLE = np.array([[x, 0.0, z] for x in (-0.05, 0.05) for z in (-0.02, 0.03)])
WALL = mk.Box((1.0, 1.0, 0.05), (0.0, 1.2, 0.45))


def off(placements: np.ndarray, *target: np.ndarray) -> np.ndarray:
    return placements[0, :3, 3] - (target[0] if target else (0.3, 1.3, 0.4))


def slope(placements: np.ndarray, *target: np.ndarray) -> np.ndarray:
    return 0.5 * np.eye(3, 6)


def row(placements: np.ndarray) -> np.ndarray:
    return off(placements)[:1]


COMMON = {"weight": 0.3, "priority": 1, "tolerance": 0.05, "name": "mine"}
BASES: dict[str, tuple[Callable[..., mk.Goal], dict[str, Any]]] = {
    "Position": (mk.Position, {"segment": "LeftHand", "point": (0.3, 1.3, 0.4)}),
    "Orientation": (mk.Orientation, {"segment": "LeftHand", "rotation": TURN, "axis": (1.0, 0.0, 0.0)}),
    "Placement": (mk.Placement, {"segment": "LeftHand", "placement": (0.3, 1.3, 0.4, *TURN)}),
    "Aim": (mk.Aim, {"segment": "Head", "point": (2.0, 1.0, 1.0)}),
    "Plane": (mk.Plane, {"segment": "LeftHand", "point": (0.3, 1.3, 0.4), "normal": (0.0, 0.6, 0.8)}),
    "Line": (mk.Line, {"segment": "LeftHand", "point": (0.3, 1.3, 0.4), "direction": (0.0, 0.6, 0.8)}),
    "Distance": (mk.Distance, {"segment": "LeftHand", "to": "RightHand", "distance": 0.9}),
    "Relative": (mk.Relative, {"segment": "LeftHand", "to": "Head", "placement": (0.3, 0.1, 0.2, *TURN)}),
    "Pole": (mk.Pole, {"segment": "LeftForeArm", "point": (0.5, 1.0, -1.0)}),
    "Posture": (mk.Posture, {"pose": HUMAN.random(np.random.default_rng(1))}),
    "Balance": (mk.Balance, {"contacts": ["LeftFoot", "RightFoot"]}),
    "Clearance": (mk.Clearance, {"obstacles": {"wall": WALL}}),
    "Custom": (mk.Custom, {"effectors": "LeftHand", "error": off, "rows": 3}),
    "AnyOf": (lambda members, **k: mk.AnyOf(*members, **k), {"members": [mk.Position("LeftHand", (0.3, 1.3, 0.4))]}),
}
"""A goal of each class. Together with `COMPANIONS` a person cannot meet it, so that weights and priorities count."""
OTHERS: dict[str, dict[str, list[Any]]] = {
    "Position": {
        "segment": ["RightHand"],
        "point": [(0.1, 1.3, 0.4)],
        "offset": [(0.0, 0.1, 0.0)],
        "axes": ["xy"],
        "robust": [mk.Huber(0.02), mk.GemanMcClure(0.02)],
    },
    "Orientation": {
        "segment": ["RightHand"],
        "rotation": [(0.6, 0.0, 0.8, 0.0)],
        "axis": [(0.0, 1.0, 0.0), None],
        "swing": [0.2],
        "twist": [0.2],
        "robust": [mk.Huber(0.02)],
    },
    "Placement": {
        "segment": ["RightHand"],
        "placement": [(0.1, 1.3, 0.4, *TURN), (0.3, 1.3, 0.4, 1, 0, 0, 0)],
        "offset": [(0.0, 0.1, 0.0)],
        "rotation": [(0.6, 0.8, 0.0, 0.0)],
    },
    "Aim": {
        "segment": ["LeftHand"],
        "point": [(-2.0, 1.0, 1.0)],
        "axis": [(0.6, 0.0, 0.8)],
        "offset": [(0.1, 0.1, 0.0)],
        "direction": [(1.0, 0.0, 0.0)],
        "robust": [mk.Huber(0.02)],
    },
    "Plane": {
        "segment": ["RightHand"],
        "point": [(0.3, 1.6, 0.6)],
        "normal": [(0.0, 1.0, 0.0)],
        "above": [True],
        "side": ["above", "below"],
        "offset": [(0.0, 0.1, 0.0)],
        "robust": [mk.Huber(0.02)],
    },
    "Line": {
        "segment": ["RightHand"],
        "point": [(0.1, 1.3, 0.4)],
        "direction": [(1.0, 0.0, 0.0)],
        "offset": [(0.0, 0.1, 0.0)],
        "robust": [mk.Huber(0.02)],
    },
    "Distance": {
        "segment": ["LeftForeArm"],
        "to": ["Head", (0.0, 1.0, 0.3)],
        "distance": [0.5],
        "kind": ["at_most"],
        "offset": [(0.0, 0.1, 0.0)],
        "to_offset": [(0.0, 0.1, 0.0)],
    },
    "Relative": {
        "segment": ["RightHand"],
        "to": ["Spine"],
        "placement": [(0.1, 0.1, 0.2, *TURN), (0.3, 0.1, 0.2, 1, 0, 0, 0)],
        "position": [False],
        "orientation": [False],
        "offset": [(0.0, 0.1, 0.0)],
        "to_offset": [(0.0, 0.1, 0.0)],
    },
    "Pole": {"segment": ["RightForeArm"], "point": [(-0.5, 2.0, -1.0)], "root": ["Spine"], "tip": ["Head"]},
    "Posture": {
        "pose": [HUMAN.random(np.random.default_rng(2))],
        "stiffness": [np.linspace(0.1, 1.0, HUMAN.nv)],
    },
    "Balance": {
        "contacts": [["LeftFoot"], dict.fromkeys(("LeftFoot", "RightFoot"), SOLE)],
        "margin": [0.05],
        "points": [dict.fromkeys(("LeftFoot", "RightFoot"), SOLE)],
        "up": ["z"],
    },
    "Clearance": {
        "margin": [0.1],
        "obstacles": [{"wall": mk.Box((1.0, 1.0, 0.05), (0.0, 1.2, 0.6))}],
        "exempt": [[("*", "wall")]],
        "between": [[("Head", "wall")]],
        "hard": [False],
    },
    "Custom": {
        "effectors": ["RightHand"],
        "error": [lambda p, *_: 2.0 * off(p) + 0.1],
        "derivative": [slope],
        "rows": [1],
        "angular": [True],
        "one_sided": [True],
        "target": [(0.1, 1.0, 0.2)],
    },
    "AnyOf": {
        "members": [
            [mk.Position("RightHand", (0.3, 1.3, 0.4))],
            [mk.Position("LeftHand", (0.3, 1.3, 0.4), weight=0.3)],
            [mk.Position("LeftHand", (0.3, 1.3, 0.4), tolerance=0.05)],
            [mk.Position("LeftHand", (0.3, 1.3, 0.4), robust=mk.Huber(0.02))],
        ]
    },
}
"""Other values of each argument."""
CASES = [
    (name, key, k)
    for name, others in OTHERS.items()
    for key, values in {**others, **{c: [v] for c, v in COMMON.items()}}.items()
    for k in range(len(values))
]
START = HUMAN.random(np.random.default_rng(4))
COMPANIONS = [
    mk.Position("Head", (0.1, 1.1, 1.0)),
    mk.Position("LeftHand", (0.2, 1.1, 0.5)),
    mk.Position("RightHand", (-0.2, 1.0, 0.5), weight=0.3),
    mk.Position("LeftForeArm", (0.5, 1.6, 0.1), weight=0.2),
]
CALLS: dict[str, Callable[[list[mk.Goal]], mk.Solution]] = {
    "mk.solve": lambda goals: mk.solve(HUMAN, goals, START, iterations=8),
    "solve": lambda goals: mk.Solver(HUMAN, goals).solve(START, iterations=8),
    "solve_many": lambda goals: mk.Solver(HUMAN, goals).solve_many(START, iterations=8)[0],
    "track": lambda goals: (s := mk.Solver(HUMAN, goals)).track(START, np.tile(s.targets, (2, 1)))[1],
}


def answer(call: str, name: str, changed: dict[str, Any]) -> tuple[Any, ...] | str:
    """What a call says of a goal: the pose, its error, whether it is reached, its name. Or why it is refused."""
    make, base = BASES[name]
    given = {**base, **changed}
    if "direction" in changed and name == "Aim":
        del given["point"]
    if changed.get("rows") == 1:
        given["error"] = row
    try:
        found = CALLS[call]([make(**given), *COMPANIONS])
    except ManikinError as error:
        return str(error)
    goal = found.goals[0]
    return found.pose.tobytes(), found.errors[0], goal.allowed, goal.label


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("name", "key", "k"), CASES)
def test_another_value_gives_another_answer(name: str, key: str, k: int, call: str) -> None:
    value = [*OTHERS[name].get(key, []), COMMON.get(key)][k]
    usual, other = answer(call, name, {}), answer(call, name, {key: value})
    assert not isinstance(usual, str), usual
    assert usual != other, f"{name} makes no use of {key}={value!r}"


def test_every_goal_and_every_argument_has_a_case() -> None:
    goals = {n for n in mk.__all__ if inspect.isclass(c := getattr(mk, n)) and issubclass(c, mk.Goal)} - {"Goal"}
    assert goals == set(BASES) == set(OTHERS)
    for name in goals - {"AnyOf"}:
        wanted = set(inspect.signature(getattr(mk, name)).parameters) - INTERNAL
        assert wanted == set(OTHERS[name]) | set(COMMON), name


@pytest.mark.parametrize(
    "make",
    [
        lambda: mk.Orientation("LeftHand", TURN, swing=0.2),
        lambda: mk.Orientation("LeftHand", TURN, twist=0.2),
        lambda: mk.Aim("Head", (2.0, 1.0, 1.0), direction=(1.0, 0.0, 0.0)),
        lambda: mk.Aim("Head"),
        lambda: mk.Aim("Head", direction=(1.0, 0.0, 0.0), offset=(0.0, 0.1, 0.0)),
        lambda: mk.Plane("LeftHand", above=True, side="below"),
        lambda: mk.Distance("LeftHand", (0.0, 1.0, 0.3), 0.1, to_offset=(0.0, 0.1, 0.0)),
        lambda: mk.Relative("LeftHand", "Head", np.eye(4), position=False, offset=(0.0, 0.1, 0.0)),
        lambda: mk.Relative("LeftHand", "Head", np.eye(4), position=False, to_offset=(0.0, 0.1, 0.0)),
        lambda: mk.Relative("LeftHand", "Head", np.eye(4), position=False, orientation=False),
        lambda: mk.Balance(["LeftFoot"], points=dict.fromkeys(("LeftFoot", "RightFoot"), SOLE)),
        lambda: mk.Balance(["LeftFoot", "RightFoot"], points={"LeftFoot": SOLE}),
    ],
)
def test_arguments_that_exclude_each_other_are_refused(make: Callable[[], mk.Goal]) -> None:
    with pytest.raises(ManikinError):
        make()
