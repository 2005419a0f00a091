"""`Solver.solve` with plain arrays goes straight to the native core: the same answers, the same errors."""

from __future__ import annotations

import gc
import pickle
import sys
import threading

import numpy as np
import pytest

import manikin as mk
from manikin import backend

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


@pytest.fixture(scope="module")
def solver() -> mk.Solver:
    human = mk.human()
    hands = [mk.Placement(s, human.placements(human.rest, [s])[0]) for s in ("LeftHand", "RightHand")]
    return mk.Solver(human, [mk.Position("Head", (0, 1.6, 0.1), weight=2.0), *hands])


def rows(solver: mk.Solver, count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(count)
    targets = np.tile(solver.targets, (count, 1))
    targets[:, :3] += 0.1 * rng.normal(size=(count, 3))
    return solver.figure.random(rng, count), targets


def test_it_gives_the_bits_of_solve_many(solver: mk.Solver) -> None:
    starts, targets = rows(solver, 20)
    many = solver.solve_many(starts, targets)
    for k, (q, row) in enumerate(zip(starts, targets, strict=True)):
        one = solver.solve(q, row)
        assert np.array_equal(one.pose, many.pose[k])
        assert np.array_equal(one.errors, many.errors[k])
        assert one.reached == many.reached[k]
        assert one.status == many.status[k]
        assert one.iterations == many.iterations[k]


def test_lists_and_other_types_of_numbers_give_the_same(solver: mk.Solver) -> None:
    (q,), (row,) = rows(solver, 1)
    one = solver.solve(q, row).pose
    assert np.array_equal(solver.solve(q.tolist(), row.tolist()).pose, one)
    twice = np.repeat(q, 2)
    assert np.array_equal(solver.solve(twice[::2], row).pose, one)


def test_a_start_outside_its_limits_is_brought_inside(solver: mk.Solver) -> None:
    figure = solver.figure
    rng = np.random.default_rng(3)
    for _ in range(50):
        q = figure.integrate(figure.random(rng), rng.normal(size=figure.nv))
        assert figure.violation(q) > 1e-6
        found = solver.solve(q, solver.targets)
        assert figure.violation(found.pose) <= 1e-9
        assert np.array_equal(found.pose, solver.solve_many(q, solver.targets).pose[0])


def test_coupled_numbers_follow() -> None:
    hand = mk.Figure(
        "hand",
        [
            mk.Segment("Palm"),
            mk.Segment("Finger", "Palm", mk.Hinge(axis=(0, 0, 1), limits=(0, 1.5)), offset=(0.1, 0, 0)),
            mk.Segment(
                "Tip",
                "Finger",
                mk.Joint("Tip", (mk.Hinge(axis=(0, 0, 1)),), coupling=mk.Coupling("Finger", 0.7, 0.1)),
                offset=(0.05, 0, 0),
            ),
        ],
    )
    solver = mk.Solver(hand, mk.Position("Tip", hand.placements([0.9, 0.73], ["Tip"])[0, :3, 3]))
    found = solver.solve(hand.rest, solver.targets)
    assert found.reached
    assert found.pose[1] == 0.7 * found.pose[0] + 0.1
    assert solver.solve(found.pose, solver.targets).iterations == 0


@pytest.mark.parametrize(
    ("q", "targets", "kind", "message"),
    [
        (np.full(127, np.nan), None, mk.errors.BadValue, "finite"),
        (np.zeros(5), None, mk.errors.BadShape, "127"),
        ("rest", None, mk.errors.ManikinError, "start pose"),
        (None, np.full(17, np.nan), mk.errors.BadValue, "Position Head"),
        (None, np.zeros(17), mk.errors.BadValue, "quaternion"),
        (None, np.zeros(3), mk.errors.BadShape, "targets"),
        (np.zeros((2, 127)), None, mk.errors.ManikinError, "start pose"),
    ],
)
def test_bad_arguments_are_refused_as_ever(
    solver: mk.Solver, q: object, targets: object, kind: type, message: str
) -> None:
    with pytest.raises(kind, match=message):
        solver.solve(q, targets)  # type: ignore[arg-type]


def test_arrays_outlive_the_answer_and_are_made_once(solver: mk.Solver) -> None:
    found = solver.solve()
    pose, errors = found.pose, found.errors
    assert found.pose is pose
    kept = pose.copy()
    del found
    gc.collect()
    assert np.array_equal(pose, kept)
    assert errors.shape == (3,)
    assert sys.getrefcount(pose) == 2


def test_a_copy_of_the_solver_gives_the_same(solver: mk.Solver) -> None:
    again = pickle.loads(pickle.dumps(solver))
    assert np.array_equal(again.solve().pose, solver.solve().pose)


def test_threads_may_share_it(solver: mk.Solver) -> None:
    starts, targets = rows(solver, 40)
    wanted = solver.solve_many(starts, targets).pose
    wrong: list[int] = []

    def work() -> None:
        wrong.extend(
            k
            for k, (q, row) in enumerate(zip(starts, targets, strict=True))
            if not np.array_equal(solver.solve(q, row).pose, wanted[k])
        )

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
