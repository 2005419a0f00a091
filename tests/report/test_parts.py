"""Reports on figures whose names do not say the parts of the body."""

from __future__ import annotations

import numpy as np
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


def test_distances_are_not_taken_for_names() -> None:
    """The segments are named 0, 1, 2 and so on, and the report has distances such as 1.72 m."""
    figure, old = nameless(mk.human())
    segments = [
        s.replaced(name=s.name[1:], parent=s.parent and s.parent[1:], joint=s.joint.renamed(s.name[1:]))
        for s in figure.segments
    ]
    figure = figure.replaced(segments=segments)
    hand = next(bare[1:] for bare, name in old.items() if name == "LeftHand")
    root, at = figure.placements(figure.rest, ["0", hand])
    goals = [mk.Placement("0", root), mk.Position(hand, at[:3, 3] + np.array([3.0, 1.0, 0.0]))]
    text = str(mk.solve(figure, goals).report[1])
    assert text.startswith(f"Position {hand} misses its target by 1.")
    assert text.endswith(f"Or drop Placement 0. {hand} is the left hand, 0 is the pelvis.")


def test_an_arm_without_a_body_has_no_parts() -> None:
    chain = mk.chain(3, planar=True)
    text = str(mk.solve(chain, mk.Position("Tip", (9.0, 0.0), axes="xy")).report[0])
    assert "Out of reach" in text
    assert " is the " not in text
