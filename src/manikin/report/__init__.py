"""Reports: why a goal was missed, and which changes would help (`solution.report`). Read `why` first.

- data       Report, Reason, Change: the parts of a report
- reports    the reports of all goals, with a table for notebooks
- posed      reports for any pose of a `Solver` (`solver.explain`)
- inquiries  the reports of all goals of a solution
- why        the steps of an inquiry, one goal at a time
- named      names and groups of goals
- reach      proofs from lengths alone
- local      gradients and multipliers at one pose
- resolver   solves changed problems;  search: several starts of one problem
- frozen     joints that may not move and cause the miss;  still: finds such joints
- narrow     limits that cause the miss;  freedom: too few joints;  rivals: goals that cause the miss
- proof      checks changes by a new solve
- hints      likely mistakes in the input, for `solution.notes`
- guess      a guess without solving, for `print(solution)`
- sentences  the report in words;  parts: parts of the body behind names that do not say them
"""

from manikin.report.data import Change, Reason, Report
from manikin.report.inquiries import explain

__all__ = ["Change", "Reason", "Report", "explain"]
