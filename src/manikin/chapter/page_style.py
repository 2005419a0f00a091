"""The look of chapter.html: the colours of `manikin.view.style`, in CSS."""

from __future__ import annotations

from manikin.view.style import STYLE, Color


def _code(color: Color) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in color)


CSS = f"""
:root {{ --paper: {_code(STYLE.paper)}; --ink: {_code(STYLE.ink)}; --faint: {_code(STYLE.faint)};
  --line: {_code(STYLE.grid)}; --wood: {_code(STYLE.wood)}; --good: {_code(STYLE.target)}; --card: #fffdf9; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 "Segoe UI", "Helvetica Neue", "DejaVu Sans", Arial, sans-serif; }}
main {{ max-width: 1500px; margin: 0 auto; padding: 2rem 1.5rem 3rem; }}
h1 {{ font-size: 1.9rem; line-height: 1.2; margin: 0 0 .6rem; }}
h2 {{ font-size: 1.35rem; margin: 2.6rem 0 .8rem; padding-bottom: .3rem; border-bottom: 2px solid var(--wood); }}
h3 {{ font-size: 1.05rem; margin: 0 0 .6rem; }}
p {{ max-width: 52rem; margin: 0 0 .8rem; }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(40rem, 100%), 1fr)); gap: 1.4rem; }}
article {{ background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.1rem; }}
img {{ display: block; max-width: 100%; height: auto; }}
.png {{ width: 100%; border-radius: 4px; }}
.beside {{ display: flex; gap: 1.4rem; align-items: flex-start; margin-top: .8rem; flex-wrap: wrap; }}
.beside > :first-child {{ flex: 1 1 20rem; min-width: 0; }}
.beside > table:first-child {{ flex: 0 1 auto; }}
.gif {{ width: 270px; flex: 0 0 auto; border-radius: 4px; border: 1px solid var(--line); }}
.plot {{ flex: 0 1 560px; border-radius: 4px; min-width: 0; }}
.pose {{ flex: 0 0 auto; width: 330px; border-radius: 4px; }}
.wide {{ width: 100%; max-width: 1144px; margin-top: 1rem; }}
table {{ border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; margin-top: .4rem; }}
th, td {{ padding: .22rem .9rem .22rem 0; text-align: right; vertical-align: top;
  border-bottom: 1px solid var(--line); }}
th {{ color: var(--faint); font-weight: 600; }}
td {{ white-space: nowrap; }}
th:first-child, td:first-child {{ text-align: left; white-space: normal; }}
article, section > .beside {{ overflow-x: auto; }}
.numbers td:first-child {{ color: var(--faint); }}
.numbers {{ width: 100%; }}
.numbers td:last-child {{ white-space: normal; }}
.left th, .left td {{ text-align: left; white-space: normal; }}
.statements td:first-child {{ color: var(--good); font-weight: 700; width: 1.5rem; }}
.statements td:last-child {{ color: var(--faint); }}
a {{ color: var(--good); }}
footer {{ margin-top: 3rem; color: var(--faint); font-size: .9rem; }}
"""
"""CSS of the page. It loads no font, picture or script from elsewhere."""
