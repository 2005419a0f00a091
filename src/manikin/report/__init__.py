"""Why a goal was missed, and what would help: `solution.report`. Read `why` first.

- data       Report, Reason, Change: what is said
- why        the steps, one goal at a time
- reach      what lengths alone prove
- local      what can be read off at a pose
- resolver   solves changed problems; search: several starts of one
- frozen     joints that may not move in the way;  still: which these are
- narrow     limits in the way;  freedom: too few joints;  rivals: goals in the way
- proof      changes made and solved anew
- hints      slips in the question, for `solution.notes`
- guess      a guess without solving, for `print(solution)`
- sentences  all this in words
"""

from manikin.report.data import Change, Reason, Report
from manikin.report.why import explain

__all__ = ["Change", "Reason", "Report", "explain"]
