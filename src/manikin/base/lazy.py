"""Public names that are loaded on first use, so that `import manikin` stays light.

The stub beside a package (`__init__.pyi`) lists its public names, each on one line, as type checkers need them:

    from manikin.goals.aim import Aim as Aim        # a name of a module
    from manikin import errors as errors            # a module of the package
    from manikin.goals import *                     # all public names of another package with such a stub

The running package reads the same lines, so a public name stands in one place.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

LINE = re.compile(r"^from ([\w.]+) import (?:(\w+) as \w+|(\*))", re.MULTILINE)


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, from its stub.

    Args:
        package: name of the package (`__name__`).
        file: path of its `__init__.py` (`__file__`).
    """
    modules = public_names(Path(file))
    namespace = vars(sys.modules[package])

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = importlib.import_module(modules[name])
        value = vars(home)[name] if name in vars(home) else importlib.import_module(f"{home.__name__}.{name}")
        namespace[name] = value  # later lookups do not call this function
        return value

    return get, lambda: sorted({*namespace, *modules}), sorted(modules)


def public_names(init: Path) -> dict[str, str]:
    """The module of each public name in the stub beside this `__init__.py`."""
    found: dict[str, str] = {}
    for module, name, star in LINE.findall(init.with_suffix(".pyi").read_text(encoding="utf-8")):
        if star:
            found |= public_names(init.parent.joinpath(*module.split(".")[1:], "__init__.py"))
        else:
            found[name] = module
    return found
