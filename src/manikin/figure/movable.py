"""The steps that a solver may take: all joints except held sliders, modified by `freeze`, `only` and `hold`.

The three steps of a ball with limits are those of its chart (`kinematics.chart`): normal to the rim of its cone, along
the rim, twist. So a ball with a held twist may take the first two, and a ball with a held swing the third.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from manikin.errors import BadValue, unknown_name
from manikin.figure.joint import Ball
from manikin.reference.tree import BALL, FIXED

if TYPE_CHECKING:
    from manikin.figure.figure import Figure


Hold: TypeAlias = Mapping[str, str]
"""The part of a ball that keeps its value, by joint: "twist" or "swing"."""
PARTS = {"twist": (True, True, False), "swing": (False, False, True)}
"""Which steps of a ball are left if a part is held."""


def movable_steps(
    figure: Figure, freeze: Sequence[str] = (), only: Sequence[str] | None = None, hold: Hold | None = None
) -> NDArray[np.bool_]:
    """(nv,) whether each step is allowed.

    Held sliders (`Slider.held`) stay unless `only` names them as single numbers ("Shoulder.tx"), or names a joint
    without other motions.

    Args:
        figure: the figure that has the steps.
        freeze: names of joints, or of single numbers, that must not move. It overrides `only`.
        only: names of the joints, or of the single numbers, that may move; None means all.
        hold: {joint: "twist"} or {joint: "swing"}, for balls with limits.

    Raises:
        UnknownName, BadValue: the message contains the option and the name.
    """
    held, steps = figure.layout.held, _steps(figure)
    movable = np.full(figure.nv, only is None)
    if only is None:
        movable[_of(steps, held)] = False
    else:
        for name in names_of(only, "only"):
            numbers = numbers_of(figure, name, "only")
            movable[_of(steps, [n for n in numbers if n not in held] or numbers)] = True
    for name in names_of(freeze, "freeze"):
        movable[_of(steps, numbers_of(figure, name, "freeze"))] = False
    for name, part in _held_parts(figure, hold):
        movable[_of(steps, numbers_of(figure, name, "hold"))[-3:]] &= PARTS[part]
    return movable


def partly_held(figure: Figure, movable: NDArray[np.bool_]) -> dict[int, NDArray[np.bool_]]:
    """The balls of which only a part may move: by the index of their quaternion in q, (3,) the steps that are left."""
    tree, out = figure.layout.tree, {}
    for i in np.flatnonzero(tree.kind == BALL):
        steps = movable[tree.step[i] : tree.step[i] + 3]
        if steps.any() and not steps.all():
            out[int(tree.number[i])] = steps
    return out


def held_balls(figure: Figure, movable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(nv,) the steps of the balls of which only a part may move."""
    tree, out = figure.layout.tree, np.zeros(figure.nv, dtype=bool)
    for number in partly_held(figure, movable):
        first = int(tree.step[(tree.kind == BALL) & (tree.number == number)][0])
        out[first : first + 3] = True
    return out


def _held_parts(figure: Figure, hold: Hold | None) -> list[tuple[str, str]]:
    """The joints and parts of `hold`, checked."""
    if hold is None:
        return []
    if not isinstance(hold, Mapping):
        raise BadValue(f"hold is {hold!r}; it needs a dict of joints, as in hold={{'LeftFoot': 'twist'}}")
    for name, part in hold.items():
        numbers_of(figure, name, "hold")
        if not isinstance(part, str) or part not in PARTS:
            raise BadValue(f"hold: the part of joint {name!r} is {part!r}; it must be 'twist' or 'swing'")
        if name not in figure.joint_names:
            raise BadValue(f"hold: {name!r} is a single number; name it in freeze")
        joint = figure.segments[figure.joint_names.index(name)].joint
        ball = joint.motions[-1] if joint.motions else None
        if not isinstance(ball, Ball):
            kind = "it is a " + joint.kind if joint.motions else "it is fixed"
            raise BadValue(f"hold: joint {name!r} is not a ball, {kind}; name its numbers in freeze")
        if ball.limits is None:
            raise BadValue(
                f"hold: joint {name!r} is a ball without limits, so its twist axis is unknown; give it "
                "limits=SwingTwist(axis=…)"
            )
    return list(hold.items())


def names_of(names: Sequence[str], option: str) -> list[str]:
    """Names given as a list, or as one string."""
    if not isinstance(names, Iterable):
        raise BadValue(f"{option} is {names!r}; it needs a list of names of joints or of single numbers")
    return [names] if isinstance(names, str) else list(names)


def numbers_of(figure: Figure, name: str, option: str) -> list[int]:
    """Indices in q of the numbers of a joint, or of one number.

    Raises:
        UnknownName, BadValue: the figure has no such name, the joint follows another, or the number is part of a
            quaternion.
    """
    layout = figure.layout
    if isinstance(name, str) and name in layout.first_number:
        first, joint = layout.first_number[name], figure.segments[figure.joint_names.index(name)].joint
        if joint.coupling is not None:
            raise BadValue(f"{option}: joint {name!r} follows {joint.coupling.source!r}; name that joint instead")
        return list(range(first, first + joint.nq))
    if isinstance(name, str) and name in layout.names:
        number, joint_name = layout.names.index(name), name.rpartition(".")[0]
        if any(first <= number < first + 4 for first in layout.balls):
            raise BadValue(
                f"{option}: {name!r} is a part of the quaternion of joint {joint_name!r}, which moves as a "
                f"whole; name {joint_name!r}"
            )
        return [number]
    owner = f"{option}: figure {figure.name!r}"
    if isinstance(name, str) and "." in name:
        raise unknown_name(owner, "joint or number", name, [*figure.joint_names, *figure.number_names])
    raise unknown_name(owner, "joint", name, figure.joint_names)


def _steps(figure: Figure) -> dict[int, range]:
    """The steps of each number that has its own: one, or three for the first number of a quaternion."""
    tree = figure.layout.tree
    rows = zip(tree.number.tolist(), tree.step.tolist(), tree.kind.tolist(), tree.source.tolist(), strict=True)
    return {
        number: range(step, step + (3 if kind == BALL else 1))
        for number, step, kind, source in rows
        if kind != FIXED and source < 0
    }


def _of(steps: Mapping[int, range], numbers: Collection[int]) -> list[int]:
    """The steps of some numbers."""
    return [step for number in sorted(numbers) for step in steps.get(number, ())]
