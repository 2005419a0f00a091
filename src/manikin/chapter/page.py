"""chapter.html: all examples with a short text each, and the tables. It is one file, with the pictures beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manikin.base.names import html
from manikin.chapter.page_style import CSS

Cell = str
NO_NUMBER = "∞"
"""Text for an infinite condition number, which is null in results.json."""


def page(result: dict[str, Any]) -> str:
    """The page for the content of results.json."""
    pictured = set(result["files"])
    body = [
        _header(result),
        _statements(result["statements"]),
        _examples(result["examples"], pictured),
        _alpha(result["alpha"], pictured),
        _damping(result["damping"]),
        *[_contest(contest) for contest in result["methods"]],
        "<footer>Written by <code>manikin chapter</code>. All numbers are in <a href='results.json'>results.json</a>."
        "</footer>",
    ]
    head = "<meta charset='utf-8'><meta name='viewport' content='width=device-width, initial-scale=1'>"
    return (
        f"<!DOCTYPE html>\n<html lang='en'><head>{head}<title>The chapter</title>\n<style>{CSS}</style></head>\n"
        f"<body><main>\n{chr(10).join(part for part in body if part)}\n</main></body></html>\n"
    )


def _header(result: dict[str, Any]) -> str:
    return (
        "<header><h1>Inverse kinematics with many effectors: the chapter’s examples</h1>"
        "<p>Planar figures whose effectors go along straight paths, by nonlinear programming (section 3), by the "
        "pseudo-inverse for one, two and many effectors (4 to 6), and by damped least squares with and without bounds "
        f"(7). {html(result['note'])} The values here are chosen so that each figure shows what the chapter says "
        "about it. Lengths are in units of a segment, angles in radians.</p></header>"
    )


def _statements(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    cells = [["✓" if r["holds"] else "✗", html(r["text"]), ", ".join(number(x) for x in r["numbers"])] for r in rows]
    table = _table(["", "statement", "numbers"], cells, "left statements")
    return f"<section><h2>What the figures show</h2>{table}</section>"


def _examples(examples: dict[str, Any], pictured: set[str]) -> str:
    cards = "\n".join(_card(name, entry, pictured) for name, entry in examples.items())
    return f"<section><h2>Examples</h2><div class='cards'>{cards}</div></section>"


def _card(name: str, entry: dict[str, Any], pictured: set[str]) -> str:
    """One example. The picture contains its title; the text begins with its name."""
    title = html(f"{entry['label']}: {entry['title']}")
    moving = f"<img class='gif' src='{name}.gif' alt='{title}, moving' loading='lazy'>"
    return (
        f"<article id='{name}'><a href='{name}.png'><img class='png' src='{name}.png' alt='{title}'></a>"
        f"<div class='beside'><div><p><strong>{html(entry['label'])}.</strong> {html(entry['text'])}</p>"
        f"{_numbers(entry)}</div>{moving if f'{name}.gif' in pictured else ''}</div>{_compared(entry)}</article>"
    )


def _numbers(entry: dict[str, Any]) -> str:
    touched = ", ".join(entry["limits_touched"]) or "none"
    rows = [
        ["largest error at the end", number(max(entry["final_errors"].values()))],
        ["largest deviation from a path", number(entry["largest_deviation"])],
        ["mean lag behind the path points", number(entry["lag"])],
        ["largest step, rad", number(entry["largest_step"])],
        ["largest condition number", number(entry["condition_number"])],
        [f"largest residual of a {entry['residual']['of']}", number(entry["residual"]["largest"])],
        ["limits touched", html(touched)],
        ["largest excess over a bound, rad", number(entry["outside_limits"])],
    ]
    return _table([], rows, "numbers")


def _compared(entry: dict[str, Any]) -> str:
    if not entry["compared"]:
        return ""
    rows = [
        [
            html(run["method"]),
            number(run["final_error_of_size"]),
            number(run["largest_step"]),
            str(run["iterations"]),
            number(1e3 * run["seconds"]),
        ]
        for run in entry["compared"]
    ]
    return _table(["method", "error at the end / size", "largest step, rad", "iterations", "time, ms"], rows)


def _alpha(alpha: dict[str, Any], pictured: set[str]) -> str:
    columns = alpha["final_error_of_size"]
    if not columns:
        return ""
    headers = ["α", *[name.replace("-", " ").capitalize() for name in columns]]
    rows = [
        [f"{value:g}", *[number(errors[k]) for errors in columns.values()]] for k, value in enumerate(alpha["alphas"])
    ]
    picture = (
        "<img class='plot' src='alpha.png' alt='error against α' loading='lazy'>" if "alpha.png" in pictured else ""
    )
    return (
        "<section><h2>Nonlinear programming: the error against α</h2>"
        "<p>α > 0 pulls the answer toward the reference pose, here the start. The error at the end, relative to "
        "the figure’s size, goes to 0 as α does.</p>"
        f"<div class='beside'>{_table(headers, rows)}{picture}</div></section>"
    )


def _damping(study: dict[str, Any] | None) -> str:
    if study is None:
        return ""
    rows = [
        [f"{damping:g}", number(condition), number(residual), number(step)]
        for damping, condition, residual, step in zip(
            study["dampings"], study["condition_numbers"], study["residuals"], study["steps"], strict=True
        )
    ]
    headers = ["λ", "condition number of JᵀJ + λ²I", "residual ‖dX − J dθ‖", "step ‖dθ‖, rad"]
    return (
        "<section><h2>Damping: one step, near stretch</h2>"
        "<p>The last step of Figure 12, where the smallest singular value of J is "
        f"{number(study['smallest_singular_value'])}, for the λ of Figures 10 to 14. The condition number falls to 1 "
        "as λ grows (Lemma 7.1), the residual grows (Lemma 7.2).</p>"
        f"{_table(headers, rows)}</section>"
    )


def _contest(contest: dict[str, Any]) -> str:
    rows = [_contestant(row) for row in contest["rows"]]
    headers = [
        "method",
        "iterations",
        "time, ms",
        "error at the end / size",
        "path deviation / size",
        "points reached",
        "outside limits",
    ]
    pose = (
        f"<img class='pose' src='{contest['picture']}' alt='the problem' loading='lazy'>" if contest["picture"] else ""
    )
    return (
        f"<section><h2>All methods: {html(contest['title'])}</h2>"
        "<p>Each method follows the same straight paths, every path point solved from the pose before, with at most "
        f"{_most(contest['rows'])}. The deviation is also measured between path points, where the angles are "
        "interpolated linearly. For methods that do not keep joint limits, the table shows by how much they exceed the "
        "limits.</p>"
        f"<div class='beside'>{_table(headers, rows)}{pose}</div>"
        f"<img class='plot wide' src='{contest['chart']}' alt='{html(contest['title'])}' loading='lazy'></section>"
    )


def _most(rows: list[dict[str, Any]]) -> str:
    """The limit on iterations in words: "200 iterations each (ccd 8, fabrik 20)"."""
    allowed = {row["method"]: row["most_iterations_a_point"] for row in rows if row["applies"]}
    most = max(allowed.values(), default=0)
    fewer = ", ".join(f"{html(method)} {count}" for method, count in allowed.items() if count < most)
    return f"{most} iterations each" + (f" ({fewer}, whose iterations are long)" if fewer else "")


def _contestant(row: dict[str, Any]) -> list[Cell]:
    if not row["applies"]:
        return [html(row["method"]), html(row["note"]), "", "", "", "", ""]
    return [
        html(row["method"]),
        str(row["iterations"]),
        number(1e3 * row["seconds"]),
        number(row["final_error_of_size"]),
        number(row["deviation_of_size"]),
        f"{row['points_reached']} of {row['points']}",
        number(row["outside_limits"]),
    ]


def _table(headers: Sequence[Cell], rows: Sequence[Sequence[Cell]], kind: str = "") -> str:
    """A table. Cells are already HTML."""
    head = "".join(f"<th>{header}</th>" for header in headers)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    top = f"<thead><tr>{head}</tr></thead>" if headers else ""
    return f"<table class='{kind}'>{top}<tbody>{lines}</tbody></table>"


def number(value: float | None) -> str:
    """A number for reading, about three digits: 0.104, 1.3e-12, 0.

    Example:
        >>> number(0.10372), number(1.3e-12), number(0.0), number(516278.3), number(None)
        ('0.104', '1.3e-12', '0', '516278', '∞')
    """
    if value is None:
        return NO_NUMBER
    if value == 0.0:
        return "0"
    if 1e-3 <= abs(value) < 1e3:
        return f"{value:.3g}"
    if 1e3 <= abs(value) < 1e7:
        return f"{value:.0f}"
    return f"{value:.1e}"
