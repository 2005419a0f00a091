"""In a sub-interpreter the native core is refused in one sentence, instead of waiting forever for the GIL."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from manikin import backend

NAME = next((n for n in ("_interpreters", "_xxsubinterpreters") if importlib.util.find_spec(n)), None)
pytestmark = [
    pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native core"),
    pytest.mark.skipif(NAME is None, reason="this Python has no module for sub-interpreters"),
]

CALL = """
import warnings
warnings.simplefilter("ignore")
try:
    import manikin as mk
    mk.human().placements(mk.human().rest)
except ImportError as error:
    print("refused:", error, flush=True)
else:
    print("computed", flush=True)
"""


def test_the_core_is_refused_in_one_sentence() -> None:
    run = f"""
import {NAME} as interpreters
try:
    one = interpreters.create("legacy")
except TypeError:
    one = interpreters.create(isolated=False)
interpreters.run_string(one, {CALL!r})
"""
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, timeout=120, check=False)
    assert "refused:" in done.stdout, done.stderr
    assert "sub-interpreter" in done.stdout
