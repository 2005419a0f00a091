"""`Session`: one tab of the studio, without web code. It takes messages and returns messages."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from manikin import arrays
from manikin.base.progress import Progress, goes_on
from manikin.errors import BadValue, ManikinError
from manikin.studio.at_frame import posed_at, released_at, timeline_data
from manikin.studio.commands import pose_of, pose_text
from manikin.studio.drag import Drag
from manikin.studio.journal import Journal
from manikin.studio.library import PoseLibrary
from manikin.studio.met import errors_at, tolerances
from manikin.studio.pace import Frame
from manikin.studio.protocol import error_message, point_of, pose_message, text_message
from manikin.studio.scene import StudioScene, View
from manikin.studio.shapes import figure_data, support_polygon
from manikin.studio.timeline import Timeline
from manikin.studio.words import changes_of, groups_of, sentences_of

MOVES = ("aim", "pole", "plane", "clearance", "balance", "goal", "freeze", "remove", "unpin")
"""Commands after which the figure moves to its goals."""
LONGEST_SETTLE = 0.5
"""Largest time that the figure takes to move to its goals after a command, in seconds."""
STARTS = 8
"""Largest number of starts of an explanation. Limits are not searched, because the page cannot change them."""
Message = str | bytes


class Session:
    """The scene of one tab, and the drag in progress."""

    def __init__(
        self,
        journal: Journal,
        file: Path | None = None,
        folders: Sequence[Path] = (Path(),),
        library: PoseLibrary | None = None,
    ) -> None:
        """
        Args:
            journal: holds the scene.
            file: the only file that is ever written, by "save"; None if there is none.
            folders: where the files of clips lie.
            library: the poses on disk; None if there are none.
        """
        self.journal, self.file, self.library = journal, file, library
        self.figure, self.roles = journal.history.figure, journal.history.roles
        self.timeline = Timeline(self.figure, folders)
        self.frame: int | None = None
        """The frame of the motion that is dragged; None if the pose of the scene is dragged."""
        self.drag: Drag | None = None
        self.segment = ""
        self.tool = "move"
        self.stamp = 0
        """Counts the messages, so that a late explanation can be discarded."""
        self.missed = False
        self._told: frozenset[str] = frozenset()  # damaged files of the library
        self._lock = threading.Lock()

    @property
    def scene(self) -> StudioScene:
        """The present scene."""
        return self.journal.scene

    def greeting(self) -> list[Message]:
        """What a page needs to show the scene."""
        return [
            text_message("scene", **figure_data(self.figure, self.roles), skin=self.scene.source.skinned),
            self._state(),
            self._pose(),
        ]

    def receive(self, message: dict[str, Any]) -> list[Message]:
        """Handles one message. Bad input gives one "error" message and changes nothing."""
        self.stamp += 1
        try:
            handle: Callable[[dict[str, Any]], list[Message]] = getattr(self, f"_on_{message['type']}")
            with self._lock:
                return handle(message)
        except ManikinError as error:
            return [error_message(str(error))]
        except OSError as error:  # the command was done, but it could not be written down
            reason = f"this could not be written to the disk: {error.strerror or error}"
            return [error_message(reason), self._state(), self._pose()]

    @property
    def resting(self) -> bool:
        """Whether `rest` would show something new."""
        return self.drag is not None and not self.drag.settled

    def open_clip(self, path: Path, name: str) -> list[Message]:
        """Opens a clip for the figure on the stage.

        Args:
            path: the stored file.
            name: its name for the user.

        Raises:
            ManikinError, OSError: the clip cannot be read, or does not fit the figure.
        """
        self.stamp += 1
        with self._lock:
            source, motion = self.timeline.open(path, name)
            if self.drag is not None:
                self._on_release({})
            fps = motion.rate or 30.0
            self.journal.do("clip", {"source": source.to_dict(), "fps": fps, "last_frame": len(motion) - 1})
            return [self._state(), self._pose()]

    def rest(self) -> list[Message]:
        """One frame while the mouse rests. A drag that cannot continue is dropped."""
        with self._lock:
            try:
                return [] if self.drag is None else [self._frame(self.drag.rest())]
            except Exception as error:
                self.drag = None
                if not isinstance(error, ManikinError):
                    raise
                return [error_message(str(error)), self._state(), self._pose()]

    def why(self, stamp: int, progress: Progress | None = None) -> str | None:
        """Why the drag misses its target; None if it does not, or if a newer message came."""
        with self._lock:
            drag = self.drag
            if drag is None or not self.missed or self.tool == "target":
                return None
            solver, pose, row, names = drag.solver, drag.pose, drag.row, drag.names
            name, words = f"drag {self.segment}", self.roles.words(self.segment)
            groups = groups_of(self.roles, [g for g in self.scene.goals if g.id in names])

        def go_on(done: int, total: int | None) -> bool:
            return self.stamp == stamp and goes_on(progress, done, total)

        reports = solver.explain(pose, row, goals=[name], groups=groups, starts=STARTS, limits=False, progress=go_on)
        report = reports[names.index(name)]
        if self.stamp != stamp or not report.reasons:
            return None
        return text_message("why", sentences=sentences_of(report, name, words), changes=changes_of(report, names, name))

    # Messages

    def _on_grab(self, message: dict[str, Any]) -> list[Message]:
        tool, frame_number = message.get("tool", "move"), message.get("frame")
        if frame_number is None or tool == "target":
            pose, goals, self.frame = self.scene.pose, self.scene.goals, None
        else:
            self.frame = arrays.whole(frame_number, "frame", 0)
            pose, goals = posed_at(self.scene, self.timeline, self.roles, self.frame)
        natural = self.scene.view.natural and self.scene.clip is None  # a clip keeps its own poses
        drag = Drag(self.figure, pose, goals, freeze=self.scene.freeze, roles=self.roles, natural=natural)
        name = message.get("goal" if tool == "target" else "segment")
        if not isinstance(name, str):
            raise BadValue(f"grab names {name!r}; it needs the name of a segment, or of a goal with the tool 'target'")
        if tool == "target":
            frame = drag.grab_target(name)
        elif tool in ("move", "turn"):
            self.figure.segment(name)
            frame = drag.grab(name, point_of(self.figure, message), turn=tool == "turn")
        else:
            raise BadValue(f"tool is {tool!r}; it must be 'move', 'turn' or 'target'")
        self.drag, self.segment, self.tool = drag, name, tool
        return [text_message("held", goals=tolerances(drag.solver.goals)), self._frame(frame)]

    def _on_drag(self, message: dict[str, Any]) -> list[Message]:
        if self.drag is None:
            raise BadValue("nothing is grabbed")
        serial, stamp, turn = message.get("s", 0), message.get("ts", 0.0), message.get("r")
        if not isinstance(serial, int) or not 0 <= serial < 2**32:
            raise BadValue(f"s is {serial!r}; it needs a number from 0 to 2^32 - 1")
        if type(stamp) not in (int, float) or not abs(stamp) <= sys.float_info.max:
            raise BadValue(f"ts is {stamp!r}; it needs a time")
        frame = self.drag.move(point_of(self.figure, message), turn)
        return [self._frame(frame, serial, float(stamp))]

    def _on_release(self, message: dict[str, Any]) -> list[Message]:
        if self.drag is None:
            return []
        drag, self.drag = self.drag, None
        pose = drag.release()
        args: dict[str, Any]
        if self.frame is not None:
            name, args = released_at(self.scene, self.roles, drag, self.segment, self.frame, message)
        elif self.tool == "target":
            name, args = "goal", {"id": self.segment, "target": [float(x) for x in drag.row[drag.held]]}
        else:
            name, args = "drag", {"segment": self.segment, "pin": message.get("pin") is True}
        self.journal.do(name, {**args, "pose": pose_text(pose)})
        return [self._state(), self._pose()]

    def _on_cmd(self, message: dict[str, Any]) -> list[Message]:
        name, args = message.get("name"), message.get("args", {})
        if not isinstance(name, str) or not isinstance(args, dict):
            raise BadValue("a command needs a name and an object of arguments")
        if self.drag is not None:
            self._on_release({})
        if name == "undo":
            self.journal.undo()
        elif name == "redo":
            self.journal.redo()
        elif name == "save":
            if self.file is None:
                raise BadValue("the studio was started without a file, so there is nothing to write; use Export")
            self.scene.save(self.file)
        else:
            self._command(name, args)
        return [self._state(), self._pose()]

    def _on_view(self, message: dict[str, Any]) -> list[Message]:
        values = {k: v for k, v in message.items() if k != "type"}
        try:
            view = View(**{**vars(self.scene.view), **values})
        except (TypeError, ValueError) as error:
            raise BadValue(f"view: {error}") from error
        self.journal.look(view)
        return []

    def _on_clip(self, message: dict[str, Any]) -> list[Message]:
        first, count = (arrays.whole(message.get(name), name, 0) for name in ("first", "count"))
        return [self.timeline.block(self.scene, first, count)]

    def _on_compare(self, message: dict[str, Any]) -> list[Message]:
        from manikin.studio.compare import Choice, compared, goals_of

        given = message.get("methods")
        if not isinstance(given, list):
            raise BadValue("compare needs a list of methods")
        goals = goals_of(self.figure, self.scene.goals, message.get("drag"))
        start = pose_of(self.figure, message["start"]) if "start" in message else self.figure.rest
        return [text_message("compare", runs=compared(self.figure, goals, start, [Choice.from_dict(x) for x in given]))]

    def _on_library(self, message: dict[str, Any]) -> list[Message]:
        if self.library is None:
            raise BadValue("this session has no pose library")
        shown: list[Message] = []
        if message.get("action") == "use":
            copied = pose_text(self.library.load(message.get("name", ""), self.figure))
            self.journal.do("paste", {"copied": copied, "mirrored": message.get("mirrored") is True})
            shown = [self._state(), self._pose()]
        else:
            frame = message.get("frame")
            number = None if frame is None else arrays.whole(frame, "frame", 0)
            pose = self.scene.pose if number is None else self.timeline.pose(self.scene, number)
            self.library.act(message, self.figure, pose)
        data = self.library.data(self.figure)
        new = sorted(self.library.damaged - self._told)
        self._told |= self.library.damaged
        if new:
            words = (
                f"{len(new)} files of the pose library are damaged and not shown; they stay in {self.library.folder}"
            )
            shown.append(error_message(words))
        return [*shown, text_message("library", **data)]

    def _on_hello(self, _: dict[str, Any]) -> list[Message]:
        raise BadValue("hello came twice; it must be the first message only")

    # Inside

    def _command(self, name: str, args: dict[str, Any]) -> None:
        """Applies a command. If the figure has to move to meet its goals, the command records the resulting pose.

        "key" takes `shown`: whether the page shows the frame of the motion, and not the pose of the scene.
        """
        if name == "key" and args.pop("shown", False):
            frame = arrays.whole(args.get("frame"), "frame", 0)
            args["pose"] = pose_text(self.timeline.pose(self.scene, frame))
        if name not in MOVES or "pose" in args:
            self.journal.do(name, args)
            return
        after = self.journal.history.trial(name, args)
        drag = Drag(self.figure, after.pose, after.goals, freeze=after.freeze, roles=self.roles)
        drag.hold()
        end = time.monotonic() + LONGEST_SETTLE
        while not drag.settled and time.monotonic() < end:
            drag.rest()
        self.journal.do(name, {**args, "pose": pose_text(drag.release())})

    def _frame(self, frame: Frame, serial: int = 0, stamp: float = 0.0) -> bytes:
        self.missed = frame.missed
        return pose_message(self.figure, frame.pose, frame.errors, serial=serial, stamp=stamp, seconds=frame.seconds)

    def _pose(self) -> bytes:
        return pose_message(self.figure, self.scene.pose, np.zeros(0))

    def _state(self) -> str:
        scene, history = self.scene, self.journal.history
        stands = scene.goal("balance")
        return text_message(
            "state",
            name=scene.name,
            goals=[{**g.to_dict(), "words": self.roles.words(g.segment) if g.segment else g.role} for g in scene.goals],
            errors=errors_at(self.figure, scene.pose, scene.goals),
            freeze=list(scene.freeze),
            keys=[{"frame": k.frame, "easing": k.easing} for k in scene.keys],
            timeline=timeline_data(scene, self.timeline, self.roles),
            fps=scene.fps,
            last_frame=scene.last_frame,
            view=vars(scene.view),
            undo=history.undo_steps,
            redo=history.redo_steps,
            support=[] if stands is None else support_polygon(self.figure, scene.pose, stands.segments),
            pose=pose_text(scene.pose),
            saves=self.file is not None,
        )
