"""glTF files compressed with meshopt are decoded; wrong or damaged ones raise one BadFile, whatever their bytes are."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_by_hand import Maker, glb, turn
from hypothesis import given
from hypothesis import strategies as st
from strategies import rngs

import manikin as mk
from manikin.errors import BadFile, ManikinError, Unsupported

FRAMES = 40


def plain() -> Maker:
    """Two joints with a skin, and an animation of 40 frames."""
    maker = Maker([{"name": "A", "children": [1]}, {"name": "B", "translation": [0, 1, 0]}])
    maker.skin([0, 1], [np.eye(4), np.eye(4)])
    turns = [turn((1, 0.3, 0), 2.0 * k) for k in range(FRAMES)]
    return maker.animate("Go", (1, "rotation", [k / 30 for k in range(FRAMES)], turns, "LINEAR"))


def root_of(maker: Maker, parts: list[tuple[dict[str, Any], bytes]], name: str) -> tuple[dict[str, Any], bytes]:
    """The file with its views compressed, each by the fields of the extension and the compressed bytes."""
    binary, views = b"", []
    for view, (fields, data) in zip(maker.json["bufferViews"], parts, strict=True):
        extension = {"buffer": 0, "byteOffset": len(binary), "byteLength": len(data), **fields}
        views.append({**view, "buffer": 1, "extensions": {name: extension}})
        binary += data + b"\0" * (-len(data) % 4)
    stands_in = {"byteLength": len(maker.binary), "extensions": {name: {"fallback": True}}}
    more = {"bufferViews": views, "buffers": [{"byteLength": len(binary)}, stands_in], "extensionsRequired": [name]}
    return maker.json | more, binary


def compressed(maker: Maker, name: str = "EXT_meshopt_compression", version: int = 0) -> tuple[dict[str, Any], bytes]:
    """The file as gltfpack -c writes it, without filters."""
    meshopt = pytest.importorskip("meshopt")
    strides = {0: 64, 1: 4, 2: 16}  # inverse bind matrices, times, rotations
    parts = []
    for i, view in enumerate(maker.json["bufferViews"]):
        data = maker.binary[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        rows = np.frombuffer(data, np.uint8).reshape(-1, strides[i])
        fields = {"byteStride": strides[i], "count": len(rows), "mode": "ATTRIBUTES"}
        parts.append((fields, meshopt.encode_gltf_buffer(rows, "ATTRIBUTES", version)))
    return root_of(maker, parts, name)


def write(path: Path, root: dict[str, Any], binary: bytes) -> Path:
    path.write_bytes(glb(json.dumps(root).encode(), binary))
    return path


def refused(path: Path, kind: type[ManikinError] = BadFile) -> str:
    with pytest.raises(kind) as caught:
        mk.load_motion(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "version"),
    [("EXT_meshopt_compression", 0), ("KHR_meshopt_compression", 0), ("KHR_meshopt_compression", 1)],
)
def test_a_compressed_file_has_the_numbers_of_the_plain_one(tmp_path: Path, name: str, version: int) -> None:
    expected = mk.load_motion(plain().write(tmp_path / "plain.glb"))
    path = write(tmp_path / "small.glb", *compressed(plain(), name, version))
    motion = mk.load_motion(path)
    assert (motion.poses == expected.poses).all()
    assert (motion.times == expected.times).all()
    assert mk.load_figure(path).segments == expected.figure.segments
    assert mk.load_figure(path, safe=True).segments == expected.figure.segments


def test_a_motion_is_saved_into_a_compressed_file(tmp_path: Path) -> None:
    path = write(tmp_path / "small.glb", *compressed(plain()))
    motion = mk.load_motion(path)
    edited = motion.replaced(poses=motion.poses[::-1])
    mk.save(edited, tmp_path / "out.glb", like=path)
    assert np.allclose(mk.load_motion(tmp_path / "out.glb").poses, edited.poses, atol=1e-6)


def test_bytes_of_the_reference_decoder() -> None:
    """The first vector of js/meshopt_decoder.test.js of meshoptimizer: four elements of 12 bytes."""
    pytest.importorskip("meshopt")
    from manikin.files.gltf import meshopt
    from manikin.files.gltf.buffers import Buffer
    from manikin.files.gltf.document import Document

    encoded = bytes.fromhex(
        "a0013f00000058575801260000000 10c00000058010800000000000000013f000000171817012600"
        "0000010c0000001701080000000000000000000000000000000000000000000000000000000000000000000000".replace(" ", "")
    ).ljust(85, b"\0")
    expected = np.array(
        [[0, 0, 0, 0, 0, 0], [300, 0, 0, 0, 500, 0], [0, 300, 0, 0, 0, 500], [300, 300, 0, 0, 500, 500]]
    )
    document, buffers = Document("a.glb", {}), [Buffer(len(encoded), encoded, None)]
    fields = {"buffer": 0, "byteLength": len(encoded), "byteStride": 12, "count": 4, "mode": "ATTRIBUTES"}
    part = meshopt.checked(document, buffers, fields, 48, "view 0")
    data = meshopt.decode(document, buffers, part, "view 0")
    assert (np.frombuffer(data, "<u2").reshape(4, 6) == expected).all()


def test_rotations_with_the_filter_for_quaternions(tmp_path: Path) -> None:
    """As gltfpack writes them: normalised 16-bit integers."""
    meshopt = pytest.importorskip("meshopt")
    turns = np.array([turn((1, 0.3, 0.2), 2.0 * k) for k in range(FRAMES)], np.float32)
    maker = Maker([{"name": "A", "children": [1]}, {"name": "B", "translation": [0, 1, 0]}]).skin([0, 1])
    values = maker.add(np.zeros((FRAMES, 4)), component=5122, normalized=True)
    times = maker.add([k / 30 for k in range(FRAMES)])
    maker.json["animations"] = [
        {
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
            "samplers": [{"input": times, "output": values, "interpolation": "LINEAR"}],
        }
    ]
    rows = meshopt.encode_filter_quat(turns, 8, 14)
    fields = {"byteStride": 8, "count": FRAMES, "mode": "ATTRIBUTES", "filter": "QUATERNION"}
    steps = np.arange(FRAMES, dtype=np.float32)[:, None] / np.float32(30)
    parts = [
        (fields, meshopt.encode_gltf_buffer(rows, "ATTRIBUTES")),
        ({"byteStride": 4, "count": FRAMES, "mode": "ATTRIBUTES"}, meshopt.encode_gltf_buffer(steps, "ATTRIBUTES")),
    ]
    path = write(tmp_path / "quat.glb", *root_of(maker, parts, "EXT_meshopt_compression"))
    motion = mk.load_motion(path)
    assert len(motion) == FRAMES
    found = motion.placements()[:, motion.figure.segment_index("B"), :3, :3]
    expected = [mk.rotations.to_matrix(np.roll(t, 1)) for t in turns.astype(float)]
    assert np.abs(found - expected).max() < 1e-3
    assert np.abs(found[-1] - found[0]).max() > 0.5


def test_without_the_package_the_message_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "small.glb", *compressed(plain()))
    monkeypatch.setitem(sys.modules, "meshopt", None)
    said = refused(path, Unsupported)
    assert "the package 'meshopt' is not installed; run pip install 'manikin[files]'" in said
    assert "gltf-transform copy in.glb out.glb" in said


def test_the_package_is_imported_only_for_a_compressed_file(tmp_path: Path) -> None:
    path = plain().write(tmp_path / "plain.glb")
    code = f"import sys, manikin as mk; mk.load_motion({str(path)!r}); print('meshopt' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"buffer": 7}, "buffer is 7; it needs a whole number from 0 to 1"),
        ({"buffer": 1}, "buffer 1 has no bytes"),
        ({"byteOffset": 10**9}, "but buffer 0 has"),
        ({"byteLength": 10**12}, "but buffer 0 has"),
        ({"count": 0}, "count is 0"),
        ({"count": -1}, "count is -1"),
        ({"count": 10**12}, "but the view has 640"),
        ({"count": 2**62}, "count is 4611686018427387904; it needs a whole number from 1 to"),
        ({"byteStride": 0}, "byteStride is 0"),
        ({"byteStride": 257}, "byteStride is 257"),
        ({"byteStride": 10, "count": 64}, "it needs a multiple of 4"),
        ({"mode": "TRIANGLES"}, "byteStride is 16; with mode TRIANGLES and filter NONE it needs 2 or 4"),
        ({"mode": "TRIANGLES", "byteStride": 4, "count": 160}, "it needs a multiple of 3"),
        ({"mode": "ZIP"}, "mode is 'ZIP'; it needs one of ATTRIBUTES"),
        ({"mode": None}, "mode needs a string"),
        ({"filter": "BLUR"}, "filter is 'BLUR'; it needs one of NONE"),
        ({"filter": "QUATERNION"}, "byteStride is 16; with mode ATTRIBUTES and filter QUATERNION it needs 8"),
        ({"byteLength": 5}, "are damaged"),
        ({"byteOffset": 1}, "are damaged"),
        ({"mode": "INDICES", "byteStride": 4, "count": 160}, "are damaged"),
    ],
)
def test_wrong_fields_are_named(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    root, binary = compressed(plain())
    root["bufferViews"][2]["extensions"]["EXT_meshopt_compression"].update(fields)
    said = refused(write(tmp_path / "bad.glb", root, binary))
    assert message in said
    assert "view 2" in said


def test_few_bytes_do_not_become_many(tmp_path: Path) -> None:
    """A view of a thousand million elements is refused before memory is allocated."""
    root, binary = compressed(plain())
    view, accessor = root["bufferViews"][2], root["accessors"][2]
    count = 10**9
    view["byteLength"], accessor["count"] = 16 * count, count
    root["buffers"][1]["byteLength"] = 16 * count + 10_000
    view["extensions"]["EXT_meshopt_compression"]["count"] = count
    assert "more than a file of this size can hold" in refused(write(tmp_path / "many.glb", root, binary))
    accessor["count"] = FRAMES
    assert "compressed bytes cannot hold 16000000000 bytes" in refused(write(tmp_path / "many.glb", root, binary))


def test_an_accessor_does_not_reach_beyond_the_decoded_view(tmp_path: Path) -> None:
    root, binary = compressed(plain())
    for change in ({"count": FRAMES + 1}, {"byteOffset": 16}):
        accessors = [dict(a) for a in root["accessors"]]
        accessors[2].update(change)
        said = refused(write(tmp_path / "beyond.glb", root | {"accessors": accessors}, binary))
        assert "accessor 2" in said
        assert "view 2 has 640" in said


@given(rng=rngs(), how=st.sampled_from(["cut", "changed", "random"]))
def test_damaged_bytes_are_one_error_or_numbers(tmp_path_factory: pytest.TempPathFactory, rng: Any, how: str) -> None:
    root, binary = compressed(plain())
    data = bytearray(binary)
    if how == "cut":
        keep = int(rng.integers(4, len(data)))
        data = data[:keep] + bytes(len(data) - keep)
    elif how == "changed":
        for _ in range(int(rng.integers(1, 20))):
            data[rng.integers(len(data))] = rng.integers(256)
    else:
        data[:] = rng.bytes(len(data))
    path = write(tmp_path_factory.mktemp("damaged") / "a.glb", root, bytes(data))
    with contextlib.suppress(BadFile):
        assert np.isfinite(mk.load_motion(path).poses).all()
