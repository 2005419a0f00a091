"""What Pixar's own code says of the joints of a stage, and small stages as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom, UsdSkel

from manikin import Motion


def world(path: str | Path, codes: Any) -> dict[str, np.ndarray]:
    """By skeleton: (frames, joints, 4, 4) acting on columns, ComputeJointSkelTransforms times skel-to-world."""
    stage = Usd.Stage.Open(str(path))
    found = {}
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()):
        if prim.IsA(UsdSkel.Skeleton):
            query = UsdSkel.Cache()
            root = prim
            while root and not root.IsA(UsdSkel.Root):
                root = root.GetParent()
            query.Populate(UsdSkel.Root(root), Usd.TraverseInstanceProxies())
            skeleton = query.GetSkelQuery(UsdSkel.Skeleton(prim))
            frames = []
            for code in np.asarray(codes, dtype=float).tolist():
                joints = np.array(skeleton.ComputeJointSkelTransforms(code))
                frames.append(joints @ np.array(UsdGeom.XformCache(code).GetLocalToWorldTransform(prim)))
            found[str(prim.GetPath())] = np.array(frames).swapaxes(-1, -2)
    return found


def rate(path: str | Path) -> float:
    return float(Usd.Stage.Open(str(path)).GetTimeCodesPerSecond())


def distance(motion: Motion, path: str | Path, frames: Any = slice(None)) -> float:
    """How far joints of a motion are from where UsdSkel has them, at most, in parts of the figure's size."""
    codes = np.round(motion.times[frames] * rate(path), 6)
    truth = world(path, codes)
    worst = 0.0
    for skeleton, joints in motion.figure.source["skeletons"]:
        mine = motion.figure.placements(motion.poses[frames], list(joints))
        worst = max(worst, float(np.linalg.norm(mine[..., :3, 3] - truth[skeleton][..., :3, 3], axis=-1).max()))
    return worst / motion.figure.size


def turned_by(motion: Motion, path: str | Path) -> float:
    """The largest difference between an axis of a joint and that of UsdSkel, scaled to length 1."""
    truth = world(path, np.round(motion.times * rate(path), 6))
    worst = 0.0
    for skeleton, joints in motion.figure.source["skeletons"]:
        axes = truth[skeleton][..., :3, :3]
        axes = axes / np.linalg.norm(axes, axis=-2, keepdims=True)
        worst = max(worst, float(np.abs(motion.placements(list(joints))[..., :3, :3] - axes).max()))
    return worst


def matrix(t: Any = (0, 0, 0), q: Any = (1, 0, 0, 0), s: Any = (1, 1, 1)) -> str:
    """A matrix4d as text, acting on rows: scale, then rotation wxyz, then translation."""
    from manikin import rotations

    M = rotations.placement(np.array(q, dtype=float) / np.linalg.norm(q), np.array(t, dtype=float))
    M[:3, :3] *= np.array(s, dtype=float)
    return "(" + ",".join("(" + ",".join(repr(float(x)) for x in row) + ")" for row in M.T) + ")"


def skeleton(name: str, joints: Any, rest: Any, extra: str = "") -> str:
    """A Skeleton prim as text."""
    tokens = ", ".join(f'"{j}"' for j in joints)
    return f"""def Skeleton "{name}" (prepend apiSchemas = ["SkelBindingAPI"]) {{
    uniform token[] joints = [{tokens}]
    uniform matrix4d[] restTransforms = [{", ".join(rest)}]
    {extra}
}}
"""


def animation(name: str, joints: Any, frames: dict[float, Any]) -> str:
    """A SkelAnimation prim as text; each frame has (translation, quaternion wxyz, scale) of each joint."""
    parts = []
    for k, (kind, attribute) in enumerate(
        (("float3[]", "translations"), ("quatf[]", "rotations"), ("half3[]", "scales"))
    ):
        rows = [
            f"{code}: [{', '.join(str(tuple(float(x) for x in joint[k])) for joint in frame)}]"
            for code, frame in frames.items()
        ]
        parts.append(f"{kind} {attribute}.timeSamples = {{ {', '.join(rows)} }}")
    tokens = ", ".join(f'"{j}"' for j in joints)
    lines = "\n    ".join([f"uniform token[] joints = [{tokens}]", *parts])
    return f'def SkelAnimation "{name}" {{\n    {lines}\n}}\n'


def stage(inside: str, head: str = "", above: str = "") -> str:
    """A whole file: a SkelRoot called Model with something in it."""
    return f"""#usda 1.0
(
    defaultPrim = "Model"
    {head}
)
def SkelRoot "Model" (prepend apiSchemas = ["SkelBindingAPI"]) {{
{above}
{inside}
}}
"""
