"""The style of pictures: one palette, one set of line widths and sizes, for every figure, goal and path."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manikin.arrays import Matrix, Points, Vector

Color = tuple[float, float, float]
"""Red, green, blue, each from 0 to 1."""


def rgb(code: str) -> Color:
    """A colour from its six hexadecimal digits.

    Example:
        >>> rgb("ff8000")
        (1.0, 0.5019607843137255, 0.0)
    """
    red, green, blue = (int(code[i : i + 2], 16) / 255.0 for i in (0, 2, 4))
    return (red, green, blue)


def blend(first: Color, second: Color, amount: float) -> Color:
    """From the first colour (amount 0) to the second (amount 1)."""
    red, green, blue = (a + amount * (b - a) for a, b in zip(first, second, strict=True))
    return (red, green, blue)


class Style(NamedTuple):
    """The colours and sizes of a picture. Widths and markers are in points, other lengths are fractions of the figure's
    size."""

    paper: Color = rgb("faf7f1")
    """Background."""
    ink: Color = rgb("3d3a36")
    """Text."""
    faint: Color = rgb("8d867b")
    """Secondary text and lines."""
    grid: Color = rgb("cdc5b6")
    """Lines of the floor."""
    shade: Color = rgb("e3dac9")
    """The shadow on the floor."""

    wood_light: Color = rgb("f6dfb8")
    """A solid that faces the light."""
    wood: Color = rgb("dcae74")
    """A solid turned half away from the light."""
    wood_dark: Color = rgb("7d5534")
    """A solid turned away from the light."""
    joint_light: Color = rgb("c99a63")
    """The ball of a joint, lit."""
    joint: Color = rgb("9a6a3d")
    """The ball of a joint."""
    joint_dark: Color = rgb("5a3a22")
    """The ball of a joint, unlit; also the dot of a joint in a flat picture."""
    stone_light: Color = rgb("dfe3e6")
    """An obstacle that faces the light."""
    stone: Color = rgb("aab3ba")
    """An obstacle turned half away from the light; also its face in a flat picture."""
    stone_dark: Color = rgb("69747d")
    """An obstacle turned away from the light; also its edge in a flat picture."""
    outline: Color = rgb("8a5f38")
    """Edges of a solid in a flat picture."""

    target: Color = rgb("1f7a7a")
    """Targets, and the names of goals that are met."""
    missed: Color = rgb("bd2d4f")
    """The error of a goal that is not met."""
    path: Color = rgb("4a6fa5")
    """The path of an effector."""
    support: Color = rgb("7a9e6d")
    """The support polygon, and planes."""
    mass: Color = rgb("6b4f8a")
    """The centre of mass."""
    axes: tuple[Color, Color, Color] = (rgb("d9673a"), rgb("5a9a50"), rgb("3f6fb5"))
    """The x, y and z arrows of an orientation."""

    line: float = 1.6
    """Width of goal lines."""
    marker: float = 8.0
    """Width of a target's ring."""
    dot: float = 4.0
    """Width of a joint's dot."""
    text: float = 9.0
    """Height of labels."""
    title: float = 13.0
    """Height of the title."""

    def ramp(self, brightness: Vector, kind: str) -> Matrix:
        """Colours of faces: (F,) brightness from 0 to 1 -> (F, 3), from dark to middle to light of a kind: "solid",
        "joint" or "obstacle"."""
        stops = {
            "solid": (self.wood_dark, self.wood, self.wood_light),
            "joint": (self.joint_dark, self.joint, self.joint_light),
            "obstacle": (self.stone_dark, self.stone, self.stone_light),
        }[kind]
        colors = [np.interp(brightness, (0.0, 0.55, 1.0), [c[i] for c in stops]) for i in range(3)]
        return np.stack(colors, axis=-1)


STYLE = Style()
"""The style in use."""

_KEY = np.array([-0.45, 0.55, 0.70])
_FILL = np.array([0.80, 0.10, 0.35])


def brightness(normals: Points, right: Vector, up: Vector, toward: Vector) -> Vector:
    """Brightness of a face, 0 to 1, from its unit normal. There is a soft key light from above the viewer's left
    shoulder, a weak light from the right, and a small highlight between key light and eye.

    Args:
        normals: (F, 3) unit vectors, zero for a face without area.
        right, up, toward: (3,) the viewer's axes, `toward` from the scene to the eye.
    """
    eye = np.stack([right, up, toward])
    key, fill = (light / np.linalg.norm(light) @ eye for light in (_KEY, _FILL))
    half = (key + toward) / np.linalg.norm(key + toward)
    wrapped = np.clip(0.5 + 0.5 * (normals @ key), 0.0, 1.0)
    weak = np.clip(normals @ fill, 0.0, 1.0)
    glint = np.clip(normals @ half, 0.0, 1.0) ** 24
    result: Vector = np.clip(0.06 + 0.74 * wrapped**1.35 + 0.12 * weak + 0.16 * glint, 0.0, 1.0)
    return result
