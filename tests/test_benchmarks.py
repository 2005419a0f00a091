"""The benchmark itself: its checker agrees with the figures and judges strictly; its tables say what was found."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manikin as mk

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import arms, bodies, environments, large, paths, readme, report, runs, summary
from benchmarks.peers import CALL, PEERS, WHOLE
from benchmarks.tree_files import from_json, from_urdf
from benchmarks.turns import angle_between, matrix, quaternions, rotation_vectors
from benchmarks.workload import Workload, errors, judged

SEED = 2026


def made(module: Any) -> list[Workload]:
    try:
        return list(module.workloads(SEED, quick=True))
    except FileNotFoundError as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module", params=[arms, bodies, large], ids=["arms", "bodies", "large"])
def workloads(request: pytest.FixtureRequest) -> list[Workload]:
    return made(request.param)


@pytest.fixture(scope="module")
def panda() -> Workload:
    return next(w for w in made(arms) if w.key == "panda-cold")


def poses(w: Workload, count: int = 20) -> np.ndarray:
    """Random ones; of the person with balls those that the figure itself draws."""
    rng = np.random.default_rng(1)
    return mk.human().random(rng, count) if w.figure else w.tree.random(rng, count)


def figure_of(w: Workload, folder: Path) -> tuple[mk.Figure, list[int]]:
    """As ours reads it, and where the numbers of a workload's pose stand in a pose of the figure."""
    w.save(folder)
    if w.figure:
        figure = mk.load_figure(folder / w.file)
        return figure, list(range(figure.nq))
    figure = mk.load_figure(folder / w.file, root="free" if w.tree.free else "fixed")
    return figure, [*range(7 if w.tree.free else 0), *(figure.index_of(name) for name in w.tree.joints)]


def distinct(workloads: list[Workload]) -> Iterator[Workload]:
    """One for each figure."""
    seen = set()
    for w in workloads:
        name = (w.key.split("-")[0], bool(w.figure), w.links)
        if name not in seen:
            seen.add(name)
            yield w


def test_the_checker_places_every_figure_as_the_figure_itself_does(workloads: list[Workload], tmp_path: Path) -> None:
    for w in distinct(workloads):
        figure, columns = figure_of(w, tmp_path)
        q = poses(w)
        if w.tree.free:
            q[:, 3:7] = [0.5, 0.5, -0.5, 0.5]
        ours = np.zeros((len(q), figure.nq))
        ours[:, columns] = q
        apart = np.abs(figure.placements(ours, list(w.links)) - w.tree.placements(q, w.links)).max()
        assert apart <= 1e-11 * max(1.0, figure.size), (w.key, apart)
        assert np.array_equal(figure.lower[columns], w.tree.lower), w.key
        assert np.array_equal(figure.upper[columns], w.tree.upper), w.key


def test_the_checker_places_every_figure_as_pinocchio_does(workloads: list[Workload], tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio", reason="pin is not installed: pip install pin")
    for w in distinct(workloads):
        if w.figure or w.tree.nq > 200:  # Pinocchio's Data grows with the cube of the joints
            continue
        w.save(tmp_path)
        root = [pin.JointModelFreeFlyer()] if w.tree.free else []
        model = pin.buildModelFromUrdf(str(tmp_path / w.file), *root)
        data = model.createData()
        for pose in poses(w, 5):
            q = pin.neutral(model)
            for name, x in zip(w.tree.joints, pose[7 if w.tree.free else 0 :], strict=True):
                joint = model.joints[model.getJointId(name)]
                q[joint.idx_q : joint.idx_q + joint.nq] = [x] if joint.nq == 1 else [np.cos(x), np.sin(x)]
            pin.framesForwardKinematics(model, data, q)
            theirs = np.array([data.oMf[model.getFrameId(link)].homogeneous for link in w.links])
            assert np.abs(theirs - w.tree.placements(pose[None], w.links)[0]).max() <= 1e-12, w.key


def test_the_checker_knows_the_cones_of_the_person(tmp_path: Path) -> None:
    human, rng = mk.human(), np.random.default_rng(3)
    mk.save(human, tmp_path / "human.json")
    tree = from_json(tmp_path / "human.json")
    inside = human.random(rng, 200)
    assert tree.violation(inside).max() <= 1e-9
    outside = human.integrate(inside, 0.3 * rng.normal(size=(200, human.nv)))
    theirs = np.array([human.violation(q) for q in outside])
    assert (theirs > 0.05).sum() > 150
    assert np.abs(tree.violation(outside) - theirs).max() <= 1e-9


def test_what_a_pose_was_made_from_is_solved_and_what_is_off_is_not(panda: Workload) -> None:
    rng = np.random.default_rng(4)
    meant = panda.tree.random(rng, 10)
    placed = panda.tree.placements(meant, panda.links)
    rows = np.concatenate([placed[..., :3, 3], quaternions(placed[..., :3, :3])], axis=-1)
    w = replace(panda, targets=rows, starts=meant)
    assert judged(w, meant).solved == 1.0
    assert max(e.max() for e in errors(w, meant)) <= 1e-12
    for spoilt, share in ((0, 0.9), (3, 0.9)):
        off = meant.copy()
        off[spoilt, 3] += 2e-3  # the elbow: a millimetre or more at the hand
        assert judged(w, off).solved == share
        assert judged(w, off).first_missed == spoilt
    nothing = meant.copy()
    nothing[5] = np.nan
    assert judged(w, nothing).solved == 0.9
    beyond = replace(w, tree=type(w.tree)(tuple(replace(p, limits=(-0.1, 0.1)) for p in w.tree.parts)))
    assert judged(beyond, meant).solved == 0.0
    assert judged(beyond, meant).violation > 0.1


def test_orientations_count_for_placements_only_and_aims_by_their_angle(panda: Workload) -> None:
    rng = np.random.default_rng(5)
    meant = panda.tree.random(rng, 5)
    placed = panda.tree.placements(meant, panda.links)
    turned = placed[..., :3, :3] @ rotation_vectors(np.array([0.0, 0.0, 0.002]))  # about its own z
    rows = np.concatenate([placed[..., :3, 3], quaternions(turned)], axis=-1)
    w = replace(panda, targets=rows, starts=meant)
    assert judged(w, meant).solved == 0.0
    assert judged(replace(w, angle=0.0021), meant).solved == 1.0
    assert judged(replace(w, kinds=("position",)), meant).solved == 1.0
    ahead = rows.copy()
    ahead[..., :3] += 2.0 * placed[..., :3, 2]
    aimed = replace(w, kinds=("aim",), targets=ahead)
    assert judged(aimed, meant).solved == 1.0
    aside = replace(aimed, targets=ahead + 0.01 * np.concatenate([placed[..., :3, 0], np.zeros((5, 1, 4))], axis=-1))
    assert judged(aside, meant).solved == 0.0
    assert judged(replace(aside, angle=0.0051), meant).solved == 1.0


def test_a_jump_between_frames_is_seen(panda: Workload) -> None:
    path = np.tile(panda.starts[0], (6, 1)) + 0.01 * np.arange(6)[:, None]
    path[4:, 2] += 0.4
    w = replace(panda, mode="track", starts=path[:1], targets=panda.targets[:5])
    assert judged(w, path[1:]).jump == pytest.approx(0.41)


def test_paths_move_by_the_step_and_stay_within_limits(panda: Workload) -> None:
    tree = panda.tree
    frames = paths.frames(tree, paths.through_joints(tree, np.random.default_rng(6)), panda.links, 3e-3, 5000)
    placed = tree.placements(frames, panda.links)
    moved = np.linalg.norm(np.diff(placed[:, 0, :3, 3], axis=0), axis=1)
    turned = angle_between(placed[1:, 0, :3, :3], placed[:-1, 0, :3, :3])
    assert len(frames) > 100
    assert moved.max() <= 3.01e-3
    assert turned.max() <= 3.01e-3 / paths.LEVER
    assert np.maximum(moved, paths.LEVER * turned).min() >= 2.9e-3
    assert tree.violation(frames).max() == 0.0


def test_the_same_seed_gives_the_same_workloads() -> None:
    for a, b in zip(made(large), made(large), strict=True):
        assert np.array_equal(a.targets, b.targets)
    other = next(iter(large.workloads(SEED + 1, quick=True)))
    assert not np.array_equal(other.targets, made(large)[0].targets)


def test_merging_fixed_links_moves_nothing(tmp_path: Path) -> None:
    try:
        whole = from_urdf(arms.data("baxter.urdf"), links=["left_gripper"])
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    less = whole.merged(["left_gripper"])
    q = whole.random(np.random.default_rng(7), 20)
    assert len(less.parts) < len(whole.parts)
    assert less.joints == whole.joints
    apart = whole.placements(q, ["left_gripper"]) - less.placements(q, ["left_gripper"])
    assert np.abs(apart).max() <= 1e-14


def test_quaternions_and_matrices_agree() -> None:
    q = np.random.default_rng(8).normal(size=(50, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True) * np.sign(q[:, :1])
    assert np.abs(quaternions(matrix(q)) - q).max() <= 1e-14


@pytest.mark.skipif(not mk.backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")
@pytest.mark.parametrize(("key", "who"), [("chain-300", CALL), ("person-track", WHOLE)])
def test_ours_runs_in_the_harness_and_is_judged(key: str, who: Any, tmp_path: Path) -> None:
    w = next(w for w in (*large.workloads(SEED, True), *_bodies()) if w.key == key)
    w = replace(w, targets=w.targets[:5], seconds=0.2)
    w.save(tmp_path)
    row = runs.run(w, who, tmp_path)
    assert "failed" not in row, row
    assert row["solved"] == 1.0
    assert row["count"] == 5
    assert row["violation"] <= 1e-9
    assert 0.0 < row["mean"] < 1.0


def _bodies() -> list[Workload]:
    person = bodies.Person()
    frames = person.moving(np.random.default_rng(9), (bodies.HEAD, *bodies.LIMBS), 10)
    return list(person.both("person-track", "", "track", frames[1:], frames[:1], False, ()))


def test_what_went_wrong_is_said_in_one_line() -> None:
    assert runs.reason([]) == "said nothing"
    assert runs.reason(["a", "ValueError: no"]) == "ValueError: no"
    assert "8 GiB" in runs.reason(["Traceback", "MemoryError"])
    assert runs.reason(["thread panicked at x:", "not a hinge", "stack"]) == "thread panicked at x: not a hinge"


def test_a_peer_that_is_not_installed_stands_in_the_results_with_the_reason(
    panda: Workload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    (tmp_path / "drake.failed").write_text("ERROR: no wheel\n")
    found = [runs.run(panda, PEERS[key], tmp_path) for key in ("drake", "optik")]
    assert found[0]["failed"] == "ERROR: no wheel"
    assert "not installed" in found[1]["failed"]
    assert "could not: ERROR: no wheel" in report.details(found)


def row(who: str, mean: float, solved: float = 1.0, **more: Any) -> dict[str, Any]:
    times = {"mean": mean, "median": mean, "p99": 2 * mean, "wall": mean, "jump": 0.01, "solved": solved}
    return {"workload": "panda-warm", "title": "", "who": who, "label": who, "version": "1", **times, **more}


def lines_of(*rows: dict[str, Any]) -> dict[str, summary.Line]:
    return {line.title: line for line in summary.summary(rows, None)}


def test_ratios_are_to_the_fastest_peer_that_solves_about_as_much_as_others() -> None:
    rows = [row("ours", 1e-6), row("rtb", 10e-6), row("placo", 7e-6, 0.9), row("mink", 2e-6, 0.1)]
    (line,) = lines_of(*rows).values()
    assert line.ratio == pytest.approx(7.0)
    (line,) = lines_of(*rows[:2]).values()
    assert line.ratio == pytest.approx(10.0)
    (line,) = lines_of(rows[0], row("rtb", 0.0, failed="no wheel")).values()
    assert line.ratio is None


def test_beside_a_ratio_stands_how_much_was_solved_and_how_far_joints_jump() -> None:
    peer = row("rtb", 10e-6)
    (line,) = lines_of(row("ours", 1e-6, 0.999, jump=0.2), peer).values()
    assert line.remarks == ("solved 99.9 %", "largest jump 0.200 rad")
    assert "| 10.0 | solved 99.9 %; largest jump 0.200 rad |" in report.summary_table([line])


def test_the_readme_has_six_rows_and_all_of_them_are_in_the_results() -> None:
    stored = json.loads((readme.ROOT / "benchmarks" / "results" / "results.json").read_text())
    rows = [line for line in summary.summary(stored["rows"], None) if line.in_readme]
    assert len(rows) == 6
    page, results = (
        (readme.ROOT / "README.md").read_text(),
        (readme.ROOT / "benchmarks" / "results" / "results.md").read_text(),
    )
    for text in report.summary_table(rows).splitlines():
        assert text in page
        assert text in results


def test_the_readme_is_written_between_its_marks_only(tmp_path: Path) -> None:
    header = {"date": "2026-01-01", "processor": "P", "cores": 2, "system": "S", "python": "3", "manikin": "1"}
    header |= {"kernels": "v3", "seed": 1, "quick": False}
    (tmp_path / "results").mkdir()
    stored = {"header": header, "rows": [row("ours", 1e-6), row("rtb", 10e-6)]}
    (tmp_path / "results" / "results.json").write_text(json.dumps(stored))
    page = tmp_path / "README.md"
    page.write_text(f"before\n{readme.BEGIN}\nold\n{readme.END}\nafter\n")
    readme.write(tmp_path / "results", page)
    text = page.read_text()
    assert text.startswith(f"before\n{readme.BEGIN}\n")
    assert text.endswith(f"{readme.END}\nafter\n")
    assert "old" not in text
    assert "| 10.0 | solved 100 %; largest jump 0.010 rad |" in text
    assert "results/results.md" in text
    stored["header"]["quick"] = True  # type: ignore[index]
    (tmp_path / "results" / "results.json").write_text(json.dumps(stored))
    with pytest.raises(SystemExit, match="quick"):
        readme.write(tmp_path / "results", page)
