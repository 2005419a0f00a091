"""A new USD stage of a figure or a motion: a SkelRoot with a Skeleton, and a SkelAnimation bound to it.

Every segment is a joint with a name that USD allows; `jointNames` keeps the name of the segment. Lengths and up axis
are those of the figure. USD supports only y and z up, so a figure with x up is rotated to y up by a prim above it. The
virtual root of several roots (a fixed segment named Roots at the origin) is omitted, because reading adds it again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdSkel, Vt

from manikin import rotations
from manikin.arrays import Points, Poses, Quaternions, Vector
from manikin.errors import BadValue
from manikin.figure import Figure, Segment
from manikin.files.common.rig_figure import ROOTS
from manikin.files.common.up_axis import TO_Y_UP
from manikin.files.usd.content import UNIT_UNKNOWN
from manikin.motion.local import local_rotation, local_translation
from manikin.motion.motion import Motion

RATE = 24.0
"""Time codes per second for a single frame or unevenly spaced frames. This is the default of USD."""
LARGEST = 3e38
"""Largest translation that is written, in units of the stage. Translations are 32-bit floats."""


def new_layer(thing: Figure | Motion) -> Any:
    """The layer (Sdf.Layer) of a new stage."""
    from manikin import __version__

    figure = thing.figure if isinstance(thing, Motion) else thing
    layer = Sdf.Layer.CreateAnonymous(".usda")
    stage = Usd.Stage.Open(layer)
    stage.SetMetadata("documentation", f"manikin {__version__}")
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z if figure.up == "z" else UsdGeom.Tokens.y)
    if figure.unit is None:
        layer.customLayerData = {UNIT_UNKNOWN: True}
    else:
        UsdGeom.SetStageMetersPerUnit(stage, figure.unit)
    root = UsdSkel.Root.Define(stage, f"/{identifier(figure.name)}")
    stage.SetDefaultPrim(root.GetPrim())
    if figure.up == "x":
        turn = rotations.placement(np.array(TO_Y_UP["x"]), np.zeros(3))
        root.AddTransformOp().Set(Gf.Matrix4d(*turn.T.reshape(-1).tolist()))
    segments = _joints(figure)
    skeleton = _skeleton(stage, root.GetPath().AppendChild("Skeleton"), figure, segments)
    if isinstance(thing, Motion):
        _animation(stage, skeleton, thing, segments)
    return layer


def identifier(name: str) -> str:
    """Converts a name to one that is valid for a prim or joint. Names of files may have bytes that are not UTF-8."""
    return str(Tf.MakeValidIdentifier(name.encode("utf-8", "replace").decode("utf-8")))


def codes_of(times: Vector, rate: float) -> Vector:
    """Time codes for times in seconds. A code that is nearly a whole number is rounded to it."""
    codes: Vector = times * rate
    whole = np.round(codes)
    return np.where(np.abs(codes - whole) < 1e-6, whole, codes)


def translations(values: Points) -> Any:
    """(joints, 3) as a USD array."""
    if not (np.abs(values) < LARGEST).all():
        raise BadValue(f"a translation is {np.abs(values).max():g}, which does not fit into 32 bits")
    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, dtype=np.float32))


def quaternions(values: Quaternions) -> Any:
    """(joints, 4) wxyz as a USD array."""
    return Vt.QuatfArray.FromNumpy(np.ascontiguousarray(np.roll(values, -1, axis=-1), dtype=np.float32))


def scales(values: Points) -> Any:
    """(joints, 3) as a USD array."""
    return Vt.Vec3hArray.FromNumpy(np.ascontiguousarray(values, dtype=np.float16))


def _joints(figure: Figure) -> list[tuple[Segment, str, int]]:
    """Segments that become joints, with their token and the index of their parent among these joints."""
    top = figure.segments[0]
    alone = top.joint.offset == (0.0, 0.0, 0.0) and top.joint.rotation == rotations.IDENTITY and not top.joint.motions
    children = sum(s.parent == top.name for s in figure.segments)
    left_out = top.name if alone and top.name == ROOTS and children > 1 else None
    index: dict[str, int] = {}
    used: set[str] = set()
    joints: list[tuple[Segment, str, int]] = []
    for s in figure.segments:
        if s.name == left_out:
            continue
        parent = -1 if s.parent is None else index.get(s.parent, -1)
        token = wanted = (f"{joints[parent][1]}/" if parent >= 0 else "") + identifier(s.name)
        k = 1
        while token in used:
            k += 1
            token = f"{wanted}_{k}"
        used.add(token)
        index[s.name] = len(joints)
        joints.append((s, token, parent))
    return joints


def _skeleton(stage: Any, path: Any, figure: Figure, joints: list[tuple[Segment, str, int]]) -> Any:
    skeleton = UsdSkel.Skeleton.Define(stage, path)
    skeleton.CreateJointsAttr(Vt.TokenArray([token for _, token, _ in joints]))
    skeleton.CreateJointNamesAttr(Vt.TokenArray([s.name for s, _, _ in joints]))
    t, q = _local(figure, figure.rest[None], joints)
    rest = rotations.placement(q[0], t[0])
    bind = figure.placements(figure.rest, [s.name for s, _, _ in joints])
    for name, matrices in (("Rest", rest), ("Bind", bind)):
        value = Vt.Matrix4dArray.FromNumpy(np.ascontiguousarray(matrices.swapaxes(-1, -2)))
        getattr(skeleton, f"Create{name}TransformsAttr")(value)
    return skeleton


def _animation(stage: Any, skeleton: Any, motion: Motion, joints: list[tuple[Segment, str, int]]) -> None:
    name = identifier(motion.name)
    path = skeleton.GetPath().GetParentPath().AppendChild(name if name != "Skeleton" else "Skeleton_1")
    animation = UsdSkel.Animation.Define(stage, path)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([path])
    animation.CreateJointsAttr(Vt.TokenArray([token for _, token, _ in joints]))
    animation.CreateScalesAttr(scales(np.ones((len(joints), 3))))
    rate = _rate(motion)
    codes = codes_of(motion.times, rate)
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    stage.SetStartTimeCode(float(codes[0]))
    stage.SetEndTimeCode(float(codes[-1]))
    slides, turns = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
    step = max(1, (1 << 17) // len(joints))
    for start in range(0, len(motion), step):
        t, q = _local(motion.figure, motion.poses[start : start + step], joints)
        for f, code in enumerate(codes[start : start + step].tolist()):
            slides.Set(translations(t[f]), code)
            turns.Set(quaternions(q[f]), code)


def _local(figure: Figure, poses: Poses, joints: list[tuple[Segment, str, int]]) -> tuple[Points, Quaternions]:
    """(frames, joints, 3), (frames, joints, 4): placements of segments relative to their parents."""
    t, q = np.empty((len(poses), len(joints), 3)), np.empty((len(poses), len(joints), 4))
    for i, (s, _, _) in enumerate(joints):
        at = figure.index_of(s.joint.name)
        own = poses[:, at : at + s.joint.nq]
        t[:, i], q[:, i] = local_translation(s.joint, own), local_rotation(s.joint, own)
    return t, q


def _rate(motion: Motion) -> float:
    """Time codes per second: the rate of the motion, so that frames are at whole time codes."""
    if motion.rate is None or not motion.even:
        return RATE
    whole = round(motion.rate)
    return float(whole) if whole > 0 and abs(motion.rate - whole) < 1e-6 * whole else motion.rate
