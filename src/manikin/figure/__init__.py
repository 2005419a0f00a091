"""The figure, its segments and joints, and built-in figures."""

from manikin.figure.builders import chain, tree
from manikin.figure.figure import Figure
from manikin.figure.joint import Ball, Coupling, Euler, Free, Hinge, Joint, Slider, SwingTwist
from manikin.figure.loop import Loop
from manikin.figure.segment import Segment
from manikin.figure.shapes import Box, Capsule, Sphere

__all__ = [
    "Ball",
    "Box",
    "Capsule",
    "Coupling",
    "Euler",
    "Figure",
    "Free",
    "Hinge",
    "Joint",
    "Loop",
    "Segment",
    "Slider",
    "Sphere",
    "SwingTwist",
    "chain",
    "tree",
]
