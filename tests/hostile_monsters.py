"""Hostile files, by format: files that an attacker would make to crash a reader."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
from hostile_seeds import BVH, glb_bytes, gltf_document, gltf_text, zipped


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
        "110,000 joints": b"HIERARCHY\nROOT R\n{\nOFFSET 0 0 0\n" + b"JOINT A\n{\nOFFSET 0 0 0\n}\n" * 110_000 + b"}\n",
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


def json_monsters(good: bytes) -> dict[str, bytes]:
    segments = ",".join(
        f'{{"name": "s{k}", "parent": {f"{chr(34)}s{k - 1}{chr(34)}" if k else "null"}}}' for k in range(3)
    )
    ring = segments.replace("null", '"s2"')
    return {
        **json_changes(json.loads(good), lambda changed: json.dumps(changed).encode()),
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
        "a time without end": good.replace(b"\n1\t0", b"\n1\t1e20"),
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


def gltf_monsters() -> dict[str, bytes]:
    """Hostile glTF: changes of the JSON of a good file."""
    document, buffer = gltf_document()
    make = gltf_text

    def with_(path: str, value: Any) -> bytes:
        """The good file with the value at a path such as nodes/1/children changed."""
        changed = json.loads(json.dumps(document))
        *way, last = path.split("/")
        place = changed
        for key in way:
            place = place[int(key)] if isinstance(place, list) else place[key]
        place[int(last) if isinstance(place, list) else last] = value
        return make(changed, buffer)

    def nodes(list_of_nodes: list[dict[str, Any]]) -> bytes:
        return make({**document, "nodes": list_of_nodes, "skins": [], "animations": [], "extensions": {}}, buffer)

    chain = [{"name": f"n{k}", "children": [k + 1], "translation": [0, 1, 0]} for k in range(9_999)] + [{}]
    monsters = {
        "a node that is its own child": with_("nodes/1/children", [1]),
        "a ring of nodes": with_("nodes/3/children", [1]),
        "a child with two parents": with_("nodes/0/children", [1, 2]),
        "the same child twice": with_("nodes/0/children", [1, 1]),
        "nodes 10,000 deep": nodes(chain),
        "5,000 nodes": nodes([{"children": list(range(1, 5_000))}, *[{}] * 4_999]),
        "a billion numbers": with_("accessors/1/count", 1_000_000_000),
        "more numbers than there are atoms": with_("accessors/1/count", 10**80),
        "a negative count": with_("accessors/1/count", -1),
        "a billion times": with_("accessors/0/count", 2**31 - 1),
        "numbers beyond the buffer": with_("accessors/1/byteOffset", 10**12),
        "a view beyond the buffer": with_("bufferViews/1/byteOffset", 2**40),
        "a negative view": with_("bufferViews/1/byteOffset", -16),
        "a view of a terabyte": with_("bufferViews/1/byteLength", 2**40),
        "a stride of nothing": with_("bufferViews/1/byteStride", 0),
        "a stride of a terabyte": with_("bufferViews/1/byteStride", 2**40),
        "a buffer of a terabyte": with_("buffers/0/byteLength", 2**40),
        "an accessor without view, a billion long": with_(
            "accessors/1", {"componentType": 5126, "count": 10**9, "type": "VEC4"}
        ),
        "a sparse accessor of a billion": with_(
            "accessors/1",
            {
                "componentType": 5126,
                "count": 10**9,
                "type": "VEC4",
                "sparse": {
                    "count": 10**9,
                    "indices": {"bufferView": 0, "componentType": 5125},
                    "values": {"bufferView": 1},
                },
            },
        ),
        "a sparse accessor that points beyond itself": with_(
            "accessors/1/sparse",
            {"count": 1, "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 1}},
        ),
        "a rotation of nothing": with_("nodes/2/rotation", [0, 0, 0, 0]),
        "a scale of nothing": with_("nodes/1/scale", [0, 0, 0]),
        "a scale of 1e308": with_("nodes/1/scale", [1e308] * 3),
        "a matrix of nothing": with_("nodes/0/matrix", [0] * 16),
        "a matrix of 1e308": with_("nodes/0/matrix", [1e308] * 16),
        "a matrix of 15": with_("nodes/0/matrix", [1] * 15),
        "a place at 1e308": with_("nodes/1/translation", [1e308, -1e308, 1e308]),
        "a skin of a joint twice": with_("skins/0/joints", [1, 1, 2]),
        "a skin of no joints": with_("skins/0/joints", []),
        "a skin of joints that are not there": with_("skins/0/joints", [1, 2, 99]),
        "5,000 skins": with_("skins", [document["skins"][0]] * 5_000),
        "a humanoid of nodes that are not there": with_(
            "extensions/VRMC_vrm/humanoid/humanBones", {"hips": {"node": 77}}
        ),
        "1,000 clips": with_("animations", [document["animations"][0]] * 1_000),
        "a name of a million letters": with_("nodes/1/name", "A" * 1_000_000),
        "an extension that is required": with_("extensionsRequired", ["KHR_draco_mesh_compression", "X_unknown"]),
        "another version": with_("asset/version", "1.0"),
        "a version that is no text": with_("asset/version", 2.0),
        "30,000 scenes": with_("scenes", [{"nodes": [0]}] * 30_000),
        "100,000 deep": b'{"asset": {"version": "2.0"}, "extras": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    }
    outside = ("../" * 12 + "etc/passwd", "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:9/x.bin")
    for uri in (*outside, "%2e%2e/%2e%2e/secret.bin", "..\\..\\secret.bin", "/dev/zero", ".", "", "\0", "C:\\secret"):
        monsters[f"a buffer from {uri!r}"] = with_("buffers/0/uri", uri)
    for data in ("!!!!", "A" * 5, "=" * 100, "AAAA" * 1_000_000, "é"):
        monsters[f"a buffer of {data[:8]!r}"] = with_("buffers/0/uri", f"data:application/octet-stream;base64,{data}")
    monsters["a buffer of no data"] = with_("buffers/0/uri", "data:")
    return monsters | json_changes(document, lambda changed: make(changed, buffer))


def glb_monsters(good: bytes) -> dict[str, bytes]:
    """Hostile GLB: changes of its envelope, and a few of its JSON."""
    document, buffer = gltf_document()
    changes = {"version 1": (4, 1), "version 3": (4, 3), "a length of 4 GiB": (8, 2**32 - 1), "a length of 0": (8, 0)}
    changes |= {"a chunk of 4 GiB": (12, 2**32 - 1), "a chunk of 0": (12, 0), "a chunk that is no JSON": (16, 0)}
    made = {name: good[:at] + struct.pack("<I", value) + good[at + 4 :] for name, (at, value) in changes.items()}
    return {
        **made,
        **json_changes(document, lambda changed: glb_bytes(changed, buffer), 60),
        "only a head": good[:12],
        "a head and half a chunk": good[:16],
        "two files in one": good + good,
        "chunks without end": good[:12] + struct.pack("<I4s", 0, b"JSON") * 100_000,
    }


def json_changes(document: dict[str, Any], make: Callable[[Any], bytes], count: int = 300) -> dict[str, bytes]:
    """Somewhere in the tree of a JSON file another kind of value, or none."""
    rng = np.random.default_rng(1)
    odd: list[Any] = [
        None,
        True,
        -1,
        1.5,
        1e308,
        10**30,
        2**31,
        "",
        "x",
        "1",
        [],
        {},
        [[]],
        [None],
        {"a": 1},
        [1e308] * 3,
    ]
    places: list[tuple[Any, ...]] = []
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), document)]
    while waiting:
        way, value = waiting.pop()
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, child in inner:
            places.append((*way, key))
            waiting.append(((*way, key), child))
    changes = {}
    for k in range(count):
        way = places[int(rng.integers(len(places)))]
        changed = json.loads(json.dumps(document))
        place = changed
        for key in way[:-1]:
            place = place[key]
        if k % 6 == 5:
            del place[way[-1]]
            what = "nothing"
        else:
            place[way[-1]] = odd[int(rng.integers(len(odd)))]
            what = repr(place[way[-1]])[:20]
        changes[f"{k}: {what} at {'/'.join(map(str, way))}"] = make(changed)
    return changes


def usd_monsters(good: bytes) -> dict[str, bytes]:
    """Hostile USD text: the good file with parts changed, and stages that put themselves together without end."""
    head = b'#usda 1.0\n(\n    upAxis = "Y"\n    metersPerUnit = 1\n)\n'

    def skeleton(joints: str, rest: str = "", more: str = "") -> bytes:
        inside = f"uniform token[] joints = [{joints}]\n{rest}\n{more}"
        return head + f'def SkelRoot "R"\n{{\n def Skeleton "S"\n {{\n {inside}\n }}\n}}\n'.encode()

    def composed(arc: str) -> bytes:
        return head + f'def SkelRoot "R" ({arc})\n{{\n}}\n'.encode()

    one = "( (1,0,0,0), (0,1,0,0), (0,0,1,0), (0,1,0,1) )"
    rest, bind = "uniform matrix4d[] restTransforms = ", "uniform matrix4d[] bindTransforms = "
    doubling = "\n".join(
        f'def "L{k}" {{ def "a" (references = </L{k + 1}>) {{}}  def "b" (references = </L{k + 1}>) {{}} }}'
        for k in range(40)
    )
    variants = "\n".join(f'variantSet "v{k}" = {{ "a" {{}} "b" {{}} }}' for k in range(300))
    many = ", ".join(f'"j{k}"' for k in range(20_000))
    monsters = {
        "prims 10,000 deep": head + b'def "a" {' * 10_000 + b"}" * 10_000,
        "brackets 100,000 deep": head
        + b'def Skeleton "S" { custom int[] x = '
        + b"[" * 100_000
        + b"]" * 100_000
        + b"}",
        "a reference to itself": composed("references = @./@SELF@@"),
        "a prim that refers to itself": head + b'def SkelRoot "R" (references = </R>) { }',
        "prims that refer to each other": head + b'def "A" (references = </B>) {} def "B" (references = </A>) {}',
        "a sublayer of itself": b"#usda 1.0\n(\n subLayers = [@./@SELF@@]\n)\n",
        "a trillion prims by references": head + doubling.encode() + b'\ndef "L40" {}\n',
        "a reference to a device": composed("references = @/dev/zero@"),
        "a payload of a secret": composed("payload = @/etc/passwd@"),
        "a reference from above": composed("references = @" + "../" * 12 + "etc/passwd@"),
        "a reference to a page": composed("references = @http://127.0.0.1:9/x.usda@"),
        "a sublayer from above": b"#usda 1.0\n(\n subLayers = [@../../../../../../etc/passwd@, @/etc/passwd@]\n)\n",
        "a clip from above": composed("clips = { dictionary default = { asset[] assetPaths = [@/etc/passwd@] } }"),
        "a reference into an archive": composed("references = @/etc/passwd[x.usda]@"),
        "an expression": composed('references = @`"${X}"`@'),
        "300 sets of variants": head + f'def SkelRoot "R"\n{{\n{variants}\n}}\n'.encode(),
        "joints that hang on nothing": skeleton('"a/b", "c/d/e"', f"{rest}[{one}, {one}]\n{bind}[{one}, {one}]"),
        "a joint twice": skeleton('"a", "a"', f"{rest}[{one}, {one}]\n{bind}[{one}, {one}]"),
        "a child before its parent": skeleton('"a/b", "a"', f"{rest}[{one}, {one}]\n{bind}[{one}, {one}]"),
        "joints without names": skeleton('"", "/", "..", "../a", "a/../b", "//", "a//b"'),
        "a joint without a name": skeleton('""', f"{rest}[{one}]\n{bind}[{one}]"),
        "no joints": skeleton(""),
        "20,000 joints": skeleton(many),
        "a joint 10,000 deep": skeleton('"' + "/".join(["a"] * 10_000) + '"'),
        "fewer places than joints": skeleton('"a", "a/b"', f"{rest}[{one}]"),
        "a place that is no number": skeleton('"a"', f"{rest}[{one.replace('1,0,0,0', 'nan,inf,-inf,0')}]"),
        "a place at 1e308": skeleton('"a"', f"{rest}[{one.replace('0,1,0,1', '1e308,1e308,1e308,1')}]"),
        "a place of nothing": skeleton('"a"', f"{rest}[((0,0,0,0),(0,0,0,0),(0,0,0,0),(0,0,0,0))]"),
        "a place that is skewed": skeleton('"a"', f"{rest}[((1,2,3,4),(5,6,7,8),(9,1,2,3),(4,5,6,7))]"),
        "joints that are numbers": head + b'def Skeleton "S" { uniform int[] joints = [1, 2] }',
        "joints that are one": head + b'def Skeleton "S" { uniform token joints = "a" }',
        "joints that are blocked": head + b'def Skeleton "S" { uniform token[] joints = None }',
        "joints over time": head + b'def Skeleton "S" { token[] joints.timeSamples = { 0: ["a"], 1: ["a", "a/b"] } }',
        "rest poses that are words": skeleton('"a"', 'uniform token[] restTransforms = ["x"]'),
        "an animation that is bound to itself": skeleton('"a"', "", "rel skel:animationSource = </R/S>"),
        "an animation that is not there": skeleton('"a"', "", "rel skel:animationSource = </R/None>"),
        "a stage without skeletons": head + b'def Xform "X" { }',
        "a billion numbers": head + b'def Skeleton "S" { uniform token[] joints = [' + b'"a",' * 300_000 + b"] }",
        "a name of a million letters": head + b'def Skeleton "' + b"A" * 1_000_000 + b'" { }',
    }
    for key in ("timeCodesPerSecond", "metersPerUnit", "framesPerSecond", "startTimeCode"):
        for value in ("0", "-1", "nan", "inf", "1e308", '"x"', "[1]"):
            text = b"#usda 1.0\n(\n    " + f"{key} = {value}".encode() + b"\n"
            monsters[f"{key} = {value}"] = text + good.split(b"(\n", 1)[1]
    for name in (b"translations", b"rotations", b"scales"):
        for given in (b"[]", b"None", b"[(nan, nan, nan)]", b"[(1, 2)]", b"5", b'"x"', b"[(0, 0, 0, 0)]"):
            changed = re.sub(
                name + rb"(\.timeSamples)? = \{.*?\n\s*\}", name + b" = " + given, good, count=1, flags=re.S
            )
            monsters[f"{name.decode()} = {given.decode()}"] = changed
    return monsters


def usdz_monsters(good: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        layer = archive.read(archive.namelist()[0])
    text = b'#usda 1.0\ndef SkelRoot "R" (references = @%s@) { }'
    bomb = b"#usda 1.0\n" + b"#" * 200_000_000
    return {
        "a bomb": zipped({"a.usda": bomb}, compressed=True),
        "compressed": zipped({"a.usdc": layer}, compressed=True),
        "a bomb beside the figure": zipped({"a.usdc": layer, "b.usda": bomb}, compressed=True),
        "nothing": zipped({}),
        "no figure": zipped({"readme.txt": b"hello"}),
        "a picture first": zipped({"a.png": b"\x89PNG", "b.usdc": layer}),
        "a name from above": zipped({"../../../../tmp/a.usdc": layer}),
        "a name from the root": zipped({"/tmp/a.usdc": layer}),
        "a name of another system": zipped({"C:\\a.usdc": layer}),
        "an archive in an archive": zipped({"a.usdz": good}),
        "an archive in an archive in an archive": zipped({"a.usdz": zipped({"b.usdz": good})}),
        "itself": zipped({"a.usda": text % b"./@SELF@"}),
        "a reference out of it": zipped({"a.usda": text % b"/etc/passwd"}),
        "a reference above it": zipped({"a.usda": text % b"../../../../../../etc/passwd"}),
        "the same name often": zipped({f"a{k}.usdc": layer for k in range(3000)}),
        "no directory": good[: good.rindex(b"PK\x01\x02")],
        "two ends": good + good[good.rindex(b"PK\x05\x06") :],
        "a directory beyond the end": good[:-6] + b"\xff\xff\xff\x7f" + good[-2:],
        "a comment that is longer than the file": good[:-2] + b"\xff\xff",
    }


def usdc_monsters(good: bytes) -> dict[str, bytes]:
    """Each number of the table of contents, and of the sections behind it, at its most."""
    table = int.from_bytes(good[16:24], "little")
    monsters = {}
    for at in (16, *range(table, min(table + 200, len(good) - 8), 8)):
        for value in (2**64 - 1, 2**63, 2**40, 0, len(good)):
            monsters[f"{value} at byte {at}"] = good[:at] + value.to_bytes(8, "little") + good[at + 8 :]
    return monsters | {"version 255": good[:8] + b"\xff\xff" + good[10:], "only a head": good[:88]}


def fbx_monsters(good: bytes) -> dict[str, bytes]:
    """Hostile FBX: text that nests without end, and the numbers of the first node at their most."""
    head = b"; FBX 7.4.0 project file\nFBXHeaderExtension: {\n FBXVersion: 7400\n}\n"
    monsters = {
        "text 10,000 deep": head + b"A: {\n" * 10_000 + b"}\n" * 10_000,
        "an array of a billion": head + b"Objects: {\n A: *1000000000 {\n a: 1,2,3\n }\n}\n",
        "only a head": good[:27],
        "version 9": good[:23] + b"\xff\xff\x00\x00" + good[27:],
    }
    for at in (27, 31, 35):  # end, count of properties, and their length
        for value in (b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\x1b\x00\x00\x00"):
            monsters[f"{value.hex()} at byte {at}"] = good[:at] + value + good[at + 4 :]
    array = good.find(b"d", 200)
    for k in range(6):  # places that look like an array of doubles: its count, encoding and length
        array = good.find(b"\x00\x00\x00\x01\x00\x00\x00", array + 1)
        if array > 0:
            monsters[f"a count of a billion {k}"] = good[: array - 1] + b"\xff\xff\xff\x7f" + good[array + 3 :]
    return monsters


MONSTERS: dict[str, Callable[[bytes], dict[str, bytes]]] = {
    ".bvh": lambda _: bvh_monsters(),
    ".urdf": lambda _: urdf_monsters(),
    ".xml": mjcf_monsters,
    ".json": json_monsters,
    ".gltf": lambda _: gltf_monsters(),
    ".glb": glb_monsters,
    ".usda": usd_monsters,
    ".usdc": usdc_monsters,
    ".usdz": usdz_monsters,
    ".fbx": fbx_monsters,
    ".trc": trc_monsters,
    ".c3d": c3d_monsters,
}
"""By ending: hostile files, of which the good file may be a part."""
