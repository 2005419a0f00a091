"""Names as a hostile file may have them, for the tests of every reader, writer and page."""

from __future__ import annotations

HOSTILE = [
    "a\nimport os; os.abort()",
    "a\rb",
    "a\r\nb\x0bc\x0cd",
    "a\u2028b\u2029c\x85d",
    "\"'`",
    '"""',
    "''' + 1 + '''",
    "a\\",
    "\\n\\",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "--><b>&amp;",
    "]]>",
    "%n%p%s%s%n",
    "%d%%",
    "\x1b[31mred\x1b]0;title\x07\x9b2J",
    "[red]a[/red][/]",
    "$x$",
    "$\\frac{$",
    "=1+1",
    "@SUM(A1)",
    "../../x",
    "/etc/x",
    "a\x00b",
    "\x01\x7f",
    "\ud800",
    "\u202egnp.exe",
    "\ufeffa",
    "手" * 80,
    "{a} {0} {",
    "__DATA__",
    "#a;b,c\td",
    " a ",
    "",
]
"""One for each way in which a destination may take a name for something else."""
ORDINARY = ["LeftHand", "mixamorig:Hips", "left_hand.001", "upper arm (l)", "ä手😀", "a'b", "手\u3000足", "क्\u200dष"]
"""Names that every destination shows as they are."""
