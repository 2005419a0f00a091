"""MJCF files that are wrong or hostile: one clear error with the line, bounded time, and MuJoCo says nothing itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mjcf_judge import mujoco
from work import calls_of

import manikin as mk
from manikin.errors import BadFile, Unsupported
from manikin.files.mjcf import bounds

GEOM = '<geom size="0.1"/>'


def write(folder: Path, inside: str, before: str = "", after: str = "") -> Path:
    """A model with `inside` in its body on line 5, `before` on line 2."""
    path = folder / "bad.xml"
    path.write_text(
        f'<mujoco>\n{before}\n<worldbody>\n<body name="a">\n{inside}\n{GEOM}</body></worldbody>\n{after}\n</mujoco>\n'
    )
    return path


def run(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Runs Python in the folder of a file, which is its argument."""
    env = {**os.environ, "PYTHONPATH": str(Path(mk.__file__).parents[1])}
    command = [sys.executable, "-c", code, str(path)]
    return subprocess.run(command, cwd=path.parent, env=env, capture_output=True, text=True, check=False)


BAD = {
    "an attribute that is not known": ('<joint tyep="hinge"/>', 5, "MuJoCo: <joint>: unrecognized attribute: 'tyep'"),
    "an element that is not known": ("<bone/>", 5, "MuJoCo: <bone>: unrecognized element"),
    "too few numbers": ('<joint axis="0 1"/>', 5, "MuJoCo: <joint>: attribute 'axis' does not have enough data"),
    "no number": ('<site pos="0 x 1"/>', 5, "MuJoCo: <site>: bad format in attribute 'pos'"),
    "a zero axis": ('<joint axis="0 0 0"/>', 5, "MuJoCo: <joint>: axis too small in joint"),
    "limits upside down": (
        '<joint range="2 1" limited="true"/>',
        5,
        "range[0] should be smaller than range[1] in joint",
    ),
    "a class that is not there": ('<joint class="x"/>', 5, "unknown default class name 'x'"),
    "a free joint inside": ('<body><freejoint/><geom size="1"/></body>', 5, "free joint can only be used on top level"),
    "a mesh that is not stated": ('<geom type="mesh" mesh="m"/>', 5, "mesh 'm' not found in geom"),
    "a negative size": ('<geom size="-1"/>', 5, "size 0 must be positive in geom"),
    "a NaN": ('<site pos="0 nan 0"/>', 5, "<site>: pos has 'nan'; it needs a number within ±1e+10"),
    "an infinite place": ('<body pos="inf 0 0"/>', 5, "<body>: pos has 'inf'"),
    "a number too large": ('<joint ref="1e308"/>', 5, "<joint>: ref has '1e308'"),
    "a number beyond doubles": ('<geom size="1e999"/>', 5, "<geom>: size has '1e999'"),
    "a billion copies": (
        '<replicate count="1000000000"><site/></replicate>',
        5,
        "more than 10,000 <site> elements",
    ),
    "copies of copies": (
        '<replicate count="1000"><replicate count="1000"><body/></replicate></replicate>',
        5,
        "more than 2,000 <body> elements",
    ),
    "copies without number": ('<replicate count="x"><body/></replicate>', 5, "count has 'x'; it needs a whole number"),
    "a long cable": ('<composite type="cable" count="5000 1 1"/>', 5, "more than 2,000 <body> elements"),
    "a tag that is not closed": ("<body>", 6, "not well-formed XML: mismatched tag"),
}


@pytest.mark.parametrize(("inside", "line", "message"), BAD.values(), ids=[k.replace(" ", "_") for k in BAD])
def test_a_bad_file_is_told_with_its_line(tmp_path: Path, inside: str, line: int, message: str) -> None:
    path = write(tmp_path, inside)
    with pytest.raises(BadFile) as caught:
        mk.load_figure(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert message in str(caught.value)


def test_a_name_that_is_there_twice_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="repeated name 'j' in joint"):  # older versions do not say the line
        mk.load_figure(write(tmp_path, '<joint name="j"/><joint name="j" axis="1 0 0"/>'))


HEADS = {
    "an include without file": ("<include/>", "an include has no 'file'"),
    "an include that is not there": ('<include file="b.xml"/>', "the included file 'b.xml' does not exist"),
    "an include from above": ('<include file="../b.xml"/>', "is outside the folder of the file"),
    "an include from the root": ('<include file="/etc/passwd"/>', "is outside the folder of the file"),
    "an include through a folder": ('<include file="x/../../b.xml"/>', "is outside the folder of the file"),
    "an include of a folder": ('<include file="sub"/>', "the included file 'sub' does not exist"),
    "an include of itself": ('<include file="bad.xml"/>', "'bad.xml' is included twice, or includes itself"),
    "an include with something inside": ('<include file="c.xml"><body/></include>', "it must be empty"),
    "an include of nothing": ('<include file="empty.xml"/>', "'empty.xml' has no elements"),
    "global coordinates": (
        '<compiler coordinate="global"/>',
        "MuJoCo: <compiler>: global coordinates no longer supported",
    ),
    "a model from above": (
        '<asset><model file="../b.xml"/></asset>',
        "the model '../b.xml' is outside the folder",
    ),
    "a model that is not there": ('<asset><model file="b.xml"/></asset>', "the model 'b.xml' does not exist"),
    "a model that attaches itself": (
        '<asset><model file="bad.xml"/></asset>',
        "models attach models more than 8 levels deep",
    ),
}


@pytest.mark.parametrize(("before", "message"), HEADS.values(), ids=[k.replace(" ", "_") for k in HEADS])
def test_what_leads_out_of_the_file_is_told_with_its_line(tmp_path: Path, before: str, message: str) -> None:
    inner = tmp_path / "inner"
    (inner / "sub").mkdir(parents=True)
    (inner / "empty.xml").write_text("<mujoco/>")
    (inner / "c.xml").write_text("<mujoco><worldbody/></mujoco>")
    (tmp_path / "b.xml").write_text("<mujoco><worldbody/></mujoco>")
    path = write(inner, "<joint/>", before)
    with pytest.raises(BadFile) as caught:
        mk.load_figure(path)
    assert message in str(caught.value)
    assert (caught.value.path, caught.value.line) == (str(path), 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<mujoco>\n<worldbody>", "part.xml, line 2: not well-formed XML"),
        ('<!DOCTYPE m [<!ENTITY a "b">]><mujoco/>', "part.xml, line 1: the file declares the entity 'a'"),
        ('<mujoco>\n<include file="part.xml"/></mujoco>', "part.xml, line 2: the file 'part.xml' is included twice"),
        ("<mujoco>\n<option/>\n<bone/></mujoco>", "part.xml, line 3: MuJoCo: <bone>: unrecognized element"),
    ],
)
def test_a_fault_in_an_included_file_is_told_with_its_line_there(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "part.xml").write_text(content)
    path = write(tmp_path, "<joint/>", '<include file="part.xml"/>')
    with pytest.raises(BadFile) as caught:
        mk.load_figure(path)
    assert caught.value.path == str(path)
    assert message in str(caught.value)


def test_entities_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xml"
    for entity in ('"aaaa"', 'SYSTEM "file:///etc/passwd"'):
        path.write_text(f'<!DOCTYPE m [<!ENTITY a {entity}>]>\n<mujoco model="&a;"><worldbody/></mujoco>')
        with pytest.raises(BadFile, match="entities are not allowed"):
            mk.load_figure(path)


@pytest.mark.parametrize("tag", ["body", "frame", "default"])
def test_nesting_ten_thousand_deep_is_refused(tmp_path: Path, tag: str) -> None:
    path = write(tmp_path, f"<{tag}>" * 10_000 + f"</{tag}>" * 10_000)
    with pytest.raises(BadFile, match="is nested more than 480 levels deep"):
        mk.load_figure(path)


def test_files_that_include_each_other_a_thousandfold_are_refused(tmp_path: Path) -> None:
    for k in range(600):
        (tmp_path / f"p{k}.xml").write_text(f'<mujoco><body><include file="p{k + 1}.xml"/></body></mujoco>')
    (tmp_path / "p600.xml").write_text("<mujoco><site/></mujoco>")
    with pytest.raises(BadFile, match="nested more than"):
        mk.load_figure(write(tmp_path, '<include file="p0.xml"/>'))


def test_models_that_attach_models_cannot_grow_without_bound(tmp_path: Path) -> None:
    attach = '<frame><attach model="m" body="b" prefix="p{}_"/></frame>'
    for k in range(4):
        inside = "".join(attach.format(i) for i in range(20)) if k < 3 else "<body/>"
        asset = f'<asset><model name="m" file="m{k + 1}.xml"/></asset>' if k < 3 else ""
        (tmp_path / f"m{k}.xml").write_text(
            f'<mujoco>{asset}<worldbody><body name="b">{inside}</body></worldbody></mujoco>'
        )
    with pytest.raises(BadFile, match="more than 2,000 <body> elements"):
        mk.load_figure(tmp_path / "m0.xml")


def test_equalities_without_end_are_refused(tmp_path: Path) -> None:
    inside = '<joint name="x"/><joint name="y" axis="1 0 0"/>'
    ties = '\n<joint joint1="x" joint2="y"/>' * 3000
    with pytest.raises(BadFile, match="line 2008: the model has more than 2,000 equalities"):
        mk.load_figure(write(tmp_path, inside, after=f"<equality>{ties}</equality>"))


def test_the_work_for_the_largest_model_is_in_proportion_to_its_bodies(tmp_path: Path) -> None:
    deep, read = 400, list[mk.Figure]()
    row = '<body><joint axis="0 1 0"/><geom size="0.1"/>' * deep + "</body>" * deep
    path = tmp_path / "large.xml"
    path.write_text(f"<mujoco><worldbody>{row * (bounds.MOST['body'] // deep)}</worldbody></mujoco>")
    assert calls_of(lambda: read.append(mk.load_figure(path))) < 1500 * bounds.MOST["body"]
    assert read[0].nq == bounds.MOST["body"]


def test_other_formats_are_told(tmp_path: Path) -> None:
    path = tmp_path / "part.xml"
    path.write_text("<mujocoinclude><worldbody/></mujocoinclude>")
    with pytest.raises(Unsupported, match="a part for inclusion in MJCF files"):
        mk.load_figure(path)
    (tmp_path / "bad.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    path = write(tmp_path, "<joint/>", '<asset><model name="m" file="bad.urdf"/></asset>')
    with pytest.raises(Unsupported, match="this is a URDF file, not an MJCF file"):
        mk.load_figure(path)


def test_mujoco_writes_nothing(tmp_path: Path) -> None:
    """Neither to the terminal nor a MUJOCO_LOG.TXT, for models of which it warns; its own handler is put back."""
    singular = '<joint axis="1 0 0"/><joint axis="1 0 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    path = write(tmp_path, singular, '<compiler settotalmass="3"/>')
    code = (
        "import manikin as mk, mujoco, sys\n"
        "said = []\n"
        "mujoco.set_mju_user_warning(said.append)\n"
        "mk.load_figure(sys.argv[1])\n"
        "assert not said and mujoco.get_mju_user_warning() is not None\n"
    )
    done = run(code, path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.xml"]
    said: list[str] = []
    mujoco.set_mju_user_warning(said.append)
    try:
        mujoco.MjModel.from_xml_string(path.read_text())
    finally:
        mujoco.set_mju_user_warning(None)
    if not said:
        pytest.skip(f"MuJoCo {mujoco.__version__} has nothing to warn of in this file")


def test_without_mujoco_the_way_to_it_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, "<joint/>")
    code = (
        "import sys; sys.modules['mujoco'] = None\n"
        "import manikin as mk\n"
        "try: mk.load_figure(sys.argv[1])\n"
        "except mk.errors.Unsupported as error: print(error)\n"
    )
    done = run(code, path)
    assert "MJCF needs the package 'mujoco', which is not installed; run pip install 'manikin[files]'" in done.stdout


def test_a_file_can_be_read_in_a_process_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, '<joint name="j"/>')
    assert mk.load_figure(path, safe=True) == mk.load_figure(path)
