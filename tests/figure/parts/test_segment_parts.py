"""The part of every segment, for limits: names first, the bone map where they are silent."""

from __future__ import annotations

import numpy as np
import pytest
from mapped_figures import load, nameless
from true_parts import TRUE

import manikin as mk
from manikin.figure.parts.bone_names import Part, recognised
from manikin.figure.parts.segment_parts import segment_parts
from manikin.figure.parts.skeleton import Skeleton


@pytest.mark.parametrize("name", TRUE)
def test_what_a_name_says_is_kept(name: str) -> None:
    figure = load(name)
    said = recognised(figure.segment_names, Skeleton(figure).parents, figure.source.get("humanoid"))
    for part, before in zip(segment_parts(figure), said, strict=True):
        assert part == before or before is None


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
