"""URDF files that are wrong or hostile: one clear error with the line, and nothing hangs."""

from __future__ import annotations

import contextlib
import os
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import calls_of

import manikin as mk
from manikin.errors import BadFile, ManikinError, Unsupported

LINKS = '<link name="a"/>\n<link name="b"/>\n<link name="c"/>\n'  # lines 2 to 4
ENDS = '<parent link="a"/><child link="b"/>'


def write(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "bad.urdf"
    path.write_text(f'<robot name="bad">\n{body}\n</robot>\n')
    return path


def joint(inside: str, kind: str = "revolute", ends: str = ENDS, name: str = "j") -> str:
    """A joint from a to b, on the line where it is put, and c hung on a so that only one thing is wrong."""
    hung = '<joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>\n'
    return (
        f'{LINKS}{hung}<joint name="{name}" type="{kind}">{ends}\n{inside}</joint>'  # line 6, and 7 for what is inside
    )


BAD = {
    "a link twice": (LINKS + '<link name="b"/>', 5, "link 'b' occurs twice, first on line 3; names must differ"),
    "a link without name": ("<link/>", 2, "a link has no 'name'; <link> needs name=\"…\""),
    "no links": ("", 1, "the robot has no links; it needs at least one"),
    "several roots": (LINKS, 3, "the robot has 3 root links: a, b, c; it needs exactly one"),
    "a joint without name": (joint("", name=""), 6, "a joint has no 'name'"),
    "a joint twice": (joint("", "fixed", name="k"), 6, "joint 'k' occurs twice, first on line 5"),
    "no type": (joint("", ""), 6, "joint 'j' has type ''; it must be one of revolute, continuous, prismatic, fixed"),
    "an unknown type": (joint("", "screw"), 6, "joint 'j' has type 'screw'; it must be one of"),
    "no parent": (joint("", "fixed", '<child link="b"/>'), 6, "joint 'j' has no parent; it needs <parent link=\"…\"/>"),
    "no child": (joint("", "fixed", '<parent link="a"/>'), 6, "joint 'j' has no child"),
    "a parent without link": (joint("", "fixed", '<parent/><child link="b"/>'), 6, "joint 'j': parent has no 'link'"),
    "an unknown parent": (
        joint("", "fixed", '<parent link="A"/><child link="b"/>'),
        6,
        "joint 'j' has parent 'A', but the robot has no link 'A'; did you mean 'a'? It has 3: a, b, c",
    ),
    "two parents": (
        joint("", "fixed", '<parent link="b"/><child link="c"/>'),
        6,
        "link 'c' is the child of joint 'j' and of joint 'k' (line 5); a link has only one parent",
    ),
    "no root": (
        LINKS
        + '<joint name="1" type="fixed"><parent link="a"/><child link="b"/></joint>\n'
        + '<joint name="2" type="fixed"><parent link="b"/><child link="c"/></joint>\n'
        + '<joint name="3" type="fixed"><parent link="c"/><child link="a"/></joint>',
        7,
        "the robot has no root link: a, b, c, a form a cycle of parents",
    ),
    "a cycle": (
        LINKS
        + '<joint name="1" type="fixed"><parent link="b"/><child link="c"/></joint>\n'
        + '<joint name="2" type="fixed"><parent link="c"/><child link="b"/></joint>',
        6,
        "the robot has a cycle: b, c, b form a cycle of parents",
    ),
    "a link that hangs on itself": (
        joint("", "fixed", '<parent link="b"/><child link="b"/>'),
        6,
        "the robot has a cycle: b, b form a cycle of parents",
    ),
    "a zero axis": (joint('<axis xyz="0 0 0"/>'), 7, "joint 'j': axis is (0.0, 0.0, 0.0), which has no direction"),
    "an axis of two": (joint('<axis xyz="0 1"/>'), 7, "joint 'j': axis: xyz needs three numbers, got '0 1'"),
    "an axis of none": (joint("<axis/>"), 7, "joint 'j': axis: xyz needs three numbers, got ''"),
    "a NaN": (joint('<origin xyz="0 nan 0"/>'), 7, "joint 'j': xyz needs three numbers, got '0 nan 0'"),
    "an infinite offset": (joint('<origin xyz="0 inf 0"/>'), 7, "joint 'j': xyz is '0 inf 0'; it needs finite numbers"),
    "a number too large": (joint('<origin rpy="0 1e999 0"/>'), 7, "rpy is '0 1e999 0'; it needs finite numbers"),
    "a decimal comma": (joint('<origin rpy="0,5 0 0"/>'), 7, "rpy needs three numbers, got '0,5 0 0'"),
    "a Python number": (joint('<origin rpy="1_0 0 0"/>'), 7, "rpy needs three numbers, got '1_0 0 0'"),
    "limits that leave no room": (joint('<limit lower="1e10" upper="inf"/>'), 7, "leave no allowed value"),
    "a limit that is NaN": (joint('<limit lower="nan" upper="1"/>'), 7, "lower needs one number, got 'nan'"),
    "an empty limit": (joint('<limit lower="" upper="1"/>'), 7, "joint 'j': limit has no 'lower'"),
    "a leader left out": (joint("<mimic/>"), 7, "joint 'j': mimic has no 'joint'"),
    "a joint that mimics itself": (joint('<mimic joint="j"/>'), 7, "form a cycle: j follows j"),
    "a multiplier that is text": (
        joint('<mimic joint="j" multiplier="x"/>'),
        7,
        "multiplier needs one number, got 'x'",
    ),
    "an infinite multiplier": (joint('<mimic joint="j" multiplier="inf"/>'), 7, "multiplier is inf; it needs a finite"),
    "a planar follower": (
        joint('<mimic joint="k"/>', "planar"),
        7,
        "joint 'j' is planar; only a joint with one number",
    ),
    "a negative mass": (
        '<link name="a"><inertial>\n<mass value="-1"/></inertial></link>',
        3,
        "link 'a': mass is -1; it must be at least 0",
    ),
    "a mass left out": ('<link name="a"><inertial>\n<mass/></inertial></link>', 3, "link 'a': mass has no 'value'"),
    "an inertia of text": (
        '<link name="a"><inertial><mass value="1"/>\n<inertia ixx="big"/></inertial></link>',
        3,
        "link 'a': inertia: ixx needs one number, got 'big'",
    ),
    "a negative radius": (
        '<link name="a"><collision><geometry>\n<sphere radius="-1"/></geometry></collision></link>',
        3,
        "link 'a': sphere has a size of -1; it must be above 0",
    ),
    "a sphere without radius": (
        '<link name="a"><collision><geometry>\n<sphere/></geometry></collision></link>',
        3,
        "link 'a': sphere has no 'radius'",
    ),
    "a rest pose of nothing": (
        '<manikin>\n<rest joint="x" numbers="1"/></manikin>' + LINKS.split()[0] + ' name="a"/>',
        3,
        "the file has a rest pose for joint 'x', but the robot has no joint 'x'; it has none",
    ),
    "a rest pose of too few": (
        joint("", "continuous") + '\n<manikin>\n<rest joint="j" numbers="1 2"/></manikin>',
        9,
        "joint 'j': rest pose: numbers needs one number, got '1 2'",
    ),
    "a tag that is not closed": ('<link name="a">', 3, "not well-formed XML: mismatched tag"),
    "an attribute twice": ('<link name="a" name="b"/>', 2, "not well-formed XML: duplicate attribute"),
}


@pytest.mark.parametrize(("body", "line", "message"), BAD.values(), ids=[k.replace(" ", "_") for k in BAD])
def test_a_bad_file_is_told_with_its_line(tmp_path: Path, body: str, line: int, message: str) -> None:
    path = write(tmp_path, body)
    with pytest.raises(BadFile) as caught:
        mk.load_figure(path)
    assert caught.value.line == line
    assert caught.value.path == str(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert message in str(caught.value)


def test_a_leader_with_several_numbers_is_an_error(tmp_path: Path) -> None:
    body = LINKS + '<joint name="f" type="floating"><parent link="a"/><child link="c"/></joint>\n'
    body += f'<joint name="j" type="continuous">{ENDS}<mimic joint="f"/></joint>'
    with pytest.raises(BadFile, match="line 6: joint 'j' mimics 'f', which is floating"):
        mk.load_figure(write(tmp_path, body))


@pytest.mark.parametrize(
    "body",
    [
        '<xacro:macro name="leg"/>',
        '<include filename="leg.xacro"/>',
        '<link name="a"/><link name="b"/><xacro:leg prefix="left"/>',
        joint('<origin xyz="${length} 0 0"/>'),
        '<link name="a"><inertial><mass value="$(arg mass)"/></inertial></link>',
    ],
)
def test_what_is_left_of_xacro_is_unsupported_and_the_way_out_is_told(tmp_path: Path, body: str) -> None:
    with pytest.raises(Unsupported, match=r"bad.urdf, line \d+: .* unexpanded xacro"):
        mk.load_figure(write(tmp_path, body))


def test_other_xml_is_not_urdf(tmp_path: Path) -> None:
    path = tmp_path / "page.urdf"
    path.write_text("<page/>")
    with pytest.raises(BadFile, match="the file begins with <page>; a URDF file begins with <robot>"):
        mk.load_figure(path)


def test_the_empty_robot_of_a_published_collection_is_told() -> None:
    path = Path(
        sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots/ur_description/urdf/ur3.urdf"
    )
    if not path.exists():
        pytest.skip("example-robot-data is not installed")
    with pytest.raises(BadFile, match="the robot has no links"):
        mk.load_figure(path)


# Attacks


def test_an_entity_bomb_does_not_go_off(tmp_path: Path) -> None:
    path = tmp_path / "bomb.urdf"
    lines = ['<!ENTITY e0 "haha">', *(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 12))]
    path.write_text(f'<!DOCTYPE robot [\n{chr(10).join(lines)}\n]>\n<robot name="&e11;"><link name="a"/></robot>')
    with pytest.raises(BadFile, match=r"line 2: .*entity 'e0'"):
        mk.load_figure(path)


def test_a_file_outside_is_not_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    for declaration in (f'<!ENTITY x SYSTEM "{secret}">', f'<!ENTITY % x SYSTEM "{secret}"> %x;'):
        path = tmp_path / "outside.urdf"
        path.write_text(f'<!DOCTYPE robot [{declaration}]>\n<robot name="a"><link name="a">&x;</link></robot>')
        with pytest.raises(BadFile) as caught:
            mk.load_figure(path)
        assert "line 1: the file declares the entity 'x'" in str(caught.value)


def test_an_entity_of_a_missing_document_type_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dtd.urdf"
    path.write_text('<!DOCTYPE robot SYSTEM "robot.dtd">\n<robot name="a"><link name="a">&x;</link></robot>')
    with pytest.raises(BadFile, match="line 2: the file uses the entity 'x'"):
        mk.load_figure(path)


def test_a_document_type_alone_is_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "dtd.urdf"
    path.write_text('<!DOCTYPE robot SYSTEM "http://example.com/robot.dtd">\n<robot name="a"><link name="a"/></robot>')
    assert mk.load_figure(path).segment_names == ("a",)


def test_deep_nesting_ends_at_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "deep.urdf"
    path.write_text('<robot name="deep">\n' + "<a>\n" * 10_000 + "</a>" * 10_000 + "</robot>")
    with pytest.raises(BadFile, match="line 257: <a> is nested more than 256 levels deep"):
        mk.load_figure(path)


def refused(path: Path) -> None:
    with contextlib.suppress(BadFile):
        mk.load_figure(path)


def test_a_row_of_thousands_of_mimics_is_refused_with_little_work(tmp_path: Path) -> None:
    count = 5000
    body = "".join(f'<link name="l{k}"/>' for k in range(count + 1))
    for k in range(count):
        mimic = f'<mimic joint="j{k + 1}"/>' if k < count - 1 else ""
        body += f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/>{mimic}</joint>\n'
    path = write(tmp_path, body)
    with pytest.raises(BadFile, match=r"joint 'j0' .* more than 100 mimic joints"):
        mk.load_figure(path)
    assert calls_of(lambda: refused(path)) < 700 * count


def test_a_cycle_of_thousands_is_told_with_little_work(tmp_path: Path) -> None:
    count = 5000
    body = "".join(f'<link name="l{k}"/>\n' for k in range(count))
    ends = ((k, (k + 1) % count) for k in range(count))
    body += "".join(
        f'<joint name="j{a}" type="fixed"><parent link="l{a}"/><child link="l{b}"/></joint>' for a, b in ends
    )
    path = write(tmp_path, body)
    with pytest.raises(BadFile, match="no root link"):
        mk.load_figure(path)
    assert calls_of(lambda: refused(path)) < 300 * count


def test_a_chain_of_thousands_is_read_with_little_work(tmp_path: Path) -> None:
    count = 2000
    body = "".join(f'<link name="l{k}"/>\n' for k in reversed(range(count)))
    body += "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/></joint>'
        for k in range(count - 1)
    )
    path = write(tmp_path, body)
    figure = mk.load_figure(path)
    assert calls_of(lambda: mk.load_figure(path)) < 700 * count
    assert (figure.nq, figure.segment_names[0]) == (count - 1, "l0")


SAMPLE = b"""<robot name="r">
<link name="a"><inertial><origin xyz="0 0 1" rpy="0 1 0"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><collision><geometry><cylinder radius="1" length="2"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="k"/></joint>
<link name="c"/><joint name="k" type="prismatic"><parent link="b"/><child link="c"/></joint></robot>
"""


@pytest.mark.filterwarnings("ignore::manikin.errors.OddFile")
@settings(max_examples=300)
@given(data=st.data())
def test_a_damaged_file_is_read_or_told_and_never_crashes(data: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = bytearray(SAMPLE)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        end = min(len(text), at + data.draw(st.integers(0, 30)))
        words = [b"", b"nan", b"1e400", b"-1", b'"', b"<", b"&x;", b"\x00", b"\xff", b"a", b"b", b"j", b"k", b" ", b"0"]
        text[at:end] = data.draw(st.sampled_from(words))
    path = tmp_path_factory.getbasetemp() / f"damaged{os.getpid()}.urdf"
    path.write_bytes(bytes(text))
    try:
        figure = mk.load_figure(path)
    except ManikinError as error:
        told = str(error)
    else:
        told = str(path)
        assert np.isfinite(figure.placements(figure.rest)).all()
    assert str(path) in told
