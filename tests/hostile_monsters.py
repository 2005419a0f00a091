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


def mjcf_monsters(good: bytes) -> dict[str, bytes]:
    def world(inside: str, before: str = "") -> bytes:
        return f'<mujoco model="m">{before}<worldbody>{inside}</worldbody></mujoco>'.encode()

    def deep(count: int) -> str:
        return "".join(f'<body name="b{k}" pos="0 0 1"><joint/>' for k in range(count)) + "</body>" * count

    body = '<body name="b"><joint/><geom size="1"/>{}</body>'
    return {
        **xml_bombs("mujoco", "<worldbody/>"),
        "bodies 10,000 deep": world(deep(10_000)),
        "bodies 200 deep": world(deep(200)),
        "an include from above": world("", '<include file="../../../../etc/passwd"/>'),
        "an include from the root": world("", '<include file="/etc/passwd"/>'),
        "an include of itself": world("", '<include file="@SELF@"/>'),
        "an include of the folder": world("", '<include file="."/>'),
        "an include of a device": world("", '<include file="/dev/zero"/>'),
        "an include of a page": world("", '<include file="http://127.0.0.1:9/x.xml"/>'),
        "a mesh from a device": world(body.format(""), '<asset><mesh name="m" file="/dev/zero"/></asset>'),
        "folders from above": world(body.format(""), '<compiler meshdir="../../../../.." assetdir="/"/>'),
        "a billion copies": world(f'<replicate count="1000000000" offset="1 0 0">{body.format("")}</replicate>'),
        "copies of copies": world('<replicate count="100">' * 6 + body.format("") + "</replicate>" * 6),
        "a composite of a billion": world('<body><composite type="cable" count="1000000000 1 1" size="1"/></body>'),
        "a flexcomp of a billion": world('<body><flexcomp name="f" type="grid" count="9999 9999 9999"/></body>'),
        "a texture of terabytes": world(
            "", '<asset><texture name="t" type="2d" builtin="flat" width="1000000" height="1000000"/></asset>'
        ),
        "a height field of terabytes": world(
            "", '<asset><hfield name="h" nrow="1000000" ncol="1000000" size="1 1 1 1"/></asset>'
        ),
        "memory without end": world(body.format(""), '<size memory="999999G"/>'),
        "numbers without end": world(body.format(""), '<size nuserdata="2000000000" nkey="2000000000"/>'),
        "a plugin": world(body.format(""), '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>'),
        "classes that hold each other": world(
            body.format(""), '<default><default class="a"><default class="a"/></default></default>'
        ),
        "two bodies of a name": world(body.format("") * 2),
        "frames 5,000 deep": world('<frame pos="0 0 1">' * 5000 + body.format("") + "</frame>" * 5000),
        "a hundred thousand bodies": world("".join(f'<body name="b{k}"/>' for k in range(100_000))),
        "masses of nothing": world('<body name="b"><joint/></body>'),
        "a loop of couplings": good.replace(
            b"<equality>",
            b'<equality><joint joint1="elbow" joint2="curl" polycoef="0 1 0 0 0"/>',
        ),
        "a name with a zero": good.replace(b'name="elbow"', b'name="el&#0;bow"'),
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
    ".xml": mjcf_monsters,
    ".json": lambda _: json_monsters(),
    ".trc": trc_monsters,
    ".c3d": c3d_monsters,
}
"""By ending: hostile files, of which the good file may be a part."""
