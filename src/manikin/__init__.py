"""manikin poses any articulated figure. You say where hands, feet, head and gaze should be; it finds the joint angles.

    import manikin as mk
    figure = mk.human()
    feet = ["LeftFoot", "RightFoot"]
    goals = [mk.Placement(name, at) for name, at in zip(feet, figure.placements(figure.rest, feet))]  # stay planted
    goals += [mk.Position("RightHand", (-0.4, 1.2, 0.3))]
    print(mk.solve(figure, goals))

`import manikin` loads only NumPy, the native core, and what every use needs. `__init__.pyi` lists the public names; the
others are loaded on first use.
"""

from __future__ import annotations

from manikin import backend, figure, posing  # noqa: F401  every use needs these, so they are loaded at once
from manikin.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
__version__ = "0.1.0"
