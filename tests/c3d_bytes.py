"""Makes C3D files byte by byte, from the description of the format, for every processor and both kinds of numbers."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BLOCK = 512
INTEL, DEC, MIPS = 84, 85, 86
PROCESSORS = {"Intel": INTEL, "DEC": DEC, "MIPS": MIPS}

Bytes = bytes
"""The type, inside a class that has a method of that name."""


@dataclass
class C3D:
    """What to write. Fields of None follow from the others."""

    positions: Any
    """(frames, points, 3), NaN in gaps."""
    labels: Sequence[str] | None = None
    processor: int = INTEL
    scale: float = -0.1
    """Below 0: floats; above: whole numbers times this."""
    residuals: Any = 0.0
    """(frames, points) or one number; in units of |scale|, whole from 0 to 255."""
    cameras: Any = 0
    analog: int = 0
    """Channels; of 2 samples a frame."""
    rate: float = 100.0
    first: int = 1
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """More parameters by group and name, or others in place of those written; None leaves one out."""
    header: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the header to be other than they should."""
    marks: tuple[int, int] = (0x50, 0x50)
    """The second byte of header and parameters."""
    pad: bool = True
    """Whether the last block is filled up."""

    @property
    def order(self) -> str:
        return ">" if self.processor == MIPS else "<"

    def real(self, value: float) -> bytes:
        return dec_float(value) if self.processor == DEC else struct.pack(self.order + "f", value)

    def word(self, value: int) -> bytes:
        return struct.pack(self.order + "H", value & 0xFFFF)

    def bytes(self) -> bytes:
        frames, points = np.shape(self.positions)[:2]
        parameters = b""
        for _ in range(2):  # the second time its length is known
            start = 2 + max(-(-len(parameters) // BLOCK), 1)
            parameters = self._parameters(frames, points, start)
        parameters = parameters.ljust(BLOCK * -(-len(parameters) // BLOCK), b"\0")
        assert 2 + len(parameters) // BLOCK == start
        data = self._data(frames, points)
        if self.pad:
            data = data.ljust(BLOCK * -(-len(data) // BLOCK), b"\0")
        return self._header(frames, points, start) + parameters + data

    def _header(self, frames: int, points: int, start: int) -> Bytes:
        fields = {
            "parameter_block": 2,
            "points": points,
            "analog": 2 * self.analog,
            "first": self.first,
            "last": self.first + frames - 1,
            "gap": 10,
            "scale": self.scale,
            "start": start,
            "analog_samples": 2 if self.analog else 0,
            "rate": self.rate,
            "events": (),
            **self.header,
        }
        head = bytes([fields["parameter_block"], self.marks[0]])
        head += b"".join(self.word(fields[k]) for k in ("points", "analog", "first", "last", "gap"))
        head += self.real(fields["scale"]) + self.word(fields["start"]) + self.word(fields["analog_samples"])
        head += self.real(fields["rate"])
        head = head.ljust(2 * 149, b"\0")
        events = fields["events"]
        head += self.word(12345) + self.word(len(events)) + self.word(0)
        head += b"".join(self.real(t) for t, _ in events).ljust(72, b"\0") + bytes(18) + self.word(0)
        head += b"".join(label.encode()[:4].ljust(4) for _, label in events)
        return head.ljust(BLOCK, b"\0")

    def _parameters(self, frames: int, points: int, start: int) -> Bytes:
        labels = [f"M{i + 1}" for i in range(points)] if self.labels is None else list(self.labels)
        groups: dict[str, dict[str, Any]] = {
            "POINT": {
                "USED": np.int16(np.uint16(points).view(np.int16)),
                "SCALE": np.float32(self.scale),
                "RATE": np.float32(self.rate),
                "DATA_START": np.int16(start),
                "FRAMES": np.uint16(min(frames, 65535)).view(np.int16),
                "UNITS": "mm",
                "X_SCREEN": "+X",
                "Y_SCREEN": "+Z",
                "LABELS": labels[:255],
                "DESCRIPTIONS": ["" for _ in labels[:255]],
            },
            "ANALOG": {"USED": np.int16(self.analog), "RATE": np.float32(2 * self.rate)},
        }
        for k in range(255, len(labels), 255):
            groups["POINT"][f"LABELS{k // 255 + 1}"] = labels[k : k + 255]
        for group, named in self.parameters.items():
            groups.setdefault(group, {}).update(named)
        out = bytes([1, self.marks[1], 0, self.processor])
        for number, (group, named) in enumerate(groups.items(), start=1):
            out += _record(self, group, -number, b"\0")
            for name, value in named.items():
                if value is not None:
                    out += _record(self, name, number, value if isinstance(value, bytes) else self._value(value))
        out += b"\0\0"
        return out[:2] + bytes([min(-(-len(out) // BLOCK), 255)]) + out[3:]

    def _value(self, value: Any) -> Bytes:
        """Type, dimensions and data of a parameter, and an empty description."""
        if isinstance(value, str):
            value = value.encode()
            return struct.pack("bBB", -1, 1, len(value)) + value + b"\0"
        if isinstance(value, list):
            texts = [t.encode() for t in value]
            width = max(map(len, texts), default=0)
            return struct.pack("bBBB", -1, 2, width, len(texts)) + b"".join(t.ljust(width) for t in texts) + b"\0"
        array = np.asarray(value)
        sizes = bytes([array.ndim, *array.shape])
        flat = array.flatten(order="F")
        if array.dtype.kind == "f":
            return b"\x04" + sizes + b"".join(self.real(float(x)) for x in flat) + b"\0"
        return b"\x02" + sizes + b"".join(self.word(int(x)) for x in flat) + b"\0"

    def _data(self, frames: int, points: int) -> Bytes:
        positions = np.asarray(self.positions, dtype=float)
        gap = np.isnan(positions).any(axis=-1)
        residuals = np.broadcast_to(self.residuals, (frames, points)).astype(int)
        cameras = np.broadcast_to(self.cameras, (frames, points)).astype(int)
        fourth = np.where(gap, -1, cameras * 256 + residuals)
        floats = self.scale < 0
        xyz = np.where(gap[..., None], 0.0, positions / (1.0 if floats else self.scale))
        rows = np.concatenate([xyz, fourth[..., None]], axis=-1).reshape(frames, 4 * points)
        rows = np.concatenate([rows, np.tile(np.arange(2.0 * self.analog), (frames, 1))], axis=1)
        if not floats:
            return np.round(rows).astype(int).astype(f"{self.order}i2").tobytes()
        if self.processor == DEC:
            return b"".join(dec_float(x) for x in rows.ravel())
        return rows.astype(f"{self.order}f4").tobytes()


def dec_float(value: float) -> bytes:
    """VAX F: sign, 8 bits of exponent with bias 128, 23 bits of the fraction 0.1…; the two halves changed round."""
    if value == 0.0:
        return bytes(4)
    fraction, exponent = np.frexp(abs(np.float32(value)))  # 0.5 ≤ fraction < 1
    mantissa = int(fraction * 2**24) - 2**23
    bits = (int(value < 0) << 31) | ((int(exponent) + 128) << 23) | mantissa
    return struct.pack("<HH", bits >> 16, bits & 0xFFFF)


def _record(file: C3D, name: str, group: int, content: bytes) -> bytes:
    return struct.pack("bb", len(name), group) + name.encode() + file.word(len(content) + 2) + content
