"""The XML reader: lines, bounds, and text that comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manikin.errors import BadFile
from manikin.files.common import xml_safe
from manikin.files.common.xml_safe import Element


def parse(text: str | bytes, **options: int) -> Element:
    return xml_safe.parse(text.encode() if isinstance(text, str) else text, "file.xml", **options)


def test_every_element_knows_its_line() -> None:
    root = parse("<?xml version='1.0'?>\n<a>\n<b/>\n\n<c\nx='1'/></a>")
    assert [(e.tag, e.line) for e in (root, *root.children)] == [("a", 2), ("b", 3), ("c", 5)]


def test_blank_lines_before_the_declaration_count_but_do_no_harm() -> None:
    root = parse("\n\r\n  <?xml version='1.0'?>\n<a/>")
    assert root.line == 4
    with pytest.raises(BadFile, match=r"file\.xml, line 5: not well-formed XML: mismatched tag"):
        parse("\n\n <?xml version='1.0'?>\n<a>\n</b>")


def test_children_are_found_by_tag() -> None:
    root = parse("<a><b i='1'/>text<c/><b i='2'/></a>")
    assert [b.attributes["i"] for b in root.all("b")] == ["1", "2"]
    first = root.first("b")
    assert first is not None
    assert first.attributes["i"] == "1"
    assert root.first("x") is None
    assert root.content[1] == "text"


def test_only_the_prefix_of_the_root_is_taken_off() -> None:
    root = parse("<n:a><n:b/><m:b/><b/></n:a>")
    assert [e.tag for e in root.children] == ["b", "m:b", "b"]
    assert [e.tag for e in parse("<a><n:b/></a>").children] == ["n:b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no element found"),
        ("   \n", "no element found"),
        ("hello", "syntax error"),
        ("<a>", "no element found"),
        ("<a/><b/>", "junk after document element"),
        ("<a b=1/>", r"not well-formed \(invalid token\)"),
        ("<a>&nope;</a>", "undefined entity"),
        (b"<a>\xff</a>", r"not well-formed \(invalid token\)"),
        ("<?xml version='1.0' encoding='nonsense'?><a/>", "unknown encoding"),
        ("<?xml version='1.0' encoding='utf-7'?><a/>", "encoding"),
    ],
)
def test_what_is_no_xml_is_a_bad_file_with_a_line(text: str | bytes, message: str) -> None:
    with pytest.raises(BadFile, match=message) as caught:
        parse(text)
    assert caught.value.line is not None


def test_depth_and_number_of_elements_are_bounded() -> None:
    parse("<a>" * 10 + "</a>" * 10, deepest=10)
    with pytest.raises(BadFile, match="<a> is nested more than 10 levels deep"):
        parse("<a>" * 11 + "</a>" * 11, deepest=10)
    with pytest.raises(BadFile, match="more than 200,000 elements"):
        parse("<a>" + "<b/>" * 200_000 + "</a>")


def test_the_number_of_attributes_is_bounded() -> None:
    attributes = [f"x{k}='0'" for k in range(xml_safe.MOST_ATTRIBUTES + 1)]
    assert len(parse(f"<a {' '.join(attributes[1:])}/>").attributes) == xml_safe.MOST_ATTRIBUTES
    with pytest.raises(BadFile, match=r"line 1: <a> has 1,001 attributes; the limit is 1,000"):
        parse(f"<a {' '.join(attributes)}/>")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_safe, "MOST_BYTES", 10)
    path = tmp_path / "large.xml"
    path.write_text("<a>12345678</a>")
    with pytest.raises(BadFile, match="the file has 15 bytes; the limit is 10"):
        xml_safe.read(path)


letters = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=10)


@given(value=letters, text=letters)
def test_text_and_attributes_come_back(value: str, text: str) -> None:
    made = Element("a", {"x": value}, 0, [Element("b", {}, 0, [text]), Element("c", {"y": value}, 0)])
    root = parse(xml_safe.to_text(made))
    assert root.attributes == {"x": value}
    b, c = root.children
    assert b.content == ([text] if text.strip() else [])
    assert c.attributes == {"y": value}


@given(value=st.text(st.sampled_from("\t\n\r '\"<>&a"), max_size=10))
def test_white_space_and_quotes_in_attributes_come_back(value: str) -> None:
    assert parse(xml_safe.to_text(Element("a", {"x": value}, 0))).attributes == {"x": value}
