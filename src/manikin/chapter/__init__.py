"""The examples of the chapter: problems as data, solved by the methods of the package, drawn and put on one page.

    examples.py    the problems                      statements.py  what the numbers must show
    run.py         how they are followed             pictures.py    a picture each (side.py: its charts)
    measure.py     numbers of a run                  charts.py      plots of the tables
    tables.py      error against α, dampings         animation.py   a GIF each
    methods.py     all methods on one problem        page.py        all on one page (page_style.py: its look)
                                                     write.py       all of it into a folder

`manikin chapter` is the command. Theory: docs/theory/index.md.
"""

from manikin.chapter.examples import EXAMPLES, Example, chosen
from manikin.chapter.write import write_chapter

__all__ = ["EXAMPLES", "Example", "chosen", "write_chapter"]
