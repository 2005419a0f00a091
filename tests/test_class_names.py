"""No two classes of the package have one name, so that a name in a message or a search means one thing.

Rooms named after file formats repeat each other's words (a node, a header, a clip), so `files/` is left out.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import manikin

PACKAGE = Path(manikin.__file__).parent


def test_no_two_classes_have_one_name() -> None:
    places = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] == "files":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(PACKAGE)))
    assert len(places) > 50
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
