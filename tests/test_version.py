"""The version has one source, `manikin.__version__`; what must repeat it does so truly."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

import manikin

ROOT = Path(__file__).parent.parent


def test_pyproject_takes_the_version_from_the_package() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'dynamic = ["version"]' in text
    assert not re.search(r"^version\s*=", text, re.MULTILINE)
    assert 'input = "src/manikin/__init__.py"' in text


def test_the_installed_package_has_this_version() -> None:
    try:
        installed = metadata.version("manikin")
    except metadata.PackageNotFoundError:
        pytest.skip("manikin is not installed; it is imported from its sources")
    assert installed == manikin.__version__


def test_the_citation_has_this_version() -> None:
    found = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert found[1] == manikin.__version__
