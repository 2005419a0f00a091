"""Every export is opened again: files with a motion on the page, the script in Python, the scene with all it holds."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studio_browser import Page, far

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")


def export(page: Page, kind: str, folder: Path) -> Path:
    page.page.keyboard.press("Control+e")
    with page.page.expect_download() as waiting:
        page.page.locator(f"[data-kind={kind}]").click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def arm(page: Page) -> Any:
    """Where the right hand is from the hips, in lengths of the trunk."""
    hips, head, hand = page.at("Hips"), page.at("Head"), page.at("RightHand")
    return (hand - hips) / np.linalg.norm(head - hips)


def opened(page: Page, path: Path, label: str = "Figure file") -> None:
    page.page.locator(".toast").evaluate("toast => (toast.textContent = '')")
    page.page.get_by_label(label).set_input_files(str(path))
    page.page.locator(".toast").get_by_text("is on the").wait_for(timeout=60_000, state="attached")
    page.still()


@pytest.mark.parametrize("kind", ["bvh", "glb", "usd", "csv"])
def test_a_motion_is_opened_again_on_the_page(page: Page, tmp_path: Path, kind: str) -> None:
    page.set_two_keys()
    up = arm(page)
    path = export(page, kind, tmp_path)
    page.press("Shift+R")
    assert far(arm(page), up) > 0.3
    # A table holds no figure, so it is opened as a motion of the figure on the stage.
    opened(page, path, "Motion file" if kind == "csv" else "Figure file")
    page.until("__studio.studio.state.timeline?.frames === 121")
    page.page.evaluate("__studio.player.seek(40)")
    page.until("__studio.studio.shownFrame === 40")
    page.still()
    assert far(arm(page), up) < 2e-3


def test_a_scene_file_is_opened_again_with_all_it_holds(page: Page, tmp_path: Path) -> None:
    page.set_two_keys()
    page.select("LeftHand")
    page.press("p")
    before, at = page.state(), page.at("RightHand")
    path = export(page, "scene", tmp_path)
    page.page.get_by_role("button", name="Figures").click()
    page.page.locator("[data-figure=quadruped]").click()
    page.until("__studio.studio.scene.name === 'quadruped'")
    opened(page, path)
    page.until("__studio.studio.scene.name === 'human' && __studio.studio.state.keys.length === 2")
    after = page.state()
    for name in ("pose", "goals", "keys", "fps", "last_frame", "name"):
        assert after[name] == before[name], name
    assert far(page.at("RightHand"), at) < 1e-6
    path.write_text(path.read_text().replace('"manikin-scene": 1', '"manikin-scene": 99'))
    page.page.get_by_label("Figure file").set_input_files(str(path))
    page.page.get_by_role("alert").get_by_text("a newer manikin wrote it").wait_for()
    assert page.state()["name"] == before["name"]
    page.wrong = [text for text in page.wrong if "400" not in text]  # the browser logs the status of the answer


def test_the_script_makes_the_pose_again(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page.drag("RightHand", -60, -120)
    hand = page.at("RightHand")
    path = export(page, "script", tmp_path)
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(path))
    figure, pose = names["figure"], names["pose"]
    assert far(figure.placements(pose, ["RightHand"])[0][:3, 3], hand) < 1e-5
