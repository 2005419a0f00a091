"""Numbers and tables for reading."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.report.guess import guesses
from manikin.report.sentences import angle, length, rounded_up


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.656, 1.0, "1.66 m"),
        (0.393, 1.0, "39.3 cm"),
        (0.0042, 1.0, "4.2 mm"),
        (39.3, 0.01, "39.3 cm"),
        (0.5, None, "0.5"),
    ],
)
def test_lengths_read_well_in_every_unit(value: float, unit: float | None, text: str) -> None:
    assert length(value, unit) == text


@pytest.mark.parametrize(("degrees", "text"), [(20.4, "20°"), (7.44, "7.4°"), (9.97, "10°"), (0.0573, "0.057°")])
def test_angles_are_whole_from_ten_degrees(degrees: float, text: str) -> None:
    assert angle(np.deg2rad(degrees)) == text


@pytest.mark.parametrize(("degrees", "up"), [(12.1, 13.0), (12.0, 12.0), (3.01, 3.1), (9.95, 10.0)])
def test_amounts_are_rounded_up_to_what_is_printed(degrees: float, up: float) -> None:
    assert np.rad2deg(rounded_up(float(np.deg2rad(degrees)), "rad")) == pytest.approx(up)
    assert rounded_up(0.12341, "length") == pytest.approx(0.124)
    assert rounded_up(0.0, "rad") == 0.0


def test_printing_a_solution_guesses_without_solving_until_the_report_was_asked_for() -> None:
    goals = [
        mk.Position("Tip", (2.0, 0.0), axes="xy", name="here"),
        mk.Position("Tip", (2.0, 1.0), axes="xy", name="there"),
    ]
    solution = mk.solve(mk.chain(4, planar=True), goals)
    assert "misses by 0.5: in conflict with there" in str(solution)
    assert "report" not in solution._extra  # type: ignore[operator]
    sentences = [report.text for report in solution.report]
    printed = str(solution)
    assert all(text in printed for text in sentences)
    assert "misses by 0.5: " not in printed


def test_guesses_are_marked_as_such_unless_lengths_prove_them() -> None:
    arm = mk.chain(3, mk.Hinge(limits=(-0.6, 0.6)))
    blocked = mk.solve(arm, mk.Position("Tip", (-0.5, 1.0), axes="xy"))
    assert guesses(blocked)[0].startswith("probably ")
    far = mk.solve(arm, mk.Position("Tip", (5.0, 0.0), axes="xy"))
    assert guesses(far) == ("out of reach by at least 2.00 m",)
    stopped = mk.solve(mk.human(), mk.Position("LeftHand", (0.4, 1.4, 0.3)), iterations=0)
    assert guesses(stopped) == ("probably not finished",)
    assert guesses(mk.solve(arm, mk.Position("Tip", (2.9, 0.3), axes="xy"))) == ("",)


def test_guesses_know_frozen_joints_and_goals_that_stay() -> None:
    human = mk.human()
    reach = mk.solve(human, mk.Position("RightHand", (-0.3, 1.4, 0.4)), only=["RightForeArm", "RightHand"])
    assert guesses(reach) == ("out of reach by at least 24.8 cm while joints are frozen",)
    arm = mk.chain(2, planar=True)
    bent = mk.solve(arm, mk.Position("Tip", (1.2, 0.4), axes="xy"), arm.pose({"Segment2": 1.5}), freeze=["Segment2"])
    assert guesses(bent) == ("probably because Segment2 is frozen",)
    feet = [mk.Placement(s, human.placements(human.rest, [s])[0], name=s) for s in ("LeftFoot", "RightFoot")]
    far = mk.solve(human, [mk.Position("RightHand", (-1.6, 1.0, 0.3), priority=1), *feet])
    assert guesses(far)[0] in {f"probably out of reach while {s} stays" for s in ("LeftFoot", "RightFoot")}


def test_a_placement_is_reported_with_both_its_parts() -> None:
    arm = mk.chain(2, mk.Hinge(limits=(-0.1, 0.1)))
    turned = mk.chain(2, planar=True).placements([0.8, 0.8], ["Tip"])[0]
    text = mk.solve(arm, mk.Placement("Tip", turned)).report[0].text
    assert text.startswith("Placement Tip misses its target by ")
    assert " m and " in text or " cm and " in text
    assert "° (tolerance 0.2 mm, 0.057°)." in text
