"""Materials and pictures of a glTF file for `display`. Pictures are decoded and encoded again, in a bounded size."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.arrays import Matrix
from manikin.base.reading import read_bytes
from manikin.errors import ManikinError
from manikin.files.gltf.accessors import Accessors
from manikin.files.gltf.buffers import beside, from_data_uri, is_data
from manikin.files.gltf.builder import Arrays
from manikin.files.gltf.document import Document

MOST_PIXELS = 4096
"""Largest width and height of a picture in the new file. Larger ones are reduced."""
MOST_DECODED = 16384 * 16384
"""Largest number of pixels of a picture that is decoded."""
MOST_BYTES = 256 * 2**20
"""Largest encoded picture that is read, in bytes."""
QUALITY = 90
"""Quality of JPEG pictures, of 100."""
FORMATS = ("PNG", "JPEG", "WEBP")
"""Formats of pictures that are decoded."""


@dataclass(frozen=True)
class Placing:
    """Where a picture lies on a mesh."""

    set: int
    """The number of the attribute TEXCOORD."""
    offset: tuple[float, ...] = (0.0, 0.0)
    scale: tuple[float, ...] = (1.0, 1.0)
    rotation: float = 0.0

    def moved(self, flat: Matrix) -> Matrix:
        """(n, 2) coordinates with the transform of KHR_texture_transform."""
        c, s = np.cos(self.rotation), np.sin(self.rotation)
        turned = flat * self.scale @ np.array([[c, s], [-s, c]]).T
        return np.asarray(turned + self.offset)


class Looks:
    """Materials of the new file. Only the base colour, metal and roughness are kept."""

    def __init__(self, document: Document, accessors: Accessors, arrays: Arrays) -> None:
        self.document, self.accessors, self.arrays = document, accessors, arrays
        self.notes: list[str] = []
        self._materials: list[dict[str, Any]] = []
        self._images: list[dict[str, Any]] = []
        self._made: dict[int, int] = {}
        self._pictures: dict[int, int | None] = {}

    def root(self) -> dict[str, Any]:
        """The lists for the JSON of the new file."""
        lists: dict[str, list[dict[str, Any]]] = {"materials": self._materials, "images": self._images}
        if self._images:
            lists["samplers"] = [{"magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497}]
            lists["textures"] = [{"source": k, "sampler": 0} for k in range(len(self._images))]
        return {name: things for name, things in lists.items() if things}

    def material(self, primitive: dict[str, Any], label: str) -> tuple[int | None, Placing | None]:
        """The material of a primitive in the new file, and where its picture lies."""
        document = self.document
        things = document.objects("materials")
        index = document.index(primitive, "material", label, len(things))
        if index is None:
            return None, None
        thing, name = things[index], f"material {index}"
        metal = document.object(thing, "pbrMetallicRoughness", name)
        look = document.object(metal, "baseColorTexture", name)
        placing = self._placing(look, name) if look else None
        if index not in self._made:
            self._made[index] = len(self._materials)
            self._materials.append(self._material(thing, metal, look, name))
        return self._made[index], placing

    def _material(
        self, thing: dict[str, Any], metal: dict[str, Any], look: dict[str, Any], label: str
    ) -> dict[str, Any]:
        document = self.document
        plain: dict[str, Any] = {"baseColorFactor": self._parts(metal, "baseColorFactor", label, 4, (1.0,) * 4)}
        for key in ("metallicFactor", "roughnessFactor"):
            plain[key] = self._parts({key: [metal.get(key, 1.0)]}, key, label, 1, (1.0,))[0]
        picture = self._picture(look, label) if look else None
        if picture is not None:
            plain["baseColorTexture"] = {"index": picture}
        out: dict[str, Any] = {"pbrMetallicRoughness": plain}
        mode = document.text(thing, "alphaMode", label)
        if mode in ("MASK", "BLEND"):
            out["alphaMode"] = mode
        if mode == "MASK":
            out["alphaCutoff"] = self._parts(
                {"alphaCutoff": [thing.get("alphaCutoff", 0.5)]}, "alphaCutoff", label, 1, (0.5,)
            )[0]
        if thing.get("doubleSided") is True:
            out["doubleSided"] = True
        return out

    def _parts(
        self, owner: dict[str, Any], key: str, label: str, count: int, default: tuple[float, ...]
    ) -> list[float]:
        found = self.document.numbers(owner, key, label, count)
        return np.clip(default if found is None else found, 0.0, 1.0).tolist()  # type: ignore[no-any-return]

    def _placing(self, look: dict[str, Any], label: str) -> Placing:
        document = self.document
        extension = document.object(document.object(look, "extensions", label), "KHR_texture_transform", label)
        which = document.whole(look, "texCoord", label, below=16, default=0)
        if not extension:
            return Placing(which)
        turn = document.numbers({"rotation": [extension.get("rotation", 0.0)]}, "rotation", label, 1) or (0.0,)
        return Placing(
            document.whole(extension, "texCoord", label, below=16, default=which),
            document.numbers(extension, "offset", label, 2) or (0.0, 0.0),
            document.numbers(extension, "scale", label, 2) or (1.0, 1.0),
            turn[0],
        )

    def _picture(self, look: dict[str, Any], label: str) -> int | None:
        """The picture of a material in the new file; None if it cannot be read."""
        document = self.document
        try:
            textures, images = document.objects("textures"), document.objects("images")
            texture = textures[document.whole(look, "index", label, below=len(textures))]
            webp = document.object(document.object(texture, "extensions", label), "EXT_texture_webp", label)
            index = document.index(webp or texture, "source", label, len(images))
            if index is None:
                return None
            if index not in self._pictures:
                self._pictures[index] = None
                encoded, kind = encoded_again(self._bytes(images[index], f"image {index}"))
                self._images.append({"bufferView": self.arrays.add_bytes(encoded), "mimeType": kind})
                self._pictures[index] = len(self._images) - 1
            return self._pictures[index]
        except (ManikinError, ImportError, OSError, ValueError, SyntaxError, MemoryError) as error:
            self.notes.append(f"{label}: its picture is left out: {error}")
            return None

    def _bytes(self, image: dict[str, Any], label: str) -> bytes:
        document = self.document
        view = document.index(image, "bufferView", label, len(document.objects("bufferViews")))
        if view is not None:
            return self.accessors.view_bytes(view)
        uri = document.text(image, "uri", label)
        if is_data(uri):
            return from_data_uri(document, uri, label)
        path = beside(document, uri)
        if path.stat().st_size > MOST_BYTES:
            document.fail(f"{label} is larger than {MOST_BYTES // 2**20} MB")
        return read_bytes(path)


def encoded_again(data: bytes) -> tuple[bytes, str]:
    """A picture as PNG (with transparency) or JPEG, and its MIME type. It has at most MOST_PIXELS in each direction.

    Raises:
        ImportError: Pillow is not installed.
        OSError, ValueError: it is not a picture, or has too many pixels.
    """
    from PIL import Image

    with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
        width, height = picture.size
        if width * height > MOST_DECODED:
            raise ValueError(f"it has {width} × {height} pixels, which is too many")
        seen: Image.Image = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    seen.thumbnail((MOST_PIXELS, MOST_PIXELS))
    out = io.BytesIO()
    if seen.mode == "RGBA":
        seen.save(out, "PNG")
        return out.getvalue(), "image/png"
    seen.save(out, "JPEG", quality=QUALITY)
    return out.getvalue(), "image/jpeg"
