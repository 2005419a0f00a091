"""Where the figure of a scene comes from: a built-in figure, a file, or a record inside the scene."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from manikin.errors import BadFile, BadValue, ManikinError
from manikin.figure import record
from manikin.figure.figure import Figure
from manikin.figure.human.human import human
from manikin.figure.quadruped.quadruped import quadruped
from manikin.studio.roles import Roles

BUILT_IN: dict[str, Callable[..., Figure]] = {"human": human, "quadruped": quadruped}
"""Figures that need no file."""
SKINNED = (".glb", ".gltf", ".vrm")
"""Endings of files whose meshes the page can draw."""
READ_WITH = ("root", "skeleton", "clip", "limits")
"""Arguments that say how a file was read. `limits` says whether joint limits were added."""


@dataclass(frozen=True)
class FigureSource:
    """Says how to make the figure of a scene again."""

    kind: str
    """builtin, file or record."""
    name: str
    """Name of the built-in figure, of the file (without folders), or of the figure."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the built-in figure, or how the file was read."""
    sha256: str = ""
    """Checksum of the file."""
    record: Mapping[str, Any] | None = None
    """`figure.to_dict()` of a figure that has no file."""

    def __post_init__(self) -> None:
        if self.kind not in ("builtin", "file", "record"):
            raise BadValue(f"figure: kind is {self.kind!r}; it must be builtin, file or record")
        if self.kind == "builtin" and self.name not in BUILT_IN:
            raise BadValue(f"figure: there is no built-in figure {self.name!r}; there are {', '.join(BUILT_IN)}")
        if self.kind == "file" and (not self.name or Path(self.name).name != self.name):
            raise BadValue(f"figure: the file is {self.name!r}; it needs a name without folders")
        if self.kind == "record" and self.record is None:
            raise BadValue("figure: the record is missing")
        known = self._known_arguments()
        for key in self.arguments:  # the exported script has them as they are
            if key not in known:
                raise BadValue(
                    f"figure: a {self.kind} has no argument {str(key)[:60]!r}; there are {', '.join(known) or 'none'}"
                )

    def _known_arguments(self) -> Sequence[str]:
        """The names that `arguments` may have."""
        if self.kind == "builtin":
            return tuple(inspect.signature(BUILT_IN[self.name]).parameters)
        return READ_WITH if self.kind == "file" else ()

    @classmethod
    def of_figure(cls, figure: Figure) -> FigureSource:
        """The source of a figure in memory: its record."""
        return cls("record", figure.name, record=figure.to_dict())

    @classmethod
    def of_file(cls, path: Path, **arguments: Any) -> FigureSource:
        """The source of a file."""
        return cls("file", path.name, arguments, checksum(path))

    @classmethod
    def read(cls, path: Path, safe: bool = False) -> tuple[FigureSource, Figure]:
        """The source of a file, and its figure. A robot that stands on feet is read with a free root.

        Raises:
            BadFile, Unsupported, OSError: as in `manikin.load_figure`.
        """
        source = cls.of_file(path)
        figure = source.figure([path.parent], safe)
        fixed = all(s.joint.nq == 0 for s in figure.segments if s.parent is None)
        if path.suffix.lower() != ".urdf" or not fixed or len(Roles.of(figure).feet) < 2:
            return source, figure
        source = cls.of_file(path, root="free")
        return source, source.figure([path.parent], safe)

    def figure(self, folders: Sequence[Path] = (Path(),), safe: bool = False) -> Figure:
        """Makes the figure.

        Args:
            folders: where the file of the figure may lie; the present folder by default.
            safe: whether a file is read in a separate process, as for files from strangers.

        Raises:
            BadFile: the file is not the one that the scene was made with, or cannot be read.
            OSError: the file does not exist.
        """
        if self.kind == "builtin":
            try:
                return BUILT_IN[self.name](**self.arguments)
            except TypeError as error:
                raise BadValue(f"figure {self.name!r}: {error}") from error
        if self.kind == "record":
            assert self.record is not None
            try:
                return Figure(**record.from_dict(self.record))
            except (ManikinError, TypeError, ValueError, AttributeError, KeyError, OverflowError) as error:
                raise BadValue(f"figure {self.name!r}: {error}") from error
        from manikin.files import load_figure

        path = next((folder / self.name for folder in folders if (folder / self.name).exists()), Path(self.name))
        if self.sha256 and checksum(path) != self.sha256:
            raise BadFile(path, "this is not the file that the scene was made with: its checksum differs")
        options = dict(self.arguments)
        limits = options.pop("limits", False)
        options.pop("clip", None)
        figure = load_figure(path, safe=safe, **options)
        return figure.with_limits() if limits else figure

    @property
    def skinned(self) -> bool:
        """Whether the file may have meshes that the page can draw."""
        return self.kind == "file" and Path(self.name).suffix.lower() in SKINNED

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        out: dict[str, Any] = {"kind": self.kind, "name": self.name}
        if self.arguments:
            out["arguments"] = dict(self.arguments)
        if self.sha256:
            out["sha256"] = self.sha256
        if self.record is not None:
            out["record"] = self.record
        return out

    @classmethod
    def from_dict(cls, data: Any) -> FigureSource:
        """Reads `to_dict`."""
        if not isinstance(data, Mapping) or not {"kind", "name"} <= set(data):
            raise BadValue("figure: it needs an object with 'kind' and 'name'")
        unknown = sorted(set(data) - {"kind", "name", "arguments", "sha256", "record"})
        if unknown:
            raise BadValue(f"figure: unknown field {unknown[0]!r}")
        if not isinstance(data.get("arguments", {}), Mapping):
            raise BadValue("figure: 'arguments' needs to be an object")
        return cls(**dict(data))


def checksum(path: Path) -> str:
    """SHA-256 of a file, as hexadecimal text."""
    with open(path, "rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
