"""Goals: where effectors, the gaze and the centre of mass should be. Each goal is one file; `goal.py` has their base
class. `__init__.pyi` lists the public names, which are loaded on first use.
"""

from __future__ import annotations

from manikin.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
