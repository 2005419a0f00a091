"""Writes an existing glTF file again with an animation, as .gltf, .glb or .vrm.

The bytes of the file are unchanged. New bytes follow them: in a GLB at the end of the binary chunk, in a .gltf as a
separate buffer in a data URI. If the new file is in another folder, it includes the external buffers and images.
"""

from __future__ import annotations

import mimetypes
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manikin.base import writing
from manikin.base.reading import read_bytes
from manikin.errors import BadFile, BadValue
from manikin.files.common import oddities
from manikin.files.gltf import builder
from manikin.files.gltf.buffers import Buffer, beside, is_data, read_buffers
from manikin.files.gltf.builder import Arrays, data_uri
from manikin.files.gltf.document import Document, read
from manikin.files.gltf.figure import Source
from manikin.files.gltf.insert import insert
from manikin.motion.motion import Motion


def write_into(motion: Motion, path: str | os.PathLike[str], source: Source) -> None:
    """Writes the file of `source` with a motion.

    Raises:
        BadValue: the motion has another figure, a number does not fit into 32 bits, or the file exceeds 4 GiB.
    """
    document, buffers = source.document, source.accessors.buffers
    ending = Path(os.fsdecode(path)).suffix.lower()
    if ending == ".vrm" and source.humanoid is None:
        raise BadValue(f"{document.path} is not a VRM, so it cannot be saved as {os.fsdecode(path)}; save it as .glb")
    in_chunk = ending != ".gltf" and (not buffers or buffers[0].data is not None)
    length = buffers[0].length if in_chunk and buffers else 0
    arrays = Arrays(
        first_accessor=len(source.accessors),
        first_view=len(document.objects("bufferViews")),
        buffer=0 if in_chunk else len(buffers),
        start=length + -length % 4,
    )
    root = insert(motion, source, arrays)
    moved = os.path.realpath(Path(document.path).parent) != os.path.realpath(Path(os.fsdecode(path)).parent)
    if moved:
        _put_in_images(root, document)
    things = document.objects("buffers")
    root["buffers"] = [_placed(t, b, moved) for t, b in list(zip(things, buffers, strict=True))[1 if in_chunk else 0 :]]
    if in_chunk and (buffers or arrays.length):
        first = {k: v for k, v in (things[0] if things else {}).items() if k != "uri"}
        whole = arrays.start + arrays.length if arrays.length else length
        root["buffers"].insert(0, {**first, "byteLength": whole})
    elif arrays.length:
        root["buffers"].append({"byteLength": arrays.length, "uri": data_uri(arrays.pieces)})
    for key in ("accessors", "bufferViews", "buffers"):
        if not root[key]:
            del root[key]
    with writing.writing(path) as file:
        if ending == ".gltf":
            if document.chunks:
                oddities.warn(f"{document.path}: a .gltf cannot store its additional chunks; they are left out")
            file.write(builder.encoded(root, indent=2))
        else:
            binary = _binary(buffers, arrays) if in_chunk else iter(())
            file.writelines(builder.glb(root, binary, document.chunks))


def whole_gltf(path: str | os.PathLike[str], within: str | os.PathLike[str] | None = None) -> bytes:
    """A .gltf file with its buffers and images inside, so that it needs no other files.

    Raises:
        BadFile, Unsupported: as `manikin.load_figure`.
    """
    document = read(path, within)
    root = dict(document.root)
    _put_in_images(root, document)
    buffers = zip(document.objects("buffers"), read_buffers(document), strict=True)
    root["buffers"] = [_placed(thing, buffer, moved=True) for thing, buffer in buffers]
    return builder.encoded(root if root["buffers"] else document.root)


def _binary(buffers: list[Buffer], arrays: Arrays) -> Iterator[bytes]:
    """The binary chunk: the bytes of the file, then the new bytes."""
    if buffers:
        data, length = buffers[0].data or b"", buffers[0].length
        yield data[:length] + b"\0" * (-length % 4)
    yield from arrays.pieces


def _placed(thing: dict[str, Any], buffer: Buffer, moved: bool) -> dict[str, Any]:
    """A buffer with a URI that is valid in the new file."""
    outside = buffer.uri is not None and not is_data(buffer.uri)
    if buffer.data is None or (buffer.uri is not None and not (outside and moved)):
        return thing
    return {**thing, "uri": data_uri([buffer.data[: buffer.length]])}


def _put_in_images(root: dict[str, Any], document: Document) -> None:
    """Includes external images in the file."""
    images = [_put_in(image, document) for image in document.objects("images")]
    if images:
        root["images"] = images


def _put_in(image: dict[str, Any], document: Document) -> dict[str, Any]:
    uri = image.get("uri")
    if not isinstance(uri, str) or is_data(uri):
        return image
    kind = image.get("mimeType") or mimetypes.guess_type(uri)[0] or "application/octet-stream"
    try:
        return {**image, "uri": data_uri([read_bytes(beside(document, uri))], str(kind))}
    except (BadFile, OSError):
        oddities.warn(f"{document.path}: the image {uri!r} cannot be read; the new file still refers to it")
        return image
