"""Solutions: the results of solvers. All solvers fill the same fields of the same record."""

from manikin.solution.native import gives_methods
from manikin.solution.records import History, Question
from manikin.solution.solution import Solution
from manikin.solution.solutions import Solutions
from manikin.solution.status import STATUSES, Status

__all__ = ["STATUSES", "History", "Question", "Solution", "Solutions", "Status", "gives_methods"]
