"""Names to landmarks, attachments on any person, and the attachment file."""

from __future__ import annotations

from pathlib import Path

import checks
import numpy as np
import pytest
from synthetic_markers import NAMES, recorded

import manikin as mk
from manikin.errors import BadFile, BadValue, UnknownName
from manikin.motion.marker_fit.attachments import Attachment
from manikin.motion.marker_fit.landmarks import LANDMARKS, MIDDLE, WORDS, landmark_of


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("LASI", ("asis", "left")),
        ("Anna:RASI", ("asis", "right")),
        ("R.Thigh.Upper", ("thigh upper", "right")),
        ("V.Sacral", ("sacrum", "")),
        ("Top.Head", ("top of head", "")),
        ("LMMAL", ("medial ankle", "left")),
        ("left_knee_medial", ("medial knee", "left")),
        ("KneeLateralRight", ("lateral knee", "right")),
        ("pv4", ("pelvis front", "left")),
        ("T10", ("t10", "")),
        ("LBWT", ("psis", "left")),
        ("Ball", None),
        ("L", None),
        ("", None),
    ],
)
def test_a_name_stands_for_a_landmark(name: str, wanted: tuple[str, str] | None) -> None:
    assert landmark_of(name) == wanted


def test_every_word_stands_for_a_landmark_and_none_for_two() -> None:
    assert set(WORDS.values()) <= set(LANDMARKS)
    assert set(LANDMARKS) >= MIDDLE
    assert all(LANDMARKS[key].place[0] == 0.0 for key in MIDDLE)


def test_places_are_mirror_images() -> None:
    person = mk.human()
    attach = mk.Attachments.from_names(NAMES, person)
    rest = person.placements(person.rest, [m.segment for m in attach])
    world = np.einsum("mij,mj->mi", rest[:, :3, :3], [m.offset for m in attach]) + rest[:, :3, 3]
    at = dict(zip([m.name for m in attach], world, strict=True))
    for name in (n for n in NAMES if n.startswith("L")):
        checks.assert_close(at[name] * [-1, 1, 1], at["R" + name[1:]], tol=1e-9)
    assert at["LASI"][0] > 0.05
    assert at["LHEE"][2] < at["LANK"][2] < at["LTOE"][2]
    assert at["LTOE"][1] > -0.02
    assert at["LFHD"][1] > 1.6


def test_unknown_names_and_aliases() -> None:
    attach = mk.Attachments.from_names(["LASI", "Anna:RASI", "Wand1"], mk.human())
    assert attach.unknown == ("Wand1",)
    assert "Bob:LASI" in attach
    more = attach.replaced(LASI={"names": ("hip_l",), "sigma": 0.01})
    assert more["hip_l"].sigma == 0.01
    with pytest.raises(UnknownName, match="LASI"):
        attach["LAS"]
    with pytest.raises(BadValue, match="two markers"):
        attach.replaced(LASI={"names": ("RASI",)})
    with pytest.raises(UnknownName, match="colour"):
        attach.replaced(LASI={"colour": 1})


@pytest.mark.needs("data", "bvh/cmu_02_01_walk.bvh")
def test_places_on_a_rig_with_another_rest_pose(data) -> None:
    figure = mk.load_figure(data / "bvh/cmu_02_01_walk.bvh").replaced(unit=0.056444)
    attach = mk.Attachments.from_names(NAMES, figure)
    assert not attach.unknown
    metres = figure.in_metres()
    rest = metres.placements(metres.rest, ["LeftUpLeg", "LeftLeg"])[:, :3, 3]
    knee = attach["LKNE"]
    assert knee.segment == "LeftUpLeg"
    assert abs(np.linalg.norm(knee.offset) - np.linalg.norm(rest[0] - rest[1])) < 0.02


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    attach = mk.Attachments(
        (Attachment("LASI", "Hips", (0.1234567, 0.09, 0.08), 0.0075, 2.0, "bony", ("hip_l",)),),
        "human",
        {"thigh": 1.0512345},
        {"LeftFoot": 0.1},
        True,
    )
    path = tmp_path / "lab.json"
    attach.save(path)
    again = mk.Attachments.load(path)
    assert again.markers == attach.markers
    assert (again.scales, again.twists, again.figure, again.calibrated) == (
        attach.scales,
        attach.twists,
        "human",
        True,
    )
    assert again.to_json() == attach.to_json()


def test_a_file_in_millimetres_is_converted(tmp_path: Path) -> None:
    path = tmp_path / "lab.json"
    row = '{"name": "LASI", "segment": "Hips", "offset": [100, 90, 80], "sigma": 7.5}'
    path.write_text(f'{{"format": "manikin-attachments", "version": 1, "unit": 0.001, "markers": [{row}]}}')
    marker = mk.Attachments.load(path)["LASI"]
    checks.assert_close(marker.offset, [0.1, 0.09, 0.08])
    assert marker.sigma == 0.0075


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("[1]", "manikin-attachments"),
        ('{"format": "manikin-attachments", "version": 2}', "version"),
        ('{"format": "manikin-attachments", "version": 1}', "markers"),
        ('{"format": "manikin-attachments", "version": 1, "markers": [], "colour": 1}', "colour"),
        ('{"format": "manikin-attachments", "version": 1, "markers": [{"name": "A"}]}', "segment"),
        (
            '{"format": "manikin-attachments", "version": 1, "markers": [{"name": "A", "segment": "Hips", '
            '"offset": [0, 0, "x"]}]}',
            "offset",
        ),
        ('{"format": "manikin-attachments", "version": 1, "markers": [], "scales": {"thigh": -1}}', "thigh"),
    ],
)
def test_a_bad_file_says_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "lab.json"
    path.write_text(text)
    with pytest.raises(BadFile, match=says):
        mk.Attachments.load(path)


def test_attachments_of_another_marker_set_are_named() -> None:
    other = mk.Attachments((Attachment("Q1", "Hips", (0.0, 0.0, 0.0), 0.02, 1.0, "bony"),), "human")
    markers = recorded(3).markers
    with pytest.raises(BadValue, match=f"no.* place in attach: {markers.names[0]}.* Q1"):
        mk.fit_markers(mk.human(), markers, other)
