"""Hostile files, by format: what a stranger would make to fell a reader."""

from __future__ import annotations

from collections.abc import Callable

from hostile_seeds import BVH


def bvh_monsters() -> dict[str, bytes]:
    deep = b"".join(b"JOINT J\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n" for _ in range(9_999))
    deep = b"HIERARCHY\nROOT J\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n" + deep + b"}\n" * 10_000
    head = BVH[: BVH.index("Frames:")].encode()
    return {
        "10,000 deep": deep + b"MOTION\nFrames: 1\nFrame Time: 1\n" + b"0 " * 10_000,
        "10,000 deep, never closed": deep[:-20_000],
        "a billion frames": head + b"Frames: 1000000000\nFrame Time: 1\n" + b"0 " * 11,
        "frames without end": head + b"Frames: 1" + b"0" * 300 + b"\nFrame Time: 1\n",
        "a billion channels": BVH.replace("CHANNELS 6", "CHANNELS 1000000000").encode(),
        "only braces": b"HIERARCHY\nROOT A\n" + b"{" * 1_000_000,
        "a name of a million letters": b"HIERARCHY\nROOT " + b"A" * 1_000_000 + b"\n{",
        "200,000 joints": b"HIERARCHY\nROOT R\n{\nOFFSET 0 0 0\n" + b"JOINT A\n{\nOFFSET 0 0 0\n}\n" * 200_000 + b"}\n",
        "a line of a million numbers": head + b"Frames: 1\nFrame Time: 1\n" + b"1 " * 1_000_000,
    }


def xml_bombs(root: str, inside: str = "") -> dict[str, bytes]:
    """What strangers put before the first element of an XML file."""
    lol = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    passwords = 'SYSTEM "file:///etc/passwd"'
    attributes = " ".join(f"a{k}='0'" for k in range(100_000))

    def file(declared: str, name: str = "r", content: str = inside) -> bytes:
        return f'<!DOCTYPE x {declared}><{root} name="{name}">{content}</{root}>'.encode()

    return {
        "a billion laughs": file(f'[<!ENTITY l0 "lol">{lol}]', "&l9;"),
        "quadratic growth": file(f'[<!ENTITY a "{"A" * 100_000}">]', "&a;" * 5000),
        "a file from outside": file(f"[<!ENTITY e {passwords}>]", content="&e;"),
        "a page from outside": file('SYSTEM "http://127.0.0.1:9/x.dtd"', content="&e;"),
        "a parameter entity": file(f"[<!ENTITY % p {passwords}>%p;]"),
        "10,000 deep": f'<{root} name="r">{"<a>" * 10_000}{"</a>" * 10_000}</{root}>'.encode(),
        "100,000 attributes": f"<{root} {attributes}/>".encode(),
        "an encoding that is none": f'<?xml version="1.0" encoding="none"?><{root}/>'.encode(),
        "letters that are none": f'<{root} name="\x01\x02"/>'.encode(),
    }


def urdf_monsters() -> dict[str, bytes]:
    def chain(count: int, closed: bool = False) -> bytes:
        links = "".join(f'<link name="l{k}"/>' for k in range(count))
        ends = [(k, k + 1) for k in range(count - 1)] + ([(count - 1, 0)] if closed else [])
        joints = "".join(
            f'<joint name="j{a}" type="fixed"><parent link="l{a}"/><child link="l{b}"/></joint>' for a, b in ends
        )
        return f'<robot name="r">{links}{joints}</robot>'.encode()

    mimics = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/><limit lower="-1" upper="1" '
        f'effort="1" velocity="1"/><mimic joint="j{(k + 1) % 300}"/></joint>'
        for k in range(300)
    )
    links = "".join(f'<link name="l{k}"/>' for k in range(301))
    return {
        **xml_bombs("robot", '<link name="a"/>'),
        "a chain of 10,000": chain(10_000),
        "a ring of 10,000": chain(10_000, closed=True),
        "a ring of mimics": f'<robot name="r">{links}{mimics}</robot>'.encode(),
    }


def json_monsters() -> dict[str, bytes]:
    segments = ",".join(
        f'{{"name": "s{k}", "parent": {f"{chr(34)}s{k - 1}{chr(34)}" if k else "null"}}}' for k in range(3)
    )
    ring = segments.replace("null", '"s2"')
    return {
        "10,000 deep": b'{"manikin": 1, "segments": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "a ring": f'{{"manikin": 1, "segments": [{ring}]}}'.encode(),
        "a number of a million digits": b'{"manikin": 1, "unit": ' + b"9" * 1_000_000 + b"}",
        "a list in the place of everything": b'["manikin"]',
        "keys without end": b'{"manikin": 1' + b"".join(b', "k%d": 0' % k for k in range(200_000)) + b"}",
        "the same key often": b'{"manikin": 1' + b', "segments": []' * 100_000 + b"}",
    }


def trc_monsters(good: bytes) -> dict[str, bytes]:
    lines = good.split(b"\n")
    fields = lines[2].split(b"\t")

    def stated(column: int, value: bytes) -> bytes:
        return b"\n".join([*lines[:2], b"\t".join([*fields[:column], value, *fields[column + 1 :]]), *lines[3:]])

    return {
        **{
            f"{value.decode()} in column {c}": stated(c, value)
            for c in range(8)
            for value in (b"1000000000", b"-1", b"nan")
        },
        "a line of a million tabs": b"\n".join([*lines[:3], b"\t" * 1_000_000, *lines[4:]]),
        "a million markers": b"\n".join([*lines[:3], b"Frame#\tTime\t" + b"\t\t\t".join([b"M"] * 300_000), *lines[4:]]),
    }


def c3d_monsters(good: bytes) -> dict[str, bytes]:
    """Every word of the header, and every byte of the parameters, at its most."""
    words = {}
    for at in range(0, 24, 2):
        for value in (b"\xff\xff", b"\x00\x00", b"\xff\x7f", b"\x00\x80"):
            words[f"{value.hex()} at byte {at}"] = good[:at] + value + good[at + 2 :]
    for at in range(512, min(len(good), 512 + 400), 3):
        words[f"ff at byte {at}"] = good[:at] + b"\xff" + good[at + 1 :]
    words["only a header"] = good[:512]
    words["a parameter block beyond the end"] = b"\xff" + good[1:]
    return words


MONSTERS: dict[str, Callable[[bytes], dict[str, bytes]]] = {
    ".bvh": lambda _: bvh_monsters(),
    ".urdf": lambda _: urdf_monsters(),
    ".json": lambda _: json_monsters(),
    ".trc": trc_monsters,
    ".c3d": c3d_monsters,
}
"""By ending: hostile files, of which the good file may be a part."""
