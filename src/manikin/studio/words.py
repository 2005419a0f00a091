"""Reports in the words of the studio: parts of the body instead of names of goals, and changes as buttons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manikin.report.data import Change, Report
from manikin.studio.commands import pose_text
from manikin.studio.goals import SceneGoal
from manikin.studio.roles import Roles


def groups_of(roles: Roles, goals: Sequence[SceneGoal]) -> dict[str, list[str]]:
    """The goals that belong together, by the words that people use for them."""
    out: dict[str, list[str]] = {}
    for goal in goals:
        if not goal.on:
            continue
        part = roles.words(goal.segment) if goal.segment else ""
        words = {"pin": f"the pinned {part}", "aim": f"the gaze of the {part}", "pole": f"the pole of the {part}"}
        named = goal.group and f"the planted {goal.group}"
        out.setdefault(named or words.get(goal.role, f"the {goal.role} {part}".strip()), []).append(goal.id)
    return out


def sentences_of(report: Report, name: str, words: str) -> list[str]:
    """The report in sentences, without tolerances."""
    text = report.text.replace(name, f"the {words}")
    start = text.find(" (tolerance ")
    if start >= 0:
        text = text[:start] + text[text.index(")", start) + 1 :]
    sentences = [part.strip() for part in text.replace(". ", ".\n").split("\n")]
    return [part[0].upper() + part[1:] for part in sentences if part]


def changes_of(report: Report, names: Sequence[str], dragged: str) -> list[dict[str, Any]]:
    """What would help, for buttons: words, and the commands to send or the point to drag to."""
    out = []
    for change in report.changes:
        made = _change(change, names, dragged, report)
        if made is not None and made not in out:
            out.append(made)
    return out


def _change(change: Change, names: Sequence[str], dragged: str, report: Report) -> dict[str, Any] | None:
    ids = [names[k] for k in change.goals]
    if change.what == "drop_goal" and dragged not in ids:
        kept = {"foot", "sole"}
        more = [i for i in ids[1:] if i.split()[0] not in kept]  # a foot goes as a whole
        # A foot that is let go does not support the balance. The report still counts it as a support, so its promise
        # holds only if the balance is removed too.
        falls = "balance" in names and "balance" not in ids and any(i.split()[0] in kept for i in ids)
        commands = [{"name": "remove", "args": {"id": i}} for i in (*(["balance"] if falls else []), *ids[:1], *more)]
        words = f"Let go of {change.subject}{' and the balance' if falls else ''}"
        return {"words": words, "commands": commands, "verified": change.verified}
    if change.what == "move_target" and ids == [dragged]:
        return {"words": "Bring the target into reach", "target": list(change.target[:3]), "verified": change.verified}
    if change.what == "use_pose" and report.pose is not None:
        commands = [{"name": "pose", "args": {"pose": pose_text(report.pose)}}]
        return {"words": "Take the pose that was found", "commands": commands, "verified": True}
    return None
