"""Each destination takes a name for text and nothing else. Readers of others say what they see."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hostile_names import HOSTILE, ORDINARY

from manikin.base import names
from manikin.errors import BadFile, BadValue, ManikinError, UnknownName, listing, printable, unknown_name

OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
"""What a terminal obeys: control characters, line ends, turns of direction. And halves of pairs, which no file
holds."""


@pytest.mark.parametrize("text", ORDINARY, ids=ascii)
def test_ordinary_names_are_unchanged(text: str) -> None:
    same = (names.line, names.lines, names.comment, names.csv_cell, names.csv_text, names.foreign, names.native)
    assert [f(text) for f in (*same, names.picture, names.json_line)] == [text] * (len(same) + 2)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_terminal_obeys_nothing_and_a_line_stays_a_line(text: str) -> None:
    assert not OBEYED.search(names.line(text))
    assert not OBEYED.search(names.lines(text).replace("\n", "").replace("\t", ""))
    assert names.line(names.line(text)) == names.line(text)
    names.line(text).encode()


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_json_for_a_terminal_is_the_same_data(text: str) -> None:
    shown = names.json_line(json.dumps({"name": text}, ensure_ascii=False))
    assert not OBEYED.search(shown)
    assert json.loads(shown) == {"name": text}


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_python_reads_a_literal_a_comment_and_a_docstring(text: str) -> None:
    source = f'"""Of {names.docstring(text)}."""\nx = {names.python(text)}  # {names.comment(text)}\n'
    tree = ast.parse(source.encode())
    assert len(tree.body) == 2
    assert ast.get_docstring(tree, clean=False) == f'Of "{text}".'
    assign = tree.body[1]
    assert isinstance(assign, ast.Assign)
    assert ast.literal_eval(assign.value) == text


class Seen(HTMLParser):
    """The tags, the attributes and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.values: list[str | None] = []
        self.text = ""
        self.comments = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.values += [value for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:  # noqa: ARG002
        self.comments += 1


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_html_shows_the_name(text: str) -> None:
    page = f"<p title=\"{names.html(text)}\" class='{names.html(text)}'>{names.html(text)}</p>"
    page.encode()
    seen = Seen(page)
    assert (seen.tags, seen.comments) == (["p"], 0)
    assert seen.values == [names.line(text)] * 2
    assert seen.text == names.line(text)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_data_in_a_script_is_the_same_data(text: str) -> None:
    held = names.script({"name": text})
    assert "<" not in held
    assert held.isascii()
    assert json.loads(held) == {"name": text}


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_xml_holds_the_name_or_refuses_it(text: str) -> None:
    try:
        page = f"<a b={names.xml_attribute(text)}>{names.xml_text(text)}</a>"
    except BadValue as error:
        assert "which XML cannot store; rename it" in str(error)  # noqa: PT017
        assert re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", text)
        return
    element = ElementTree.fromstring(page.encode())
    assert len(element) == 0
    assert element.get("b") == text
    assert element.text == text.replace("\r\n", "\n").replace("\r", "\n") or (element.text is None and not text)


@pytest.mark.parametrize("text", [*HOSTILE, "'", "'=1", "''=1", "'a", "'-", "\t=1", "\r=1"], ids=ascii)
def test_a_cell_of_csv_is_no_formula_and_is_read_back(text: str) -> None:
    out = io.StringIO()
    csv.writer(out).writerow([names.csv_cell(text), "end"])
    (row,) = csv.reader(io.StringIO(out.getvalue(), newline=""), strict=True)
    assert row[1] == "end"
    assert row[0][:1] not in (*"=+-@\t\r",)
    assert names.csv_text(row[0]) == text


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_c_library_sees_no_percent_sign(text: str) -> None:
    for name in (text, text + "\uf8f0\uf8f1%\uf8f2"):
        assert "%" not in names.foreign(name)
        assert names.native(names.foreign(name)) == name
        assert names.native(f"a {names.foreign(name)} b %") == f"a {name} b %"


@pytest.mark.parametrize("text", [*HOSTILE, "CON", "nul", "com1", ".hidden", "a/b", "a\\b", "C:\\x"], ids=ascii)
def test_a_file_name_is_one_on_every_system(text: str) -> None:
    name = names.file_name(text, "pose")
    assert re.fullmatch("[A-Za-z0-9_-]{1,61}", name)
    assert not re.fullmatch("con|prn|aux|nul|com[0-9]|lpt[0-9]", name.lower())


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_errors_can_be_printed(text: str) -> None:
    errors: list[ManikinError] = [
        BadValue(f"segment {text} is bad"),
        unknown_name(f"figure {text!r}", "segment", text, [text, "a"]),
        BadFile(f"/a/{text}", f"<{text}>", 3),
    ]
    errors[2].found(line=4)  # type: ignore[attr-defined]
    for error in errors:
        assert not OBEYED.search(str(error).replace("\n", "").replace("\t", ""))
    assert not OBEYED.search(listing([text, text]))
    assert printable(f", line 4, line 3: <{text}>", keep="\n\t") in str(errors[2])


def test_the_text_of_an_error_is_unchanged_in_its_arguments() -> None:
    assert UnknownName("a\x1bb").args == ("a\x1bb",)
    assert str(UnknownName("a\x1bb\nc")) == "a\\x1bb\nc"
