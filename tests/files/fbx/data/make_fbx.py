"""Makes the FBX files of these tests with Blender, and records where Blender itself has the joints.

    python make_fbx.py        (Python 3.11 with bpy 5.0; needs no display)

For each case: NAME.fbx, and in fbx.json the placement of every joint in the world of Blender (z up, metres) at rest and
at each frame of each clip.
"""

import json
import random
from pathlib import Path

import bpy
from mathutils import Quaternion, Vector

HERE = Path(__file__).parent
FPS = 24
BONES = [  # name, parent, head, tail, roll
    ("Hips", None, (0.0, 0.0, 1.0), (0.0, 0.05, 1.2), 0.3),
    ("Upper.Arm.L", "Hips", (0.2, 0.0, 1.3), (0.5, 0.0, 1.25), 0.2),
    ("Hand L", "Upper.Arm.L", (0.5, 0.0, 1.25), (0.8, 0.02, 1.2), -0.4),
]
CLIPS = {"Walk": (1, 3, 6), "Jump": (4, 7)}
PLACED = {"scale": (2.5, 2.5, 2.5), "location": (1, 2, 3), "rotation_euler": (0.3, -0.2, 0.5)}
Z_UP = {"axis_forward": "Y", "axis_up": "Z", "apply_scale_options": "FBX_SCALE_UNITS"}
CASES = {  # how many bones, which clips, how the armature is placed, how it is written
    "rig": (3, ["Walk"], PLACED, {}),  # with a skin
    "rig_z_up": (2, ["Walk", "Jump"], {}, Z_UP),  # without
}


def armature(count, placed):
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail, roll in BONES[:count]:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = head, tail, roll
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="POSE")
    for key, value in placed.items():
        setattr(rig, key, value)
    return rig


def skin(rig):
    """One triangle that all bones move: with it the file says how the bones rest."""
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([(0, 0, 1), (0.5, 0, 1), (0, 0, 1.5)], [], [(0, 1, 2)])
    thing = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(thing)
    thing.parent = rig
    thing.modifiers.new("Armature", "ARMATURE").object = rig
    for bone in rig.data.bones:
        thing.vertex_groups.new(name=bone.name).add(range(3), 1.0, "REPLACE")


def clip(rig, name, frames, seed):
    """Turns of all bones; the hips and the hand are moved along, too."""
    rng = random.Random(seed)
    action = bpy.data.actions.new(name)
    rig.animation_data_create().action = action
    for frame in frames:
        for bone in rig.pose.bones:
            bone.rotation_mode = "QUATERNION"
            axis = Vector([rng.uniform(-1, 1) for _ in range(3)]).normalized()
            bone.rotation_quaternion = Quaternion(axis, rng.uniform(-0.8, 0.8))
            bone.keyframe_insert("rotation_quaternion", frame=frame)
            if bone.name != "Upper.Arm.L":
                bone.location = [rng.uniform(-0.2, 0.2) for _ in range(3)]
                bone.keyframe_insert("location", frame=frame)
    return action


def matrices(rig, bones):
    return {name: [list(row) for row in rig.matrix_world @ matrix] for name, matrix in bones}


def case(name, count, clips, placed, options):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, 1, 6
    rig = armature(count, placed)
    if name == "rig":
        skin(rig)
    actions = {n: clip(rig, n, CLIPS[n], seed) for seed, n in enumerate(clips)}
    bpy.context.view_layer.update()
    truth = {"rest": matrices(rig, [(b.name, b.matrix_local) for b in rig.data.bones]), "clips": {}}
    for n, action in actions.items():
        rig.animation_data.action = action
        rig.animation_data.action_slot = action.slots[0]
        truth["clips"][n] = []
        for frame in range(min(CLIPS[n]), max(CLIPS[n]) + 1):
            scene.frame_set(frame)
            truth["clips"][n].append(matrices(rig, [(b.name, b.matrix) for b in rig.pose.bones]))
    bpy.ops.export_scene.fbx(
        filepath=str(HERE / f"{name}.fbx"),
        add_leaf_bones=False,
        bake_anim_use_nla_strips=False,
        bake_anim_simplify_factor=0.0,
        **options,
    )
    return truth


if __name__ == "__main__":
    truths = {name: case(name, *how) for name, how in CASES.items()}
    (HERE / "fbx.json").write_text(json.dumps({"fps": FPS, "cases": truths}) + "\n")
