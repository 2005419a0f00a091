"""The chapter's examples: problems as data, run by the methods of the package, drawn and put on one page.

    examples.py    the problems                      statements.py  what the numbers must show
    run.py         how they are followed             pictures.py    a picture each; animation.py, a GIF each
    measure.py     numbers of a run                  charts.py      plots of the tables
    tables.py      error against α, dampings         page.py        all on one page
    methods.py     all methods on one problem        write.py       all of it into a folder

`manikin chapter` is the command. Theory: docs/theory/index.md.
"""

from manikin.chapter.examples import EXAMPLES, Example, chosen
from manikin.chapter.run import Course, run
from manikin.chapter.write import write

__all__ = ["EXAMPLES", "Course", "Example", "chosen", "run", "write"]
