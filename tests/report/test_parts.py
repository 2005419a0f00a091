"""Reports on figures whose names do not say the parts of the body."""

from __future__ import annotations

from mapped_figures import nameless

import manikin as mk


def missed(figure: mk.Figure, hand: str, elbow: str) -> str:
    """The report of a hand that should come nearer to its shoulder, with a frozen elbow."""
    arm = figure.segment(elbow).parent
    assert arm is not None
    shoulder, wrist = figure.placements(figure.rest, [arm, hand])[:, :3, 3]
    goals = [mk.Position(hand, 0.3 * shoulder + 0.7 * wrist), mk.Position(arm, shoulder)]
    return str(mk.solve(figure, goals, freeze=[elbow]).report[0])


def test_a_joint_without_a_telling_name_is_called_by_its_part() -> None:
    human = mk.human()
    figure, old = nameless(human)
    new = {name: bare for bare, name in old.items()}
    text = missed(figure, new["LeftHand"], new["LeftForeArm"])
    assert f"{new['LeftForeArm']} is frozen" in text
    assert text.endswith(f"{new['LeftHand']} is the left hand, {new['LeftForeArm']} is the left forearm.")


def test_names_that_say_their_part_are_not_explained() -> None:
    text = missed(mk.human(), "LeftHand", "LeftForeArm")
    assert "LeftForeArm is frozen" in text
    assert "left forearm" not in text


def test_an_arm_without_a_body_has_no_parts() -> None:
    chain = mk.chain(3, planar=True)
    text = str(mk.solve(chain, mk.Position("Tip", (9.0, 0.0), axes="xy")).report[0])
    assert "Out of reach" in text
    assert " is the " not in text
