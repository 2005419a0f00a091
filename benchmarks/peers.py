"""The contestants: manikin and the peers, each with its environment, script and variants."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.environments import ENVIRONMENTS

ADAPTERS = Path(__file__).parent / "adapters"


@dataclass(frozen=True)
class Contestant:
    """One way to call one library."""

    key: str
    label: str
    """Name in tables."""
    script: str
    environment: str = ""
    """Environment of a peer; empty for manikin."""
    arguments: tuple[str, ...] = ()
    analytic: bool = False

    @property
    def ours(self) -> bool:
        return not self.environment

    @property
    def installed(self) -> bool:
        return self.ours or ENVIRONMENTS[self.environment].built

    @property
    def missing(self) -> str:
        """The reason why it is not measured."""
        told = ENVIRONMENTS[self.environment].failure
        return told or "not installed (make bench, or python -m benchmarks.environments)"

    def command(self, workload: Path, result: Path) -> list[str]:
        python = sys.executable if self.ours else str(ENVIRONMENTS[self.environment].interpreter)
        return [python, str(ADAPTERS / self.script), str(workload), str(result), *self.arguments]


CALL = Contestant("ours", "manikin, solve", "ours.py", arguments=("call",))
WHOLE = Contestant("ours-whole", "manikin, track or solve_many", "ours.py", arguments=("whole",))
THREADS = Contestant("ours-threads", "manikin, solve_many, two threads", "ours.py", arguments=("whole", "2"))

PEERS = {
    c.key: c
    for c in (
        Contestant("rtb", "roboticstoolbox ik_LM", "peer_rtb.py", "rtb"),
        Contestant("ssik", "ssik", "peer_ssik.py", "ssik", analytic=True),
        Contestant("ssik-near", "ssik, nearest", "peer_ssik.py", "ssik", ("near",), analytic=True),
        Contestant("eaik", "EAIK", "peer_eaik.py", "eaik", analytic=True),
        Contestant("eaik-near", "EAIK, nearest", "peer_eaik.py", "eaik", ("near",), analytic=True),
        Contestant("placo", "placo", "peer_placo.py", "placo"),
        Contestant("placo-blind", "placo, fixed steps", "peer_placo.py", "placo", ("blind",)),
        Contestant("pink", "pink", "peer_pink.py", "pink"),
        Contestant("mink", "mink", "peer_mink.py", "mink"),
        Contestant("optik", "optik", "peer_optik.py", "optik"),
        Contestant("trac", "TRAC-IK", "peer_trac.py", "trac"),
        Contestant("drake", "Drake", "peer_drake.py", "drake"),
        Contestant("momentum", "momentum", "peer_momentum.py", "momentum", ("blind",)),
        Contestant("scipy", "SciPy L-BFGS-B", "peer_scipy.py", "pink"),
    )
}
EVERYONE = {**PEERS, **{c.key: c for c in (CALL, WHOLE, THREADS)}}
