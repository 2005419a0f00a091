"""Random MJCF files, of all that the format offers, against MuJoCo: places, centre of mass, limits, gaps of loops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given, settings
from mjcf_judge import Judge
from strategies import rngs

import manikin as mk
from manikin.figure import Ball, Figure
from manikin.goals.loops import with_loops
from manikin.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::manikin.errors.OddFile")

Rng = np.random.Generator


class Writer:
    """Writes a random model."""

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        self.degree = bool(rng.integers(2))
        self.count = 0
        self.slides: list[str] = []
        """Joints of one number."""
        self.bodies: list[str] = []
        self.sites: list[str] = []

    def chance(self, part: float) -> bool:
        return bool(self.rng.uniform() < part)

    def numbers(self, count: int, size: float = 1.0) -> str:
        return " ".join(repr(float(x)) for x in self.rng.normal(0.0, size, count).round(3))

    def angles(self, count: int, size: float = 1.0) -> str:
        return " ".join(
            repr(float(x)) for x in self.rng.normal(0.0, size * (60.0 if self.degree else 1.0), count).round(3)
        )

    def place(self) -> str:
        """pos and one of the ways to state a rotation."""
        turn = self.rng.integers(7)
        texts = {
            0: "",
            1: f'quat="{self.numbers(4)}"',
            2: f'euler="{self.angles(3)}"',
            3: f'axisangle="{self.numbers(3)} {self.angles(1)}"',
            4: f'xyaxes="{self.numbers(6)}"',
            5: f'zaxis="{self.numbers(3)}"',
        }
        return f'pos="{self.numbers(3, 0.3)}" {texts.get(int(turn), "")}'

    def joint(self, kind: str) -> str:
        self.count += 1
        name = f"joint{self.count}"
        words = [f'<joint name="{name}" type="{kind}"']
        if self.chance(0.5):
            words.append(f'pos="{self.numbers(3, 0.2)}"')
        if kind == "ball":
            if self.chance(0.4):
                most = float(self.rng.uniform(0.2, 4.0)) * (57.3 if self.degree else 1.0)
                words.append(f'range="0 {most:.3f}"')
            return " ".join(words) + "/>"
        self.slides.append(name)
        sized = self.angles if kind == "hinge" else self.numbers
        words.append(
            f'axis="{self.numbers(3)}"'
            if self.chance(0.6)
            else f'axis="{["1 0 0", "0 1 0", "0 0 -1"][self.rng.integers(3)]}"'
        )
        if self.chance(0.5):
            words.append(f'ref="{sized(1, 0.5)}"')
        if self.chance(0.6):
            low, high = sorted(float(x) for x in sized(2, 0.8).split())
            words.append(f'range="{low} {high + 0.01}"')
            if self.chance(0.2):
                words.append('limited="false"')
        if self.chance(0.2):
            words.append('class="stiff"')
        return " ".join(words) + "/>"

    def geom(self) -> str:
        kind = ["sphere", "capsule", "box", "cylinder", "ellipsoid"][self.rng.integers(5)]
        size = " ".join(f"{x:.3f}" for x in self.rng.uniform(0.02, 0.3, 3))
        place = self.place()
        if kind in ("capsule", "box", "cylinder") and self.chance(0.3):
            place = f'fromto="{self.numbers(6, 0.4)}"'
        extra = [f'mass="{self.rng.uniform(0.1, 3):.3f}"', f'density="{self.rng.uniform(100, 3000):.1f}"', ""]
        visual = 'contype="0" conaffinity="0"' if self.chance(0.2) else ""
        return f'<geom type="{kind}" size="{size}" {place} {extra[self.rng.integers(3)]} {visual}/>'

    def body(self, depth: int) -> str:
        self.count += 1
        name = f"body{self.count}"
        self.bodies.append(name)
        inside: list[str] = []
        if depth == 0 and self.chance(0.4):
            inside.append(["<freejoint/>", f'<joint name="root{self.count}" type="free"/>'][self.rng.integers(2)])
        else:
            kinds = [["hinge", "hinge", "slide"][self.rng.integers(3)] for _ in range(self.rng.integers(0, 4))]
            kinds += ["ball"] if self.chance(0.25) else []  # MuJoCo wants no rotation behind a ball
            inside += [self.joint(kind) for kind in kinds]
        if self.chance(0.3):
            inertia = self.rng.uniform(1.0, 1.9, 3)
            values = " ".join(f"{x:.3f}" for x in inertia)
            inside.append(f'<inertial {self.place()} mass="{self.rng.uniform(0.5, 4):.3f}" diaginertia="{values}"/>')
        inside += [self.geom() for _ in range(self.rng.integers(1, 3))]
        for _ in range(self.rng.integers(0, 2)):
            self.count += 1
            self.sites.append(f"site{self.count}")
            inside.append(f'<site name="{self.sites[-1]}" {self.place()}/>')
        if depth < 4:
            for _ in range(self.rng.integers(0, 3) if depth else 2):
                inner = self.body(depth + 1)
                inside.append(f"<frame {self.place()}>{inner}</frame>" if self.chance(0.2) else inner)
        return f'<body name="{name}" {self.place()}>{"".join(inside)}</body>'

    def model(self) -> str:
        sequence = "".join(self.rng.choice(list("xyzXYZ"), 3))
        angle = "degree" if self.degree else "radian"
        body = self.body(0)
        return (
            f'<mujoco model="random"><compiler angle="{angle}" eulerseq="{sequence}"/>'
            f'<default><default class="stiff"><joint armature="1" pos="{self.numbers(3, 0.1)}"/></default></default>'
            f"<worldbody>{body}{self.geom()}</worldbody>{self.equalities()}</mujoco>"
        )

    def equalities(self) -> str:
        out = []
        if len(self.slides) > 1 and self.chance(0.5):
            first, second = (str(x) for x in self.rng.choice(self.slides, 2, replace=False))
            out.append(f'<joint joint1="{first}" joint2="{second}" polycoef="{self.numbers(2, 0.7)} 0 0 0"/>')
        for _ in range(self.rng.integers(0, 3)):
            first, second = (str(x) for x in self.rng.choice(self.bodies, 2, replace=len(self.bodies) < 2))
            kind = self.rng.integers(5)
            if kind == 0:
                out.append(f'<connect body1="{first}" body2="{second}" anchor="{self.numbers(3, 0.3)}"/>')
            elif kind == 1:
                out.append(f'<connect body1="{first}" anchor="{self.numbers(3, 0.3)}"/>')
            elif kind == 2:
                out.append(f'<weld body1="{first}" body2="{second}" anchor="{self.numbers(3, 0.3)}"/>')
            elif kind == 3:
                relative = f"{self.numbers(3, 0.3)} {self.numbers(4)}"
                out.append(f'<weld body1="{first}" body2="{second}" relpose="{relative}"/>')
            elif len(self.sites) > 1:
                one, other = (str(x) for x in self.rng.choice(self.sites, 2, replace=False))
                tag = ["connect", "weld"][self.rng.integers(2)]
                out.append(f'<{tag} site1="{one}" site2="{other}"/>')
        return f"<equality>{''.join(out)}</equality>"


def read(text: str, folder: Path) -> Figure:
    path = folder / "model.xml"
    path.write_text(text)
    return mk.load_figure(path)


@settings(max_examples=100)
@given(rng=rngs())
def test_every_body_site_and_limit_is_where_mujoco_has_it(rng: Rng, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = Writer(rng).model()
    figure, judge = read(text, tmp_path_factory.mktemp("mjcf")), Judge.of_text(text)
    model = judge.model
    assert (figure.nq, figure.mass) == (model.nq, pytest.approx(float(model.body_mass[1:].sum())))
    for q in [figure.rest, *figure.random(rng, 3)]:
        assert judge.worst(figure, q) <= 1e-12 * max(1.0, figure.size)
        assert_close(figure.center_of_mass(q), judge.center(q), max(1.0, figure.size), 1e-12)
    for s in figure.segments:
        if s.joint.nq == 1 and s.joint.coupling is None and s.joint.name.startswith("joint"):
            joint = model.joint(s.joint.name)
            limits = joint.range if joint.limited[0] else (-np.inf, np.inf)
            assert s.joint.motions[0].limits == tuple(limits)  # type: ignore[union-attr]


@settings(max_examples=60)
@given(rng=rngs())
def test_the_gap_of_every_loop_is_what_mujoco_measures(rng: Rng, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = Writer(rng).model()
    figure, judge = read(text, tmp_path_factory.mktemp("mjcf")), Judge.of_text(text)
    if not figure.loops:
        return
    problem = Problem(figure, with_loops(figure, []))
    for q in figure.random(rng, 3):
        theirs = [gap for e, gap in judge.gaps(q).items() if judge.model.eq_type[e] < 2 and not judge.rigid(e)]
        at = problem.at(q)
        for goal, rows, gap in zip(problem.goals, problem.slices, theirs, strict=True):
            ours = at.rows[rows]
            assert_close(np.linalg.norm(ours[:3]), np.linalg.norm(gap[:3]), max(1.0, figure.size), 1e-9)
            assert goal.rows == len(gap)
            if len(gap) == 6:  # MuJoCo's measure of a turn θ is sin(θ/2), and no more
                turn = 2.0 * np.arcsin(min(1.0, float(np.linalg.norm(gap[3:]))))
                assert_close(np.linalg.norm(ours[3:]), turn, tol=1e-6)


@settings(max_examples=60)
@given(rng=rngs())
def test_a_ball_allows_every_turn_that_mujoco_allows(rng: Rng, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = Writer(rng).model()
    figure = read(text, tmp_path_factory.mktemp("mjcf"))
    judge = Judge.of_text(text)
    for s in figure.segments:
        if s.joint.kind != "ball":
            continue
        motion = s.joint.motions[0]
        assert isinstance(motion, Ball)
        record = judge.model.joint(s.joint.name)
        if not record.limited[0] or record.range[1] >= np.pi:
            assert motion.limits is None
            continue
        most = float(record.range[1])
        for _ in range(5):
            axis = rng.normal(size=3)
            turn = mk.rotations.from_axis_angle(axis / np.linalg.norm(axis), rng.uniform(0.0, 1.0) * most)
            only = Figure("ball", [mk.Segment("a"), mk.Segment("b", "a", motion)])
            assert only.violation(turn) <= 1e-12
        assert only.violation(mk.rotations.from_axis_angle(np.array(motion.limits.axis), most + 0.01)) > 0.0  # type: ignore[union-attr]
