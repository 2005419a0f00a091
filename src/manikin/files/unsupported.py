"""Formats that are not read, and how to convert each to one that is."""

from __future__ import annotations

_BLENDER = "open it in Blender and export it as .glb"

WAYS = {
    ".3ds": f"3DS: {_BLENDER}",
    ".abc": "Alembic stores moving surfaces without joints; export .usd, .fbx or .glb from the program it came from",
    ".amc": "Acclaim's AMC and ASF: convert the pair to BVH with `amc2bvh skeleton.asf motion.amc -o "
    "motion.bvh`; the CMU library is also published as BVH",
    ".anim": "Unity: export the character as .fbx or .glb",
    ".asf": "Acclaim's ASF and AMC: convert the pair to BVH with `amc2bvh skeleton.asf motion.amc -o motion.bvh`",
    ".blend": f"Blender: {_BLENDER} (File, Export, glTF 2.0)",
    ".dae": f"Collada: {_BLENDER}",
    ".gz": "compressed: unpack it first",
    ".ma": "Maya: export .usd or .fbx from Maya",
    ".max": "3ds Max: export .usd or .fbx from 3ds Max",
    ".mb": "Maya: export .usd or .fbx from Maya",
    ".mot": "OpenSim motions need an OpenSim model, which cannot be read; markers can be read from .c3d and .trc",
    ".obj": "OBJ stores a surface without joints; rig it in Blender and export it as .glb",
    ".osim": "OpenSim: convert it to MJCF (.xml) with myoconverter; `manikin fit --attach` reads its marker set",
    ".pkl": "a pickle can run any code, so manikin never opens one; save figures as .json and motions as .bvh or .glb",
    ".ply": "PLY stores a surface without joints; rig it in Blender and export it as .glb",
    ".pmd": "MikuMikuDance: open it in Blender with mmd_tools and export it as .glb",
    ".pmx": "MikuMikuDance: open it in Blender with mmd_tools and export it as .glb",
    ".sdf": "SDF: convert it to MJCF with `sdf2mjcf model.sdf model.xml` (pip install sdformat-mjcf)",
    ".stl": "STL stores a surface without joints; rig it in Blender and export it as .glb",
    ".sto": "OpenSim results need an OpenSim model, which cannot be read; markers can be read from .c3d and .trc",
    ".tsv": "tables of markers: export .c3d or .trc from the program that recorded them",
    ".vmd": "MikuMikuDance: open it in Blender with mmd_tools and export it as .glb",
    ".vsk": "Vicon: export .bvh or .fbx from the Vicon program",
    ".x": f"DirectX: {_BLENDER}",
    ".x3d": f"X3D: {_BLENDER}",
    ".xacro": "xacro: expand it first (xacro robot.urdf.xacro > robot.urdf)",
    ".zip": "an archive: unpack it first",
}
"""A description and advice for each extension, in lower case."""
INSTEAD = {"FBX": _BLENDER, "USD": "export it as .glb or .bvh from the program it came from"}
"""Advice by format name (USD for all of its extensions), if the package that reads the format is not installed."""
