"""Writes BVH: the head of the file, then a line of numbers for each frame, many lines at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from manikin.arrays import Matrix
from manikin.files.bvh.header import Node

DEEPEST = 40
"""Largest number of tabs on a line. Without it, a chain of ten thousand joints would give a file full of tabs."""
LINES = 512
"""Number of frames formatted at once."""
ANGLE_DIGITS = 8
"""Decimals of an angle in degrees. They give 2e-10 rad, so that the error at the end of a long chain is below 1e-8 of
its length."""


def hierarchy(nodes: Sequence[Node], digits: int) -> str:
    """The text from HIERARCHY to the last brace. `digits` is the number of decimals of lengths."""
    children: dict[int, list[int]] = {}
    for i, node in enumerate(nodes):
        children.setdefault(node.parent, []).append(i)
    lines = ["HIERARCHY"]
    waiting: list[tuple[int, int] | str] = [(i, 0) for i in reversed(children[-1])]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        i, depth = item
        node, tabs = nodes[i], "\t" * min(depth, DEEPEST)
        lines.append(f"{tabs}{'End Site' if node.end else 'JOINT ' + node.name if depth else 'ROOT ' + node.name}")
        lines.append(f"{tabs}{{")
        lines.append(f"{tabs}\tOFFSET {' '.join(written(x, f'%.{digits}f') for x in node.offset)}")
        if not node.end:
            lines.append(f"{tabs}\tCHANNELS {' '.join([str(len(node.channels)), *node.channels])}")
        waiting.append(f"{tabs}}}")
        waiting += [(k, depth + 1) for k in reversed(children.get(i, []))]
    return "\n".join(lines) + "\n"


def motion_head(frames: int, frame_time: str) -> str:
    """The text of MOTION, the number of frames and the time between them."""
    return f"MOTION\nFrames: {frames}\nFrame Time: {frame_time}\n"


def seconds(step: float) -> str:
    """A frame time with at most nine digits, without an exponent."""
    return np.format_float_positional(float(f"{step:.9g}"), trim="-")


def written(value: float, pattern: str) -> str:
    """A number formatted by a pattern such as "%.8f", without a minus sign for zero."""
    text = pattern % value
    return text if float(text) != 0.0 else pattern % 0.0


def formats(angular: Iterable[bool], digits: int) -> list[str]:
    """The format of each column of a frame."""
    return [f"%.{ANGLE_DIGITS}f" if angle else f"%.{digits}f" for angle in angular]


def rows(table: Matrix, patterns: Sequence[str]) -> Iterator[bytes]:
    """The lines of the frames, many at once. (frames, columns), degrees and lengths."""
    pattern = " ".join(patterns) + "\n"
    least = np.array([0.5 * 10.0 ** -int(p[2:-1]) for p in patterns])
    for start in range(0, len(table), LINES):
        block = table[start : start + LINES]
        block = np.where(np.abs(block) > least, block, 0.0)  # no minus sign for zero
        yield "".join([pattern % tuple(row) for row in block.tolist()]).encode()


def length_digits(size: float) -> int:
    """Number of decimals of a length that keeps 1e-10 of the figure's size."""
    return int(np.clip(10 - np.ceil(np.log10(size)), 3, 30))
