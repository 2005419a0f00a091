"""`Solver.solve` with plain arrays goes straight to the native core: the same answers, the same errors."""

from __future__ import annotations

import gc
import inspect
import pickle
import sys
import threading
from collections.abc import Iterator

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
        assert np.array_equal(one.pose, many.poses[k])
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
        assert np.array_equal(found.pose, solver.solve_many(q, solver.targets).poses[0])


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
    wanted = solver.solve_many(starts, targets).poses
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


@pytest.fixture(params=["array api", "buffers"])
def arrays_by(request: pytest.FixtureRequest) -> Iterator[str]:
    """How arrays are read and made: by NumPy's C API, or as with a NumPy whose C API is unknown."""
    from manikin import _core

    assert _core.use_array_api(request.param == "array api") == (request.param == "array api")
    yield request.param
    _core.use_array_api(True)


class Named(np.ndarray):
    """A subclass of NumPy's arrays."""


def test_every_way_to_pass_the_same_numbers_gives_the_same_plain_array(solver: mk.Solver, arrays_by: str) -> None:
    (q,), (row,) = rows(solver, 1)
    wanted = solver.solve_many(q, row).poses[0]
    kept = (q.copy(), row.copy())
    ways = [
        solver.solve(q, row),
        solver.solve(q, targets=row),
        solver.solve(targets=row, start=q),
        solver.solve(**{"".join(["tar", "gets"]): row, "".join(["sta", "rt"]): q}),  # names that are not interned
        mk.Solver.solve(solver, q, row),
        solver.solve(*pickle.loads(pickle.dumps((q, row)))),  # their dtype is not NumPy's own object
        solver.solve(q.view(Named), row.view(Named)),
        solver.solve(q.astype(">f8"), row.astype(">f8")),
        solver.solve(q.astype(np.longdouble), row.astype(object)),
        solver.solve(np.asfortranarray(q), np.stack([row, row], axis=1)[:, 0]),
        solver.solve(memoryview(q), memoryview(row)),
    ]
    for found in ways:
        assert type(found.pose) is np.ndarray
        assert found.pose.dtype == np.float64
        assert found.pose.flags.owndata
        assert found.pose.flags.writeable
        assert np.array_equal(found.pose, wanted)
    assert np.array_equal(q, kept[0])
    assert np.array_equal(row, kept[1])
    unaligned = np.zeros(8 * len(q) + 1, dtype=np.uint8)[1:].view(np.float64)
    unaligned[:] = q
    assert np.array_equal(solver.solve(unaligned, row).pose, wanted)


def test_names_that_solve_does_not_have_and_too_many_arguments_are_refused(solver: mk.Solver) -> None:
    (q,), (row,) = rows(solver, 1)
    for arguments, names in (((q, row, row), {}), ((q, row), {"start": q}), ((q,), {"q": q}), ((), {"rows": row})):
        with pytest.raises(TypeError, match=r"solve\(\)"):
            solver.solve(*arguments, **names)
    with pytest.raises(TypeError):
        mk.Solver.solve()  # type: ignore[call-arg]


def test_solve_looks_like_the_method_that_it_is(solver: mk.Solver) -> None:
    names = ["start", "targets", "weights", "active", "restarts", "iterations", "budget", "seed", "pick"]
    names += ["prefer", "stiffness", "settle", "out"]
    assert list(inspect.signature(mk.Solver.solve).parameters) == ["self", *names]
    assert list(inspect.signature(solver.solve).parameters) == names
    assert inspect.isroutine(mk.Solver.solve)
    assert mk.Solver.solve.__name__ == "solve"
    assert mk.Solver.solve.__doc__ is not None
    assert mk.Solver.solve.__doc__.startswith("One pose")
    assert solver.solve.__self__ is solver  # type: ignore[attr-defined]


def test_what_solve_gives_cannot_be_changed_or_made_wrongly(solver: mk.Solver) -> None:
    found = solver.solve()
    for name in ("pose", "errors", "reached", "status", "code", "iterations"):
        with pytest.raises(AttributeError):
            setattr(found, name, 0)
    with pytest.raises(ValueError, match="code is 4"):
        mk.Solution(found.pose, found.errors, 4, 0)
    with pytest.raises(TypeError):
        mk.Solution(found.pose)  # type: ignore[call-arg]
    again = mk.Solution(found.pose, errors=found.errors, code=3, iterations=7)
    assert again.pose is found.pose
    assert again.errors is found.errors
    assert (again.status, again.reached, again.iterations) == ("out_of_time", False, 7)


def test_calls_leave_no_references_behind(solver: mk.Solver) -> None:
    (q,), (row,) = rows(solver, 1)

    def counts() -> list[int]:
        gc.collect()
        return [sys.getrefcount(x) for x in (q, row, solver, q.dtype, type(solver.solve()))]

    before = counts()
    for _ in range(100):
        solver.solve(q, row)
        solver.solve(q)
    assert counts() == before
    for _ in range(10):
        with pytest.raises(mk.errors.BadShape):
            solver.solve(q, row[:2])
    assert counts()[:3] == before[:3]


def test_an_arm_gives_the_same_bits_whatever_was_solved_before() -> None:
    """Where an arm was left is kept for the next frame; that must not show."""
    rng = np.random.default_rng(4)
    wide = [mk.Segment("Base")]
    for i in range(7):
        axis = [(0, 0, 1), (0, 1, 0)][i % 2]
        joint = mk.Hinge(axis=axis, limits=(-2.5, 2.5) if i % 3 else (-7.0, 7.0))
        wide.append(mk.Segment(f"S{i}", wide[-1].name, joint, offset=(0.02, 0.0, 0.2)))
    figure = mk.Figure("arm", wide)
    solver = mk.Solver(figure, mk.Placement("S6", np.eye(4), tolerance=(1e-4, 1e-3)))
    near = figure.random(rng, 60)
    near[1::2] = figure.clamp(near[::2] + 0.02 * rng.normal(size=(30, 7)))  # frames, one after the other
    near[::4, ::3] = figure.clamp(near[::4] + 4.0 * np.pi)[:, ::3]  # at the end of joints that go around
    targets = [mk.Placement("S6", P).target for P in figure.placements(near[1::2], ["S6"])[:, 0]]
    for q, row in zip(near[::2], targets, strict=True):
        fresh = [pickle.loads(pickle.dumps(solver)).solve(q, row)]
        one = solver.solve(q, row)
        fresh.append(one)
        after = solver.solve(one.pose, row)
        fresh.append(pickle.loads(pickle.dumps(solver)).solve(one.pose, row))
        assert np.array_equal(fresh[0].pose, one.pose)
        assert np.array_equal(after.pose, fresh[2].pose)
        assert after.errors == fresh[2].errors


def test_whole_calls_look_at_starts_and_targets_that_are_not_sound(solver: mk.Solver) -> None:
    starts, targets = rows(solver, 4)
    kept = starts.copy()
    poses = solver.solve_many(starts, targets).poses
    assert np.array_equal(starts, kept)
    assert np.array_equal(solver.solve_many(starts.tolist(), targets.tolist()).poses, poses)
    for call in (solver.solve_many, solver.track):
        with pytest.raises(mk.errors.BadValue, match="row 2"):
            call(starts[0], np.where(np.arange(4)[:, None] == 2, np.nan, targets))
        with pytest.raises(mk.errors.BadShape, match="targets"):
            call(starts[0], targets[:, :5])
