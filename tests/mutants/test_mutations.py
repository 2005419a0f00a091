"""The changes that are drawn: each kind is found, each gives a module, and words are left alone."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def found() -> Any:
    path = Path(__file__).with_name("mutations.py")
    spec = importlib.util.spec_from_file_location("mutations_under_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SOURCE = '''"""A module with 1 + 1."""
def f(a: "1 < 2", b=3):
    """Adds 1 + 1."""
    if a < b and a:
        g(a, b, c=1 + b)
        return a - b
    raise BadValue(f"{a + b}")


def __repr__(self):
    return 1 + 1
'''


def test_every_kind_is_found_and_gives_another_module(found: Any) -> None:
    changes = {(m.kind, m.applied(SOURCE)) for m in found.mutations(SOURCE)}
    assert {kind for kind, _ in changes} == {
        *("comparison", "sign", "and/or", "constant", "condition", "statement", "argument"),
    }
    texts = {text for _, text in changes}
    for old, new in (
        ("a < b", "a >= b"),
        ("a - b", "a + (b)"),
        ("a < b and a", "(a < b) or (a)"),
        ("b=3", "b=4"),
        ("if a < b and a", "if not (a < b and a)"),
        ("return a - b", "return None"),
        ("g(a, b, c=1 + b)", "g(b, a, c=1 + b)"),
        ("g(a, b, c=1 + b)", "g(a, b)"),
        ('raise BadValue(f"{a + b}")', "pass"),
    ):
        assert SOURCE.replace(old, new, 1) in texts, new
    assert SOURCE not in texts
    for text in texts:
        compile(text, "changed", "exec")


def test_words_are_left_alone(found: Any) -> None:
    for change in found.mutations(SOURCE):
        text = change.applied(SOURCE)
        assert text.startswith('"""A module with 1 + 1."""\ndef f(a: "1 < 2"')
        assert '    """Adds 1 + 1."""' in text
        assert text.endswith("    return 1 + 1\n")
