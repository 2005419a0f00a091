"""A figure without its held sliders: every segment keeps its rest placement, and motions can be transferred both
ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from checks import assert_close, assert_refused
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin.errors import BadValue, UnknownName


def rig(rng: np.random.Generator) -> mk.Figure:
    """A chain of joints with held and loose sliders in any directions, some with a rest of their own."""
    segments = [mk.Segment("S0", None, mk.Free())]
    for k in range(1, 6):
        sliders = [mk.Slider(rng.normal(size=3), held=bool(rng.random() < 0.7)) for _ in range(int(rng.integers(0, 4)))]
        turn = [mk.Ball(), mk.Hinge(rng.normal(size=3)), mk.Euler("ZXY"), None][rng.integers(4)]
        motions = (*sliders, *([turn] if turn is not None else []))
        count = len(sliders) + {mk.Ball: 4, mk.Hinge: 1, mk.Euler: 3}.get(type(turn), 0)
        rest: tuple[float, ...] = ()
        if rng.random() < 0.6 and not isinstance(turn, mk.Ball):
            rest = tuple(rng.uniform(-0.5, 0.5, count))
        q = rng.normal(size=4)
        joint = mk.Joint(f"J{k}", motions, tuple(rng.normal(size=3)), tuple(q / np.linalg.norm(q)), rest)
        segments.append(mk.Segment(f"S{k}", f"S{int(rng.integers(0, k))}", joint, mass=1.0))
    return mk.Figure("rig", segments, source={"format": "x"})


def held_names(figure: mk.Figure) -> list[str]:
    return [figure.number_names[n] for n in sorted(figure.layout.held)]


@given(rngs())
def test_every_segment_rests_where_it_rested_and_no_held_slider_is_left(rng: np.random.Generator) -> None:
    figure = rig(rng)
    stiff = figure.rigid()
    assert_close(stiff.placements(stiff.rest), figure.placements(figure.rest), tol=1e-12)
    assert stiff.nq == figure.nq - len(figure.layout.held)
    assert not stiff.layout.held
    assert (stiff.segment_names, stiff.joint_names, stiff.source) == (
        figure.segment_names,
        figure.joint_names,
        figure.source,
    )
    assert stiff.rigid() is stiff


@given(rngs())
def test_what_is_kept_may_move_and_the_rest_is_gone(rng: np.random.Generator) -> None:
    figure = rig(rng)
    names = held_names(figure)
    if not names:
        return
    kept = [str(n) for n in rng.choice(names, int(rng.integers(1, len(names) + 1)), replace=False)]
    loose = figure.rigid(keep=kept)
    assert loose.nq == figure.nq - len(names) + len(kept)
    assert not loose.layout.held
    assert_close(loose.placements(loose.rest), figure.placements(figure.rest), tol=1e-12)
    joint = figure.segments[-1].joint
    own = [n for n in names if n.startswith(joint.name)]
    if own:
        by_joint, by_segment = figure.rigid(keep=[joint.name]), figure.rigid(keep=[figure.segments[-1].name])
        assert by_joint == by_segment == figure.rigid(keep=own)


@given(rngs())
def test_motions_go_onto_it_and_back(rng: np.random.Generator) -> None:
    figure = rig(rng)
    stiff = figure.rigid()
    poses = stiff.integrate(stiff.rest, rng.normal(size=(4, stiff.nv)))
    motion = mk.Motion(stiff, poses, source={"a": 1})
    whole = motion.on(figure)
    held = sorted(figure.layout.held)
    assert (whole.poses[:, held] == figure.rest[held]).all()
    assert_close(whole.placements(), motion.placements(), tol=1e-9, scale=10)
    back = whole.on(stiff)
    assert_close(back.poses, motion.poses)
    assert back.source == {"a": 1}
    if held:
        moved = whole.poses.copy()
        moved[2, held[0]] += 0.01
        assert_refused(
            lambda: mk.Motion(figure, moved).on(stiff),
            BadValue,
            r"does not slide as in the motion: its position would be 0.01 off in frame 2. `figure.rigid\(keep=\['J",
        )


def test_a_name_that_is_wrong_is_said() -> None:
    figure = mk.Figure(
        "rig",
        [
            mk.Segment("Hips", None, mk.Free()),
            mk.Segment("Arm", "Hips", mk.Joint("Shoulder", (mk.Slider(held=True), mk.Slider((0, 1, 0)), mk.Hinge()))),
        ],
    )
    assert figure.rigid(keep="Arm").number_names[7:] == ("Shoulder.tx", "Shoulder.ty", "Shoulder.rz")
    for name, kind, message in [
        ("Sholder", UnknownName, "keep: figure 'rig' has no joint 'Sholder'; did you mean 'Shoulder'"),
        ("Shoulder.tz", UnknownName, "keep: figure 'rig' has no joint or number 'Shoulder.tz'"),
        ("Hips", BadValue, "keep: 'Hips' of figure 'rig' has no held slider"),
        ("Shoulder.ty", BadValue, "keep: 'Shoulder.ty' of figure 'rig' has no held slider"),
    ]:
        assert_refused(lambda name=name: figure.rigid(keep=[name]), kind, message)  # type: ignore[misc]


def test_a_held_slider_that_others_follow_must_be_kept() -> None:
    figure = mk.Figure(
        "gear",
        [
            mk.Segment("A", None, (mk.Slider(held=True),)),
            mk.Segment("B", "A", mk.Joint("B", (mk.Slider(),), coupling=mk.Coupling("A"))),
        ],
    )
    assert_refused(figure.rigid, BadValue, "figure 'gear': joint 'B' follows 'A'; keep that joint instead")
    assert figure.rigid(keep=["A"]).nv == 1


def test_a_rigid_figure_of_a_file_is_posed_and_saved(tmp_path: Path) -> None:
    channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    text = (
        f"HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\n{channels}JOINT Arm\n{{\nOFFSET 1 2 0\n{channels}"
        "End Site\n{\nOFFSET 1 0 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n"
        "0 0 0 0 0 0 1 2 0 10 20 30\n0 1 0 0 0 0 1 2 0 40 20 30\n"
    )
    (tmp_path / "a.bvh").write_text(text)
    motion = mk.load_motion(tmp_path / "a.bvh")
    assert held_names(motion.figure) == ["Arm.tx", "Arm.ty", "Arm.tz"]
    stiff = motion.on(motion.figure.rigid())
    assert stiff.figure.nq == 9
    assert_close(stiff.placements(), motion.placements())
    solution = mk.solve(stiff.figure, mk.Position("Arm_end", (0.5, 2.5, 0.5)), stiff[0])
    assert solution.reached
    edited = stiff.replaced(poses=[solution.pose, stiff[1]])
    for name in ("b.bvh", "b.glb", "b.usda"):
        mk.save(edited, tmp_path / name)
        back = mk.load_motion(tmp_path / name)
        names = ["Hips", "Arm"]
        assert_close(back.placements(names)[..., :3, 3], edited.placements(names)[..., :3, 3], tol=1e-5)
    mk.save(edited.on(motion.figure), tmp_path / "c.bvh")
    lines = (tmp_path / "c.bvh").read_text().splitlines()
    assert lines[: text.splitlines().index("MOTION")] == text.splitlines()[: text.splitlines().index("MOTION")]
    assert lines[-1] == "0 1 0 0 0 0 1 2 0 40 20 30"
    assert len(lines[-2].split()) == 12


def test_nothing_held_gives_the_figure_itself() -> None:
    human = mk.human()
    assert human.rigid() is human
    with pytest.raises(BadValue, match="keep: 'Hips' of figure 'human' has no held slider"):
        human.rigid(keep=["Hips"])
