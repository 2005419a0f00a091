"""`Setting`: the data that a command of the studio works on."""

from __future__ import annotations

from dataclasses import dataclass

from manikin.figure.figure import Figure
from manikin.studio.roles import Roles
from manikin.studio.scene import StudioScene


@dataclass(frozen=True, eq=False)
class Setting:
    """The data that a command works on."""

    scene: StudioScene
    roles: Roles

    @property
    def figure(self) -> Figure:
        """The figure of the scene."""
        return self.roles.figure
