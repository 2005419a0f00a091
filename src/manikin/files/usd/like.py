"""Puts a motion into a copy of an existing stage: only the samples of its animation are replaced.

Values that the motion did not change keep the file's numbers to the last bit, and an attribute without changes is not
touched. The root layer is copied and still refers to the same other files. If these would be out of reach from the new
folder, or the root is in a .usdz, the stage is flattened into one layer.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from pxr import Ar, Sdf, UsdSkel, UsdUtils, Vt

from manikin.arrays import Matrix, Vector
from manikin.errors import listing
from manikin.files.common import oddities
from manikin.files.usd.clip import Clip, samples
from manikin.files.usd.content import Content
from manikin.files.usd.inverse import Edit, edit, require_same_figure
from manikin.files.usd.skeleton import PARTS, Skeleton, tokens_of
from manikin.files.usd.write import codes_of, identifier, quaternions, scales, translations
from manikin.motion.motion import Motion

BLOCK = 1 << 16
"""Number of joints times frames processed at once."""
KINDS = {
    "translations": Sdf.ValueTypeNames.Float3Array,
    "rotations": Sdf.ValueTypeNames.QuatfArray,
    "scales": Sdf.ValueTypeNames.Half3Array,
}
MAKERS = {"translations": translations, "rotations": quaternions, "scales": scales}


def edited_layer(motion: Motion, content: Content, target: str) -> Any:
    """The layer (Sdf.Layer) of the stage with the motion in it, to be written to `target`.

    Raises:
        BadValue: the stage has a different figure.
    """
    require_same_figure(motion, content)
    codes = codes_of(motion.times, content.opened.stage.GetTimeCodesPerSecond())
    clip = _clip(motion, content)
    done = _whole(motion, content, clip, codes)
    layer = _copy(content, target)
    resting = not (any(clip.animations) or done.moved.any() or done.turned.any())  # an animation is needed even so
    at = 0
    for k, skeleton in enumerate(content.skeletons):
        nodes = slice(at + 1, at + 1 + len(skeleton.tokens))
        at = nodes.stop
        own = Edit(*(getattr(done, f)[nodes] for f in ("translation", "turn", "scale", "moved", "turned")))
        if resting or clip.animations[k] is not None or own.moved.any() or own.turned.any():
            _write(layer, content, skeleton, clip.animations[k], own, codes, motion.name)
    _widen(layer, codes)
    return layer


def _clip(motion: Motion, content: Content) -> Clip:
    """The clip that the motion was read from, or else the clip that the stage plays, or else an empty clip."""
    wanted = motion.source.get("clip") if motion.source.get("format") == "usd" else None
    found = [c for c in content.clips if c.name == wanted] + [c for c in content.clips if c.played]
    return found[0] if found else Clip("", tuple(None for _ in content.skeletons), np.zeros(0))


def _whole(motion: Motion, content: Content, clip: Clip, codes: Vector) -> Edit:
    """All frames of the motion, computed block by block."""
    step = max(1, BLOCK // len(content.layout.rig.names))
    parts = [slice(a, min(a + step, len(codes))) for a in range(0, len(codes), step)]
    edits = [edit(motion, content, clip, codes, part) for part in parts]
    fields = ("translation", "turn", "scale", "moved", "turned")
    return Edit(*(np.concatenate([getattr(e, f) for e in edits], axis=1) for f in fields))


def _write(
    layer: Any, content: Content, skeleton: Skeleton, path: str | None, own: Edit, codes: Vector, name: str
) -> None:
    """Writes the samples of the animation of one skeleton. Adds an animation if `path` is None."""
    stage = content.opened.stage
    prim = stage.GetPrimAtPath(path) if path is not None else None
    driven = tokens_of(prim) if prim else ()
    index = {token: i for i, token in enumerate(skeleton.tokens)}
    columns = [k for k, token in enumerate(driven) if token in index]
    nodes = [index[driven[k]] for k in columns]
    changed = np.flatnonzero(own.moved.any(axis=1) | own.turned.any(axis=1)).tolist()
    if path is None and not changed:
        changed = list(range(len(skeleton.tokens)))  # a new animation at rest lists all joints
    added = [i for i in changed if i not in set(nodes)]
    spec = _spec(layer, stage, path) if path is not None else _new_animation(layer, stage, skeleton, name)
    if added:
        _set_joints(spec, [*driven, *(skeleton.tokens[i] for i in added)])
    masks = {"translations": own.moved, "rotations": own.turned, "scales": np.zeros_like(own.moved)}
    values = {"translations": own.translation, "rotations": own.turn, "scales": own.scale}
    found = {part: prim.GetAttribute(part) if prim else None for part in PARTS}
    same = {p for p in PARTS if found[p] and not added and not masks[p][nodes].any() and _suits(found[p], codes)}
    if same == set(PARTS) and len(codes) > 1 and not any(a and a.ValueMightBeTimeVarying() for a in found.values()):
        same.remove("rotations")  # written to record the times of the frames
    for part in PARTS:
        if part in same:
            continue
        mask, attribute = masks[part][nodes].T[..., None], found[part]  # (frames, joints, 1)
        width = values[part].shape[-1]
        rows: Matrix = np.zeros((len(codes), len(driven), width))
        if attribute:
            rows = samples(content.opened, prim, part, codes)
            rows = np.roll(rows, 1, axis=-1) if part == "rotations" else rows
            rows[:, columns] = np.where(mask, values[part][nodes].swapaxes(0, 1), rows[:, columns])
        rows = np.concatenate([rows, values[part][added].swapaxes(0, 1)], axis=1)
        made = _attribute(spec, part, KINDS[part])
        made.ClearInfo("timeSamples")
        for code, row in zip(codes.tolist(), rows, strict=True):
            layer.SetTimeSample(made.path, code, MAKERS[part](row))


def _suits(attribute: Any, codes: Vector) -> bool:
    """Whether an unchanged attribute already fits these time codes."""
    return not attribute.ValueMightBeTimeVarying() or attribute.GetTimeSamples() == codes.tolist()


# The layer


def _copy(content: Content, target: str) -> Any:
    """A copy of the root layer, or the flattened stage if the copy could not be opened at `target`."""
    stage, path = content.opened.stage, content.opened.path
    root = stage.GetRootLayer()
    folder = os.path.realpath(os.path.dirname(os.path.abspath(target)))
    elsewhere = folder != os.path.realpath(os.path.dirname(os.path.abspath(path)))
    packed = root.GetFileFormat().IsPackage() or Ar.IsPackageRelativePath(root.identifier)
    layered = root.GetCompositionAssetDependencies()
    if packed or (elsewhere and layered):
        if layered:
            oddities.warn(
                f"{target}: {path} consists of several files ({listing(sorted(layered), 4)}), which are flattened into "
                "one; save into the folder of that file to keep them separate"
            )
        layer = stage.Flatten(False)
    else:
        layer = Sdf.Layer.CreateAnonymous(".usda")
        layer.TransferContent(root)
    if packed or elsewhere:
        UsdUtils.ModifyAssetPaths(layer, lambda asset: _from(folder, root, asset))
    return layer


def _from(folder: str, root: Any, asset: str) -> str:
    """The name of an asset, such as a texture, relative to another folder; unchanged if the asset is not found."""
    absolute = Sdf.ComputeAssetPathRelativeToLayer(root, asset) if asset else ""
    if not absolute or not Ar.GetResolver().Resolve(absolute):
        return asset
    outer, inner = absolute, ""
    if Ar.IsPackageRelativePath(absolute):
        outer, inner = Ar.SplitPackageRelativePathOuter(absolute)
    try:
        near = "./" + os.path.relpath(os.path.realpath(outer), folder).replace(os.sep, "/")
    except ValueError:  # another drive
        return absolute
    return Ar.JoinPackageRelativePath(near, inner) if inner else near


def _spec(layer: Any, stage: Any, path: str) -> Any:
    """The spec of a prim in the layer. Instances share their prims, so an instance that contains this prim is made
    non-instanceable."""
    above = stage.GetPrimAtPath(path)
    while above and not above.IsPseudoRoot():
        if above.IsInstance():
            Sdf.CreatePrimInLayer(layer, above.GetPath()).SetInfo("instanceable", False)
        above = above.GetParent()
    return Sdf.CreatePrimInLayer(layer, path)


def _new_animation(layer: Any, stage: Any, skeleton: Skeleton, name: str) -> Any:
    """Adds a SkelAnimation below a skeleton and binds it."""
    taken = {child.GetName() for child in skeleton.prim.GetAllChildren()}
    wanted = own = identifier(name)
    k = 1
    while own in taken:
        k += 1
        own = f"{wanted}_{k}"
    above = _spec(layer, stage, skeleton.path)
    spec = Sdf.CreatePrimInLayer(layer, above.path.AppendChild(own))
    spec.specifier, spec.typeName = Sdf.SpecifierDef, "SkelAnimation"
    relation = above.relationships.get("skel:animationSource")
    if relation is None:
        relation = Sdf.RelationshipSpec(above, "skel:animationSource", custom=False)
    relation.targetPathList.ClearEditsAndMakeExplicit()
    relation.targetPathList.explicitItems.append(spec.path)
    if not skeleton.prim.HasAPI(UsdSkel.BindingAPI):
        applied = above.GetInfo("apiSchemas")
        made = Sdf.TokenListOp.Create(prependedItems=[*applied.prependedItems, "SkelBindingAPI"])
        if applied.isExplicit:
            made = Sdf.TokenListOp.CreateExplicit([*applied.explicitItems, "SkelBindingAPI"])
        above.SetInfo("apiSchemas", made)
    return spec


def _set_joints(spec: Any, tokens: list[str]) -> None:
    attribute = _attribute(spec, "joints", Sdf.ValueTypeNames.TokenArray, Sdf.VariabilityUniform)
    attribute.default = Vt.TokenArray(tokens)


def _attribute(spec: Any, name: str, kind: Any, variability: Any = Sdf.VariabilityVarying) -> Any:
    found = spec.attributes.get(name)
    return found if found is not None else Sdf.AttributeSpec(spec, name, kind, variability)


def _widen(layer: Any, codes: Vector) -> None:
    """Extends the time range of the stage so that it contains all frames."""
    first, last = float(codes[0]), float(codes[-1])
    layer.startTimeCode = min(layer.startTimeCode, first) if layer.HasStartTimeCode() else first
    layer.endTimeCode = max(layer.endTimeCode, last) if layer.HasEndTimeCode() else last
