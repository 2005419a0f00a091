"""`manikin doctor`: lists what is installed and which kernels are used, and checks their results."""

from __future__ import annotations

import platform
import sys
from dataclasses import asdict, dataclass
from importlib import metadata

import click

from manikin.cli import say

REQUIRED = ("numpy", "scipy", "click", "rich")
EXTRAS = {
    "matplotlib": "plot",
    "pillow": "plot",
    **dict.fromkeys(("usd-core", "mujoco", "ufbx", "meshopt"), "files"),
    **dict.fromkeys(("distributed", "fsspec"), "cluster"),
    **dict.fromkeys(("starlette", "uvicorn", "websockets"), "studio"),
}
"""Optional libraries, and the extra of manikin that installs each."""
AGREEMENT = 1e-12
"""Largest allowed difference between the native core and its NumPy twin, in figure sizes."""
POSES = 8


@dataclass(frozen=True)
class Check:
    """One line of the output."""

    what: str
    found: str
    verdict: str
    """"ok", "missing" (optional, with how to get it in `found`) or "wrong"."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(as_json: bool) -> int:
    """Check the installation: versions, native kernels, optional libraries, and a comparison with the NumPy twin.

    \b
    Example:
        manikin doctor
    """
    from manikin.cli import report, tables

    findings = [*versions(), *computing(), *optional(), agreement(), solving()]
    healthy = all(finding.verdict != "wrong" for finding in findings)
    if as_json:
        report.echo_json({"healthy": healthy, "findings": [asdict(finding) for finding in findings]})
    else:
        marks = [{"ok": "good", "wrong": "bad"}.get(finding.verdict, "") for finding in findings]
        rows = [[finding.what, finding.found, finding.verdict] for finding in findings]
        tables.show(["", "found", ""], rows, marks=marks)
        say.line("all is well" if healthy else "something is wrong: see above")
    return 0 if healthy else 1


def versions() -> list[Check]:
    """manikin, Python, the system, and the libraries that manikin needs."""
    from manikin import __version__

    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    found = [
        Check("manikin", __version__, "ok"),
        Check("Python", f"{platform.python_version()} ({sys.executable})", "ok"),
        Check("system", system, "ok"),
    ]
    for name in REQUIRED:
        version = installed(name)
        found.append(Check(name, version or f"not installed; pip install {name}", "ok" if version else "wrong"))
    return found


def computing() -> list[Check]:
    """Which kernels are available, and which one is used."""
    from manikin import backend

    choice = f"{backend.name} (set {backend.VARIABLE} to force one of {', '.join([*kernels(), 'reference'])})"
    return [Check("backend", choice, "ok")]


def kernels() -> list[str]:
    """Kernels of the native core that run on this processor. Empty if the core is not built."""
    try:
        from manikin import _core
    except ImportError:
        return []
    return list(_core.available())


def optional() -> list[Check]:
    """The optional libraries, or how to install them."""
    found = []
    for name, extra in EXTRAS.items():
        version = installed(name)
        how = f'not installed; pip install "manikin[{extra}]"'
        found.append(Check(name, version or how, "ok" if version else "missing"))
    return found


def agreement() -> Check:
    """Compares the native core with its NumPy twin: placements, a Jacobian and the centre of mass of the person."""
    import numpy as np

    import manikin as mk
    from manikin import backend
    from manikin.reference.kinematics import Kinematics

    what = "native core equals its NumPy twin"
    if not backend.native:
        return Check(what, "not compared: the NumPy twin itself is in use", "ok")
    figure = mk.human()
    rng = np.random.default_rng(0)
    q = np.stack([figure.random(rng) for _ in range(POSES)])
    twin = Kinematics(figure.layout.tree)
    hand = figure.segment_index("RightHand")
    pairs = [
        (figure.placements(q), twin.placements(q)),
        (figure.jacobian(q, "RightHand"), twin.jacobian(q, hand, np.zeros(3))),
        (figure.center_of_mass(q), twin.center_of_mass(q)),
    ]
    worst = max(float(np.abs(a - b.reshape(a.shape)).max()) for a, b in pairs) / figure.size
    verdict = "ok" if worst <= AGREEMENT else "wrong"
    return Check(what, f"within {worst:.1e} of the figure's size, in {POSES} random poses", verdict)


def solving() -> Check:
    """Solves the goals of the demo."""
    import manikin as mk
    from manikin.cli.demo import demo_goals

    figure = mk.human()
    solution = mk.solve(figure, demo_goals(figure))
    milliseconds = 1000.0 * (solution.time or 0.0)
    found = f"{figure.nv} degrees of freedom, {len(solution.goals)} goals: {solution.status}, {milliseconds:.3g} ms"
    return Check("solver", found, "ok" if solution.reached else "wrong")


def installed(name: str) -> str | None:
    """The version of a library, or None if it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
