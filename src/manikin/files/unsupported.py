"""Formats that are not read, and how to convert each to one that is."""

from __future__ import annotations

_BLENDER = "open it in Blender and export it as .glb"

WAYS = {
    ".3ds": f"3DS: {_BLENDER}",
    ".abc": "Alembic holds moved surfaces without joints; export .usd, .fbx or .glb from the program it came from",
    ".amc": "Acclaim's AMC and ASF: `amc2bvh skeleton.asf motion.amc -o motion.bvh` makes a BVH of the pair; the CMU "
    "library is published as BVH too",
    ".anim": "Unity's own: export the character as .fbx or .glb",
    ".asf": "Acclaim's ASF and AMC: `amc2bvh skeleton.asf motion.amc -o motion.bvh` makes a BVH of the pair",
    ".blend": f"Blender's own: {_BLENDER} (File, Export, glTF 2.0)",
    ".dae": f"Collada: {_BLENDER}",
    ".gz": "compressed: unpack it first",
    ".ma": "Maya's own: export .usd or .fbx from Maya",
    ".max": "3ds Max's own: export .usd or .fbx from 3ds Max",
    ".mb": "Maya's own: export .usd or .fbx from Maya",
    ".mot": "OpenSim's motions need their model, which is not read; markers are read from .c3d and .trc",
    ".obj": "OBJ holds a surface without joints; rig it in Blender and export it as .glb",
    ".osim": "OpenSim: myoconverter makes MJCF (.xml) of it",
    ".pkl": "pickles can run any code and are never opened; save figures as .json and motions as .bvh or .glb",
    ".ply": "PLY holds a surface without joints; rig it in Blender and export it as .glb",
    ".pmd": "MikuMikuDance: open it in Blender with mmd_tools and export it as .glb",
    ".pmx": "MikuMikuDance: open it in Blender with mmd_tools and export it as .glb",
    ".sdf": "SDF: `sdf2mjcf model.sdf model.xml` (pip install sdformat-mjcf) makes MJCF of it",
    ".stl": "STL holds a surface without joints; rig it in Blender and export it as .glb",
    ".sto": "OpenSim's results need their model, which is not read; markers are read from .c3d and .trc",
    ".tsv": "tables of markers: export .c3d or .trc from the program that recorded them",
    ".vmd": "MikuMikuDance: open it in Blender with mmd_tools and export it as .glb",
    ".vsk": "Vicon's own: export .bvh or .fbx from the Vicon program",
    ".x": f"DirectX: {_BLENDER}",
    ".x3d": f"X3D: {_BLENDER}",
    ".xacro": "xacro: expand it first (xacro robot.urdf.xacro > robot.urdf)",
    ".zip": "an archive: unpack it first",
}
"""A description and advice for each extension, in lower case."""
INSTEAD = {"FBX": _BLENDER, "USD": "export it as .glb or .bvh from the program it came from"}
"""Advice by format name (USD for all of its extensions), if the package that reads the format is not installed."""
