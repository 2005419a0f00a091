"""A second call, a fresh process and another figure: what is kept on a figure changes no result."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk
from manikin.motion.retarget.last_solvers import solver_for
from manikin.solvers.native.recent import MOST

FRAMES = 40
ALONE = """
import hashlib
import numpy as np
import manikin as mk
person = mk.human()
poses = np.load({path!r})
out = mk.retarget(mk.Motion(person, poses, np.arange(len(poses)) / 30), mk.human(height=1.4))
print(hashlib.sha256(out.motion.poses.tobytes()).hexdigest())
"""


def swaying(person: mk.Figure, count: int = FRAMES) -> mk.Motion:
    """A person who sways and bends an arm."""
    poses = np.tile(person.rest, (count, 1))
    poses[:, 0] += 0.03 * np.sin(np.arange(count) / 5)
    poses[:, person.index_of("LeftForeArm")] = 0.8 + 0.3 * np.sin(np.arange(count) / 4)
    return mk.Motion(person, poses, np.arange(count) / 30)


def test_a_second_call_and_a_fresh_process_give_the_same_bits(tmp_path: object) -> None:
    motion, child = swaying(mk.human()), mk.human(height=1.4)
    first, second = (mk.retarget(motion, child).motion.poses for _ in range(2))
    assert first.tobytes() == second.tobytes()
    np.save(f"{tmp_path}/poses.npy", motion.poses)
    code = ALONE.format(path=f"{tmp_path}/poses.npy")
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120)
    assert run.stdout.strip() == hashlib.sha256(first.tobytes()).hexdigest()


@pytest.mark.parametrize("name", ["g1", "makehuman"])
def test_an_earlier_clip_on_a_figure_changes_no_bit(name: str) -> None:
    """The earlier clip has other contacts, and its hands touch the floor."""
    used, motion = figure(name), clip("walk", 120)
    mk.retarget(clip("cartwheel", 240), used)
    fresh = used.replaced()
    assert mk.retarget(motion, used).motion.poses.tobytes() == mk.retarget(motion, fresh).motion.poses.tobytes()


def test_an_earlier_target_of_a_clip_changes_no_bit() -> None:
    """The calibration and the contacts of a clip are kept on it, but not used if the call gives others."""
    used = clip("walk", 120)
    mk.retarget(used, figure("g1"))
    floor = mk.contacts(used).floor
    assert floor is not None
    for options in ({}, {"floor": floor + 0.5}, {"source_pose": used.poses[0]}, {"contacts": mk.contacts(used)}):
        again, alone = (mk.retarget(motion, mk.human(), **options) for motion in (used, used.replaced()))  # type: ignore[arg-type]
        assert again.motion.poses.tobytes() == alone.motion.poses.tobytes()
        assert again.floor == alone.floor
    assert mk.retarget(used, mk.human(), floor=floor + 0.5).floor == floor + 0.5


def test_figures_with_equal_names_and_other_offsets_share_nothing() -> None:
    motion = swaying(mk.human())
    tall, short = mk.human(height=1.9), mk.human(height=1.2)
    assert tall.segment_names == short.segment_names
    one, two = (mk.retarget(motion, target) for target in (tall, short))
    alone = mk.retarget(motion, mk.human(height=1.2))
    assert two.motion.poses.tobytes() == alone.motion.poses.tobytes()
    hips = [m.motion.placements(["Hips"])[0, 0, 1, 3] for m in (one, two)]
    assert hips[0] / hips[1] == pytest.approx(1.9 / 1.2, rel=0.02)


def test_other_options_do_not_get_the_solver_of_an_earlier_call() -> None:
    motion, child = swaying(mk.human()), mk.human(height=1.4)
    mk.retarget(motion, child)
    for options in ({"plant": False}, {"hold_body": True}, {"weights": {"wrist": 1.0}}):
        again, alone = (mk.retarget(motion, target, **options) for target in (child, mk.human(height=1.4)))  # type: ignore[arg-type]
        assert again.motion.poses.tobytes() == alone.motion.poses.tobytes()


def test_the_number_of_kept_solvers_is_bounded() -> None:
    arm = mk.chain(3, planar=True)
    goals = [mk.Position("Tip", (1.0, 1.0), axes="xy", name=f"goal {k}") for k in range(MOST + 3)]
    solvers = [solver_for(arm, [goal], arm.joint_names) for goal in goals]
    assert solver_for(arm, [goals[-1]], arm.joint_names) is solvers[-1]
    assert solver_for(arm, [goals[0]], arm.joint_names) is not solvers[0]
    assert solver_for(arm, [goals[-1]], arm.joint_names[:1]) is not solvers[-1]


def test_threads_may_retarget_on_one_figure() -> None:
    child = mk.human(height=1.4)
    motions = [swaying(mk.human(), count) for count in (12, 20, 28, 36)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda motion: mk.retarget(motion, child).motion.poses.tobytes(), motions))
    assert together == [mk.retarget(motion, mk.human(height=1.4)).motion.poses.tobytes() for motion in motions]
