"""Bad input to the methods of a figure: one clear error each. (Bad parts: test_bad_parts, bad trees: test_bad_tree.)"""

# mypy: disable-error-code="arg-type, list-item, misc"
# Wrong types are what these tests are about.

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from checks import Case, assert_refused

from manikin.errors import BadShape, BadValue, UnknownName
from manikin.figure import Ball, Coupling, Euler, Figure, Free, Hinge, Joint, Segment, Slider, SwingTwist


def dancer() -> Figure:
    """One of each kind: q is Hips (7), Spine (3), LeftArm (4), LeftForeArm (1), Lift (1), LeftHand follows."""
    return Figure(
        "dancer",
        [
            Segment("Hips", joint=Free(), mass=10),
            Segment("Spine", "Hips", Euler("ZXY", ((-1, 1),) * 3), mass=5, offset=(0, 0.3, 0)),
            Segment("LeftArm", "Spine", Ball(SwingTwist(swing=(1, 0.5))), mass=1, offset=(0.2, 0.3, 0)),
            Segment("LeftForeArm", "LeftArm", Hinge(limits=(0, 2.5)), offset=(0, 0.3, 0)),
            Segment("Lift", "LeftForeArm", Slider(limits=(0, 0.1))),
            Segment(
                "LeftHand", "Lift", Joint(motions=(Hinge((1, 0, 0)),), coupling=Coupling("LeftForeArm", 0.5)), mass=0.5
            ),
        ],
    )


FIGURE = dancer()
REST = FIGURE.rest
Q = 17


def pose(**numbers: Any) -> Any:
    q = REST.copy()
    for key, value in numbers.items():
        q[int(key[1:])] = value
    return q


CALLS: dict[str, Case] = {
    "unknown segment": (
        lambda: FIGURE.segment("LHand"),
        UnknownName,
        r"figure 'dancer' has no segment 'LHand'; did you mean 'LeftHand'\? It has 6: Hips, Spine, LeftArm",
    ),
    "unknown joint": (
        lambda: FIGURE.index_of("Spin"),
        UnknownName,
        r"figure 'dancer' has no joint 'Spin'; did you mean",
    ),
    "unknown joint step": (lambda: FIGURE.step_of("xyz"), UnknownName, r"figure 'dancer' has no joint 'xyz'; it has 6"),
    "segment a number": (lambda: FIGURE.segment_index(2), UnknownName, r"figure 'dancer' has no segment 2"),
    "segment a list": (lambda: FIGURE.segment_index(["Hips"]), UnknownName, r"has no segment \['Hips'\]"),
    "joint a list": (lambda: FIGURE.index_of(["Hips"]), UnknownName, r"has no joint \['Hips'\]"),
    "pose too short": (
        lambda: FIGURE.placements(REST[:-1]),
        BadShape,
        rf"pose has shape \({Q - 1},\); figure 'dancer' needs \({Q},\) or \(…, {Q}\)",
    ),
    "pose a number": (
        lambda: FIGURE.placements(1.0),
        BadShape,
        rf"pose has shape \(\); figure 'dancer' needs \({Q},\)",
    ),
    "pose words": (lambda: FIGURE.placements(["a"] * Q), BadValue, r"pose needs numbers, got \['a', 'a'"),
    "pose complex": (lambda: FIGURE.placements(1j * REST), BadValue, r"pose needs numbers"),
    "pose None": (lambda: FIGURE.placements(None), BadValue, r"pose needs numbers, got None"),
    "pose ragged": (lambda: FIGURE.placements([[1], [1, 2]]), BadValue, r"pose needs numbers"),
    "pose NaN": (
        lambda: FIGURE.placements(pose(n8=np.nan)),
        BadValue,
        r"pose: Spine.x is nan; it needs a finite number",
    ),
    "pose infinite in a row": (
        lambda: FIGURE.placements(np.stack([REST, pose(n14=np.inf)])),
        BadValue,
        r"pose \[1\]: LeftForeArm is inf; it needs a finite number",
    ),
    "pose quaternion": (
        lambda: FIGURE.placements(pose(n10=1.1)),
        BadValue,
        r"pose: the quaternion of LeftArm has length 1.1; it needs length 1 \(order w, x, y, z\)",
    ),
    "pose quaternion zero": (
        lambda: FIGURE.placements(np.stack([REST, REST, pose(n3=0.0)])),
        BadValue,
        r"pose \[2\]: the quaternion of Hips is zero; it needs length 1",
    ),
    "pose quaternion huge": (
        lambda: FIGURE.placements(pose(n10=1e200)),
        BadValue,
        r"quaternion of LeftArm has length 1e\+200",
    ),
    "placements of unknown": (
        lambda: FIGURE.placements(REST, ["Hips", "Hand"]),
        UnknownName,
        r"figure 'dancer' has no segment 'Hand'; did you mean 'LeftHand'",
    ),
    "placements of a number": (lambda: FIGURE.placements(REST, 3), BadValue, r"segments are 3; .* names"),
    "out of the wrong shape": (
        lambda: FIGURE.placements(REST, out=np.zeros((6, 4, 3))),
        BadShape,
        r"out has shape \(6, 4, 3\); it needs \(6, 4, 4\)",
    ),
    "out single precision": (
        lambda: FIGURE.placements(REST, out=np.zeros((6, 4, 4), np.float32)),
        BadShape,
        r"out is ndarray of float32; it needs a float64 array",
    ),
    "out a list": (
        lambda: FIGURE.placements(REST, out=[0.0]),
        BadShape,
        r"out is list of no dtype; it needs a float64",
    ),
    "out not contiguous": (
        lambda: FIGURE.placements(REST, out=np.zeros((6, 4, 8))[..., ::2]),
        BadShape,
        r"out must be C-contiguous and writable",
    ),
    "out read-only": (
        lambda: FIGURE.placements(REST, out=_read_only((6, 4, 4))),
        BadShape,
        r"out must be C-contiguous and writable",
    ),
    "out for chosen": (
        lambda: FIGURE.placements(REST, ["Hips"], out=np.zeros((6, 4, 4))),
        BadShape,
        r"out has shape \(6, 4, 4\); it needs \(1, 4, 4\)",
    ),
    "jacobian of unknown": (
        lambda: FIGURE.jacobian(REST, "Hip"),
        UnknownName,
        r"no segment 'Hip'; did you mean 'Hips'",
    ),
    "jacobian point": (
        lambda: FIGURE.jacobian(REST, "Hips", (1, 2)),
        BadShape,
        r"point has shape \(2,\); it needs \(3,\)",
    ),
    "jacobian point NaN": (lambda: FIGURE.jacobian(REST, "Hips", (1, 2, np.nan)), BadValue, r"point\[2\] is nan"),
    "jacobian pose": (lambda: FIGURE.jacobian(REST[:3], "Hips"), BadShape, r"pose has shape \(3,\)"),
    "no mass": (
        lambda: Figure("wire", [Segment("A", joint=Hinge())]).center_of_mass([0.0]),
        BadValue,
        r"figure 'wire' has no mass, so it has no centre of mass; give its segments mass=",
    ),
    "no mass jacobian": (
        lambda: Figure("w", [Segment("A", joint=Hinge())]).com_jacobian([0.0]),
        BadValue,
        r"figure 'w' has no mass",
    ),
    "com pose": (lambda: FIGURE.center_of_mass([1.0]), BadShape, r"pose has shape \(1,\)"),
    "step too long": (
        lambda: FIGURE.integrate(REST, np.zeros(99)),
        BadShape,
        r"step has shape \(99,\); it needs \(…, 14\)",
    ),
    "step NaN": (lambda: FIGURE.integrate(REST, np.full(14, np.nan)), BadValue, r"step\[0\] is nan"),
    "steps and poses": (
        lambda: FIGURE.integrate(np.stack([REST] * 2), np.zeros((3, 14))),
        BadShape,
        r"pose has shape \(2, 17\) and step has shape \(3, 14\); their leading axes \(2,\) and \(3,\) cannot",
    ),
    "difference of shapes": (
        lambda: FIGURE.difference(np.stack([REST] * 2), np.stack([REST] * 3)),
        BadShape,
        r"first pose has shape \(2, 17\) and second pose has shape \(3, 17\); their leading axes",
    ),
    "difference second pose": (lambda: FIGURE.difference(REST, REST[1:]), BadShape, r"second pose has shape \(16,\)"),
    "jvp tangent": (lambda: FIGURE.jvp(REST, np.zeros(17)), BadShape, r"tangent has shape \(17,\); it needs \(…, 14\)"),
    "jvp wrt": (
        lambda: FIGURE.jvp(REST, np.zeros(14), wrt="angles"),
        BadValue,
        r"wrt is 'angles'; it must be 'step' or",
    ),
    "jvp rows": (
        lambda: FIGURE.jvp(np.stack([REST] * 2), np.zeros((3, 14))),
        BadShape,
        r"pose has shape \(2, 17\) and tangent has shape \(3, 14\)",
    ),
    "vjp cotangent": (
        lambda: FIGURE.vjp(REST, np.zeros((4, 4))),
        BadShape,
        r"cotangent has shape \(4, 4\); it needs \(…, 6, 4, 4\)",
    ),
    "vjp rows": (
        lambda: FIGURE.vjp(np.stack([REST] * 2), np.zeros((3, 6, 4, 4))),
        BadShape,
        r"pose has shape \(2, 17\) and cotangent has shape \(3, 6, 4, 4\)",
    ),
    "vjp wrt": (lambda: FIGURE.vjp(REST, np.zeros((6, 4, 4)), wrt=None), BadValue, r"wrt is None; it must be"),
    "violation pose": (lambda: FIGURE.violation([0.0]), BadShape, r"pose has shape \(1,\)"),
    "clamp pose": (lambda: FIGURE.clamp(pose(n7=np.nan)), BadValue, r"pose: Spine.z is nan"),
    "random without rng": (lambda: FIGURE.random(None), BadValue, r"rng is None; .* numpy.random.Generator"),
    "random seed": (lambda: FIGURE.random(42), BadValue, r"rng is 42; .*default_rng"),
    "random count": (lambda: FIGURE.random(np.random.default_rng(0), -1), BadValue, r"count is -1; .* at least 0"),
    "random count a word": (lambda: FIGURE.random(np.random.default_rng(0), "5"), BadValue, r"count is '5'"),
    "scale zero": (lambda: FIGURE.scaled(0), BadValue, r"scale is 0; it must be above 0"),
    "scale a word": (lambda: FIGURE.scaled("big"), BadValue, r"scale is 'big'; it needs one number"),
    "scale of unknown": (lambda: FIGURE.scaled({"LeftFoot": 1.1}), UnknownName, r"no segment 'LeftFoot'"),
    "scale negative": (lambda: FIGURE.scaled({"Spine": -1}), BadValue, r"scale of 'Spine' is -1; it must be above 0"),
    "no unit": (
        lambda: FIGURE.replaced(unit=None).in_metres(),
        BadValue,
        r"figure 'dancer' has no known unit; state it first with figure.replaced\(unit=…\) in metres",
    ),
    "pose of unknown": (
        lambda: FIGURE.pose({"LeftForArm": 1}),
        UnknownName,
        r"no joint 'LeftForArm'; did you mean 'LeftForeArm'",
    ),
    "pose of fixed": (
        lambda: Figure("f", [Segment("A")]).pose({"A": 1}),
        BadValue,
        r"joint 'A' of figure 'f' is fixed; it has no number to set",
    ),
    "pose of coupled": (
        lambda: FIGURE.pose({"LeftHand": 1}),
        BadValue,
        r"joint 'LeftHand' of figure 'dancer' follows 'LeftForeArm'; set that joint instead",
    ),
    "pose of the wrong length": (
        lambda: FIGURE.pose({"Spine": [1, 2]}),
        BadShape,
        r"pose: Spine has shape \(2,\); it needs \(3,\)",
    ),
    "pose of one for three": (
        lambda: FIGURE.pose({"Spine": 1}),
        BadShape,
        r"pose: Spine has shape \(\); it needs \(3,\)",
    ),
    "pose NaN number": (lambda: FIGURE.pose({"Spine.x": np.nan}), BadValue, r"pose: Spine.x is nan"),
    "pose bad quaternion": (
        lambda: FIGURE.pose({"LeftArm": [1, 1, 0, 0]}),
        BadValue,
        r"pose: the quaternion of LeftArm has length 1.41421",
    ),
    "pose a list": (lambda: FIGURE.pose([1, 2]), BadValue, r"pose needs names with numbers, .* got \[1, 2\]"),
    "base of many": (
        lambda: FIGURE.pose({}, base=np.stack([REST] * 2)),
        BadShape,
        r"base has shape \(2, 17\); .*\(17,\)",
    ),
}
for _n in (0, -1, 1.5, None, "2"):
    CALLS[f"threads {_n!r} for placements"] = (
        lambda n=_n: FIGURE.placements(REST, threads=n),
        BadValue,
        rf"threads is {re.escape(repr(_n))}; it must be a whole number of at least 1",
    )
CALLS |= {
    "threads for jacobian": (lambda: FIGURE.jacobian(REST, "Hips", threads=0), BadValue, r"threads is 0"),
    "threads for com": (lambda: FIGURE.center_of_mass(REST, threads=0), BadValue, r"threads is 0"),
    "threads for com_jacobian": (lambda: FIGURE.com_jacobian(REST, threads=-3), BadValue, r"threads is -3"),
    "threads for jvp": (lambda: FIGURE.jvp(REST, np.zeros(14), threads=0), BadValue, r"threads is 0"),
    "threads for vjp": (lambda: FIGURE.vjp(REST, np.zeros((6, 4, 4)), threads=0), BadValue, r"threads is 0"),
}


def _read_only(shape: tuple[int, ...]) -> Any:
    array = np.zeros(shape)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("name", CALLS)
def test_a_bad_argument_is_refused(name: str) -> None:
    assert_refused(*CALLS[name])


def test_the_good_ones_are_good() -> None:
    """So that each case above fails for its own reason and no other."""
    assert (FIGURE.nq, FIGURE.nv) == (Q, 14)
    FIGURE.vjp(REST, FIGURE.jvp(REST, np.zeros(14)))


def test_more_threads_than_poses_are_no_error() -> None:
    assert FIGURE.placements(REST, threads=10**12).shape == (6, 4, 4)
    assert FIGURE.jacobian(REST, "Hips", threads=10**12).shape == (6, 14)


def test_a_wrong_call_leaves_out_untouched() -> None:
    out = np.full((6, 4, 4), 7.0)
    with pytest.raises(BadValue):
        FIGURE.placements(pose(n8=np.nan), out=out)
    assert (out == 7.0).all()
