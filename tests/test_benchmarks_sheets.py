"""The sheets of retargeted clips."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import retarget_sheets
from manikin.figure.parts.calibration import calibrate


def test_a_body_stands_on_the_floor_with_legs_of_length_1() -> None:
    person = figure("human")
    motion = mk.Motion(person, person.rest)
    own = calibrate(person, mk.bone_map(person))
    (body,) = retarget_sheets.row("person", motion, [0], own, np.zeros(1)).bodies
    points = np.concatenate([solid.faces.reshape(-1, 3) for solid in body])
    assert abs(points[:, 1].min()) < 0.02
    assert 1.9 < points[:, 1].max() < 2.3


def test_every_sheet_has_moments_of_its_clip() -> None:
    for name, sheet in retarget_sheets.SHEETS.items():
        assert list(sheet.frames) == sorted(set(sheet.frames))
        assert 1 <= sheet.frames[0] <= sheet.frames[-1] < len(clip(name))


def test_a_picture_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clip is our own: a person who sways, so that no recording is needed."""
    person = mk.human()
    sway = 0.2 * np.sin(np.linspace(0.0, 6.0, 130))[:, None] * np.r_[np.zeros(6), np.ones(person.nv - 6)]
    motion = mk.Motion(person, person.clamp(person.integrate(np.tile(person.rest, (130, 1)), sway)), rate=30.0)
    monkeypatch.setattr(retarget_sheets, "load_clip", lambda *_: motion)
    sheet = retarget_sheets.Sheet((60, 120), 62.0, 1.3, "A walk")
    monkeypatch.setitem(retarget_sheets.SHEETS, "walk", sheet)
    monkeypatch.setattr(retarget_sheets, "FIGURES", {"human": "person"})
    retarget_sheets.draw("walk", tmp_path / "sheet.png")
    assert (tmp_path / "sheet.png").read_bytes().startswith(b"\x89PNG")
