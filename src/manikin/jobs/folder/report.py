"""The report of a run: one HTML page with plots of the quality figures, the worst clips and the failed ones.

The page loads nothing from elsewhere and has no script. All names and messages are escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manikin import __version__
from manikin.base.names import html
from manikin.jobs import Measure
from manikin.jobs.folder.charts import histogram
from manikin.jobs.folder.result import BatchResult

WORST, FAILED = 5, 200
"""Number of clips that are named for each quality figure, and number of failed clips in the table."""
CSS = """
:root { --paper: #faf7f1; --ink: #3d3a36; --faint: #8d867b; --line: #cdc5b6; --wood: #dcae74; --bad: #bd2d4f;
  --card: #fffdf9; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 "Segoe UI", "Helvetica Neue", "DejaVu Sans", Arial, sans-serif; }
main { max-width: 1100px; margin: 0 auto; padding: 2rem 1.5rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .8rem; padding-bottom: .3rem; border-bottom: 2px solid var(--wood); }
h3 { font-size: 1rem; margin: 0 0 .4rem; }
.tiles { display: flex; flex-wrap: wrap; gap: 1rem; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .6rem 1.1rem; }
.tile b { display: block; font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tile span { color: var(--faint); font-size: .9rem; }
.tile.bad b { color: var(--bad); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); gap: 1.2rem; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem;
  min-width: 0; }
svg { display: block; width: 100%; height: auto; }
svg text { font-size: 12px; fill: var(--faint); }
.bar { fill: var(--wood); } .bad { fill: var(--bad); }
.axis { stroke: var(--faint); } .mark { stroke: var(--ink); } .limit { stroke: var(--bad); stroke-dasharray: 4 3; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
th { color: var(--faint); font-weight: 600; }
td.short { white-space: nowrap; }
td.number { text-align: right; white-space: nowrap; padding-right: 0; }
footer, .faint { color: var(--faint); font-size: .9rem; } footer { margin-top: 2.5rem; }
"""
"""Style of the page, in the colours of the other pages of manikin."""


def page(result: BatchResult, options: Mapping[str, Any]) -> str:
    """The report as HTML text."""
    cards = [_card(result, measure) for measure in result.measures if result.values(measure.key)]
    parts = [
        f"<h1>{html(result.headline())}</h1>",
        f'<div class="tiles">{_tiles(result)}</div>',
        *(["<h2>Quality figures</h2>", f'<div class="cards">{"".join(cards)}</div>'] if cards else []),
        *(["<h2>Failed clips</h2>", _failures(result)] if result.failed else []),
        "<h2>Run</h2>",
        _table(("option", "value"), [(k, str(v)) for k, v in options.items() if v not in (None, False, [], ())]),
        *(f'<p class="faint">{html(note)}</p>' for note in result.notes),
        f"<footer>manikin {html(__version__)}. Every clip is in {html(result.manifest)}.</footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width, initial-scale=1"><meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{html(result.headline())}</title><style>{CSS}</style></head><body><main>{''.join(parts)}</main></body>"
        "</html>\n"
    )


def _tiles(result: BatchResult) -> str:
    done = result.done
    poor = sum(not r["good"] for r in done)
    frames = sum(r["frames"] or 0 for r in done)
    work = sum(r["seconds"] or 0.0 for r in result.records)
    tiles = [
        (f"{len(done):,}", "clips done", ""),
        (f"{result.kept:,}", "known from earlier runs", ""),
        (f"{poor:,}", "not good", "bad" if poor else ""),
        (f"{len(result.failed):,}", "failed", "bad" if result.failed else ""),
        (f"{frames:,}", "frames", ""),
        (f"{work:,.3g} s", "work on all clips", ""),
        (f"{result.seconds:,.3g} s", "this run", ""),
    ]
    return "".join(f'<div class="tile {mark}"><b>{value}</b><span>{words}</span></div>' for value, words, mark in tiles)


def _card(result: BatchResult, measure: Measure) -> str:
    """A histogram and the worst clips of one quality figure."""
    values = result.values(measure.key)
    rows = [(clip, f"{value:.3g}") for clip, value in result.worst(measure.key, WORST)]
    if max(values) <= 0.0:
        body = f'<p class="faint">0 in all {len(values)} clips</p>'
    else:
        body = histogram(values, measure.most) + _table(("worst clips", ""), rows)
    return f"<article><h3>{html(measure.words)}</h3>{body}</article>"


def _failures(result: BatchResult) -> str:
    rows = [(r["clip"], r["error"]["kind"], r["error"]["message"]) for r in result.failed[:FAILED]]
    more = len(result.failed) - FAILED
    below = f'<p class="faint">… and {more} more, in the manifest</p>' if more > 0 else ""
    return _table(("clip", "kind", "error"), rows) + below


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table. Numbers are aligned to the right."""
    head = "".join(f"<th>{html(cell)}</th>" for cell in headers)
    body = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _cell(text: str) -> str:
    number = text.replace(".", "").replace("e+", "").replace("e-", "").replace("-", "").isdigit()
    kind = "number" if number else "short" if text.isalpha() else ""
    return f'<td class="{kind}">{html(text)}</td>'
