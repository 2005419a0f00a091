"""The head of a C3D file: the processor type, the header block and the parameters.

A file consists of blocks of 512 bytes. The first is the header; its first byte is the number (from 1) of the first
parameter block. The parameters are a chain of records, and each record has the distance to the next. A group has a
negative number, and a parameter has the number of its group. Numbers have the format of the processor that wrote the
file: Intel (little-endian, IEEE), DEC (little-endian, VAX F floating point) or SGI/MIPS (big-endian, IEEE).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Vector
from manikin.errors import BadFile

BLOCK = 512
MARK = 0x50
"""The second byte of every C3D file."""
PROCESSORS = {84: "Intel", 85: "DEC", 86: "MIPS"}
"""Processor type by the fourth byte of the parameters."""
MOST_RECORDS = 65536
"""A file with more groups and parameters is refused. The largest files have a few hundred."""
MOST_DIMENSIONS = 7
"""Largest number of dimensions of a parameter, from the C3D specification."""
SIZES = {-1: 1, 1: 1, 2: 2, 4: 4}
"""Bytes of one value, by the type of a parameter: text, byte, integer, floating point."""


@dataclass(frozen=True)
class Raw:
    """A parameter with its bytes from the file."""

    kind: int
    """-1 text, 1 bytes, 2 integers of 16 bits, 4 floating point numbers."""
    shape: tuple[int, ...]
    data: bytes
    offset: int
    """Byte in the file at which its record begins."""


@dataclass(frozen=True)
class Head:
    """The header block and the parameters."""

    path: str
    processor: str
    """ "Intel", "DEC" or "MIPS"."""
    parameters: Mapping[tuple[str, str], Raw]
    """Parameters by group and name, upper case."""
    block: bytes
    """The header block."""

    # The header block, in 16-bit words counted from 1

    def word(self, number: int) -> int:
        """A word of the header, 0 to 65535."""
        return int(self.whole(self.block[2 * number - 2 : 2 * number])[0]) & 0xFFFF

    def real(self, number: int) -> float:
        """The floating point number in two words of the header."""
        return float(reals(self.block[2 * number - 2 : 2 * number + 2], self.processor)[0])

    def whole(self, data: bytes) -> NDArray[np.int16]:
        """Signed 16-bit words."""
        return np.frombuffer(data, whole_type(self.processor)).astype(np.int16)

    # Parameters

    def texts(self, group: str, name: str) -> list[str]:
        """The texts of a parameter without spaces at their ends; empty if the parameter is missing."""
        raw = self._raw(group, name)
        if raw is None or raw.kind != -1:
            return []
        width = raw.shape[0] if raw.shape else 1
        return [_text(raw.data[k : k + width]) for k in range(0, len(raw.data), width)] if width else []

    def numbers(self, group: str, name: str) -> NDArray[Any]:
        """The numbers of a parameter in their shape, first index fastest; empty if the parameter is missing."""
        raw = self._raw(group, name)
        if raw is None or raw.kind == -1:
            return np.zeros(0)
        if raw.kind == 4:
            flat: NDArray[Any] = reals(raw.data, self.processor)
        else:
            flat = self.whole(raw.data) if raw.kind == 2 else np.frombuffer(raw.data, np.uint8)
        return flat.reshape(raw.shape, order="F")

    def number(self, group: str, name: str) -> float | None:
        """The first number of a parameter if it is finite, otherwise None."""
        flat = self.numbers(group, name).ravel(order="F")
        return float(flat[0]) if flat.size and np.isfinite(flat[0]) else None

    def count(self, group: str, name: str) -> int | None:
        """The first number of a parameter as a count: 16-bit words are read as unsigned."""
        value = self.number(group, name)
        if value is None or abs(value) > 2**31:
            return None
        return int(value) & 0xFFFF if value < 0 else int(value)

    def _raw(self, group: str, name: str) -> Raw | None:
        raw = self.parameters.get((group, name))
        if raw is None:
            return None
        problem = ""
        if raw.kind not in SIZES:
            problem = f"has type {raw.kind}; it must be -1 (text), or 1, 2 or 4 (numbers)"
        elif len(raw.shape) > MOST_DIMENSIONS:
            problem = f"has {len(raw.shape)} dimensions; the limit is {MOST_DIMENSIONS}"
        elif len(raw.data) < prod(raw.shape) * SIZES[raw.kind]:
            problem = f"has the dimensions {raw.shape}, but only {len(raw.data)} bytes"
        if problem:
            raise BadFile(self.path, f"parameter {group}:{name} {problem}", offset=raw.offset)
        return raw


def whole_type(processor: str) -> str:
    """The NumPy type of a 16-bit word."""
    return ">i2" if processor == "MIPS" else "<i2"


def reals(data: bytes, processor: str) -> Vector:
    """Floating point numbers of 32 bits, as float64.

    VAX F swaps the two halves of the number. It has a sign s, an exponent e of 8 bits, and 23 bits m of a fraction with
    a hidden 1 after the point: (−1)ˢ (½ + m/2²⁴) 2^(e−128). If e = 0, the value is 0, or NaN if the sign is set.
    """
    if processor != "DEC":
        return np.frombuffer(data, ">f4" if processor == "MIPS" else "<f4").astype(np.float64)
    halves = np.frombuffer(data, "<u2").reshape(-1, 2).astype(np.uint32)
    bits = (halves[:, 0] << 16) | halves[:, 1]
    negative, e, m = bits >> 31, (bits >> 23) & 0xFF, bits & 0x7FFFFF
    size = np.ldexp(0.5 + m / 2.0**24, e.astype(np.int32) - 128)
    value = np.where(negative == 1, -size, size)
    return np.where(e == 0, np.where(negative == 1, np.nan, 0.0), value)


def read_head(path: str | os.PathLike[str], data: bytes, notes: list[str]) -> Head:
    """Reads the header and the parameters of a file.

    Raises:
        BadFile: it is not a C3D file, or its head is cut off or broken; the message names the byte.
    """
    name = os.fspath(path)
    if len(data) < 2 or data[1] != MARK:
        raise BadFile(name, "this is not a C3D file: its second byte is not 80", offset=1)
    if len(data) < 2 * BLOCK:
        need = f"header and parameters need {2 * BLOCK} bytes, the file has {len(data)}"
        raise BadFile(name, f"the file is cut off: {need}", offset=len(data))
    first = data[0] or 2
    if data[0] == 0:
        notes.append("the header does not state where the parameters begin; the second block is used")
    at = (first - 1) * BLOCK
    if at == 0 or at + 4 > len(data):
        raise BadFile(name, f"the parameters should begin at byte {at}, but the file has {len(data)} bytes", offset=0)
    processor = PROCESSORS.get(data[at + 3])
    if processor is None:
        known = ", ".join(f"{number} ({word})" for number, word in PROCESSORS.items())
        raise BadFile(name, f"the processor type is {data[at + 3]}; it must be one of {known}", offset=at + 3)
    return Head(name, processor, _parameters(name, data, at, processor, notes), data[:BLOCK])


def _parameters(path: str, data: bytes, at: int, processor: str, notes: list[str]) -> dict[tuple[str, str], Raw]:
    """All parameters by group and name. If a name is repeated in a group, the last one counts.

    `at` is the start of the section; its third byte is the number of blocks.
    """
    order: Literal["big", "little"] = "big" if processor == "MIPS" else "little"
    stop = min(len(data), at + BLOCK * data[at + 2] if data[at + 2] else len(data))
    at += 4
    groups: dict[int, str] = {}
    found: list[tuple[int, str, Raw]] = []
    for _ in range(MOST_RECORDS):
        if at + 2 > len(data):
            raise BadFile(path, "the file is cut off in its parameters", offset=len(data))
        length, number = abs(_signed(data[at])), _signed(data[at + 1])
        if length == 0 or number == 0:
            break
        distance = at + 2 + length
        if distance + 2 > len(data):
            raise BadFile(path, "the file is cut off in its parameters", offset=len(data))
        name = _text(data[at + 2 : distance]).upper()
        step = int.from_bytes(data[distance : distance + 2], order)
        if distance + step > stop and step != _length(data, distance, number):
            # The SGI samples of c3d.org contain one such record, which was moved to the end without swapping its bytes.
            swapped = int.from_bytes(data[distance : distance + 2][::-1], order)
            if swapped == _length(data, distance, number):
                step = swapped
                notes.append(
                    f"the record {name!r} of the parameters states its length in the wrong byte order; "
                    "the length is corrected"
                )
        end = distance + step if step else len(data)
        if step == 1 or end > len(data):
            raise BadFile(path, f"the record {name!r} of the parameters ends outside the file", offset=at)
        if number < 0:
            groups[-number] = name
        else:
            raw = _raw(data[distance + 2 : min(end, distance + 2 + 65536)], at)
            found.append((number, name, raw))
        if step == 0:
            break
        at = end
    else:
        raise BadFile(path, f"there are more than {MOST_RECORDS} groups and parameters")
    return {(groups.get(number, ""), name): raw for number, name, raw in found}


def _length(data: bytes, at: int, number: int) -> int:
    """The number of bytes that a record needs from byte `at`, where its distance is stored. It is computed from the
    content."""
    content = data[at + 2 : at + 2 + 65536]
    size = 0
    if number > 0 and len(content) > 1:
        kind, dimensions = _signed(content[0]), content[1]
        size = 2 + dimensions + prod(content[2 : 2 + dimensions]) * SIZES.get(kind, 1)
    described = content[size] if size < len(content) else 0
    return 2 + size + 1 + described


def _raw(record: bytes, offset: int) -> Raw:
    """A parameter from the bytes after the distance in its record. Missing bytes are reported when the value is
    used."""
    if len(record) < 2 or len(record) < 2 + record[1]:
        return Raw(0, (), b"", offset)
    kind, dimensions = _signed(record[0]), record[1]
    shape = tuple(record[2 : 2 + dimensions])
    start = 2 + dimensions
    size = prod(shape) * SIZES.get(kind, 1)
    return Raw(kind, shape, record[start : start + size], offset)


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def _text(data: bytes) -> str:
    """Decodes a text. C3D states no encoding: UTF-8 is tried first, then Latin-1. Trailing spaces and zeros are
    removed."""
    data = data.split(b"\0")[0]
    try:
        return data.decode().strip()
    except UnicodeDecodeError:
        return data.decode("latin-1").strip()
