"""The part of every segment, for limits and natural starts: the bone map, and names for what it does not have."""

from __future__ import annotations

import numpy as np
import pytest
from mapped_figures import load, nameless
from true_parts import TRUE

import manikin as mk
from manikin.figure.parts.bone_names import Part, recognised
from manikin.figure.parts.segment_parts import segment_parts
from manikin.figure.parts.skeleton import Skeleton
from manikin.prior.anatomy import anatomy_of


@pytest.mark.parametrize("name", TRUE)
def test_what_a_name_says_is_kept_where_the_map_has_no_part(name: str) -> None:
    figure, bones = load(name), mk.bone_map(load(name))
    skeleton = Skeleton(figure)
    said = recognised(figure.segment_names, skeleton.parents, figure.source.get("humanoid"))
    mapped = set() if skeleton.hinged else {Part.of(part) for part in bones}
    for i, (part, before) in enumerate(zip(segment_parts(figure), said, strict=True)):
        own = bones.part_of(figure.segment_names[i])
        if not skeleton.hinged and own is not None and figure.segment_names[i] == bones.first(own):
            assert part == Part.of(own)
        elif own is None and before in mapped and not skeleton.moves[i]:
            assert part == Part("still", before.side)  # a fixed piece that carries a mesh
        else:
            assert part == before or before is None


def test_the_map_decides_where_a_name_is_wrong() -> None:
    """RobotExpressive's hips are above its body, its hands are called palms, and fixed pieces have names of parts."""
    figure = load("gltf/RobotExpressive.glb")
    found = dict(zip(figure.segment_names, segment_parts(figure), strict=True))
    assert [found[name] for name in ("Body", "Hips")] == [Part("pelvis"), Part("spine")]
    assert [found[name] for name in ("Palm2.L", "Leg.L")] == [Part("hand", "left"), Part("still", "left")]
    with pytest.warns(UserWarning, match="2 joints got no limits, .*: PoleTarget.L, PoleTarget.R"):
        joint = figure.with_limits("human", balls=True).segment("Palm2.L").joint
    assert min(joint.motions[-1].limits.swing) > np.deg2rad(25.0)  # type: ignore[union-attr]
    anatomy = anatomy_of(load("gltf/CesiumMan.glb"))
    assert anatomy.figure.segment_names[anatomy.joints["head"][0]] == "Skeleton_neck_joint_2"


def test_a_figure_without_names_has_the_parts_of_its_map() -> None:
    figure, old = nameless(load("bvh/cmu_02_01_walk.bvh"))
    found = {old[s.name]: part for s, part in zip(figure.segments, segment_parts(figure), strict=True)}
    assert found["LeftLeg"] == Part("shank", "left")
    assert found["Spine1"] == Part("spine")
    assert found["Head_end"] is None


@pytest.mark.parametrize("name", ["bvh/optitrack_arena_louise.bvh", "gltf/CesiumMan.glb"])
def test_limits_need_no_names(name: str) -> None:
    figure = load(name)
    bare, old = nameless(figure)
    limited, wanted = bare.with_limits("human"), figure.with_limits("human")
    mapped = [s for s in limited.segments if old[s.name] in {n for names in TRUE[name].values() for n in names}]
    assert len(mapped) >= 17
    assert [s.joint.motions for s in mapped] == [wanted.segment(old[s.name]).joint.motions for s in mapped]
    assert limited.layout.cones.swing.size or np.isfinite(limited.lower).any()


def test_an_animal_gets_no_parts_by_structure_that_make_it_a_person() -> None:
    figure, _ = nameless(mk.quadruped())
    with pytest.raises(mk.errors.BadValue, match="standing person"):
        figure.with_limits("human")
