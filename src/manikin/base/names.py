"""Names from files are data. One function for each destination writes a name, or other text from a file, so that the
destination takes it for text and nothing else.

    terminal, log       `line`; `stacked` and `lines` for several lines; `json_line` for JSON that people may look at
    Python source       `python` (a literal), `comment`, `docstring`
    HTML, SVG in HTML   `html`; `script` for data inside a <script>
    XML                 `xml_text`, `xml_attribute`
    CSV                 `csv_cell`, and `csv_text` to read it
    pictures            `picture`, for matplotlib
    file systems        `file_name`
    C libraries         `foreign`, and `native` for what comes back

Names in figures, motions and markers are never changed. A format that cannot hold a name refuses it with BadValue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from manikin.errors import BadValue, printable

LONGEST_FILE_NAME = 60
"""Largest number of characters of a name that `file_name` makes."""
_FORMULA = r"'*[=+\-@\t\r]"
_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_FOREIGN = {"%": "\uf8f0\uf8f1", "\uf8f0": "\uf8f0\uf8f2"}
_NATIVE = {code: letter for letter, code in _FOREIGN.items()}
_RESERVED = r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])"


def line(text: str) -> str:
    """One line for a terminal or a log. Control characters and line ends are escaped.

    Example:
        >>> print(line("left\\nhand"))
        left\\nhand
    """
    return printable(text)


def lines(text: str) -> str:
    """Several lines for a terminal or a log. Control characters other than line ends and tabs are escaped."""
    return printable(text, keep="\n\t")


def stacked(rows: Iterable[str]) -> str:
    """Several lines for a terminal or a log, from one text for each line. A line end inside of a text is escaped."""
    return "\n".join(printable(row) for row in rows)


def json_line(text: str) -> str:
    """JSON text for a terminal. Characters that a terminal would obey are written as JSON escapes."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or len(printable(c)) == 1 else _json_escape(c) for c in text)


def python(text: str) -> str:
    """A literal of Python."""
    return repr(str(text))


def comment(text: str) -> str:
    """The text of a comment in Python, without the "# ". It cannot end the line."""
    return printable(text)


def docstring(text: str) -> str:
    """A quoted text inside a docstring of Python. It can neither end the docstring nor be read as an escape."""
    import json

    return json.dumps(text)


def html(text: str) -> str:
    """Text in HTML, also in an attribute with quotes. Control characters are shown as escapes.

    Example:
        >>> html("<b> & c")
        '&lt;b&gt; &amp; c'
    """
    import html as library  # takes 1 ms, so not on `import manikin`

    return library.escape(printable(text))


def script(value: Any) -> str:
    """Data as JSON inside a <script>: no text in it can end the script or begin a comment of HTML.

    Raises:
        ValueError: a number is not finite.
    """
    import json

    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def xml_text(text: str) -> str:
    """Text between two tags of XML.

    Raises:
        BadValue: XML cannot store a character of it.
    """
    return _checked_xml(text).replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")


def xml_attribute(text: str) -> str:
    """The value of an attribute of XML, with its quotes. Readers get the same text back, line ends included.

    Raises:
        BadValue: XML cannot store a character of it.
    """
    text = xml_text(text).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    if '"' not in text:
        return f'"{text}"'
    return f"'{text}'" if "'" not in text else '"' + text.replace('"', "&quot;") + '"'


def csv_cell(text: str) -> str:
    """A name as a cell of CSV. A spreadsheet would compute a cell that begins like a formula, so it gets a leading
    apostrophe. The module `csv` does the quoting."""
    return "'" + text if re.match(_FORMULA, text) else text


def csv_text(cell: str) -> str:
    """The name in a cell that `csv_cell` made. Any other cell is returned unchanged."""
    return cell[1:] if cell.startswith("'") and re.match(_FORMULA, cell) else cell


def picture(text: str) -> str:
    """Text in a picture of matplotlib, on one line. A dollar sign is a dollar sign, not mathematics."""
    return printable(text).replace("$", r"\$")


def file_name(text: str, default: str) -> str:
    """A file name without an ending, for every file system: letters, digits, "-" and "_" of ASCII.

    Args:
        text: the name of a thing.
        default: the file name if nothing is left of the text.
    """
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_")[:LONGEST_FILE_NAME] or default
    return f"{name}_" if re.fullmatch(_RESERVED, name) else name


def foreign(text: str) -> str:
    """A name for a library in C that may use it as a format of printf: it has no percent sign.

    Each character is replaced by itself, so what the library adds before and after a name stays there. `native` takes
    it back.
    """
    return re.sub("[%\uf8f0]", lambda found: _FOREIGN[found[0]], text)


def native(text: str) -> str:
    """The text whose names `foreign` replaced."""
    return re.sub("\uf8f0[\uf8f1\uf8f2]", lambda found: _NATIVE[found[0]], text)


def _checked_xml(text: str) -> str:
    found = re.search(_NOT_XML, text)
    if found:
        raise BadValue(f"the text {text!r} has the character {found[0]!r}, which XML cannot store; rename it")
    return text


def _json_escape(letter: str) -> str:
    code = ord(letter)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + (code - 0x10000 >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
