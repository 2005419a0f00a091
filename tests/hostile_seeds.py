"""A good small file of every format that is read, for tests that break them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import manikin as mk
from manikin.errors import OddFile

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Left Leg
  {
    OFFSET 0.1 -0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -0.5 0
    }
  }
  JOINT Spine
  {
    OFFSET 0 0.5 0
    CHANNELS 2 Zrotation Yposition
  }
}
MOTION
Frames: 3
Frame Time: 0.0333
0 1 0 0 0 0 10 20 30 0 0.5
0 1.1 0 0 0 0 10.5 20 30 1e-3 0.5
0 1.2 0 90 -45 5.5 11 20 30 0 0.6
"""
URDF = """<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"><inertial><origin xyz="0 0 0.1" rpy="0 0.1 0"/><mass value="2.5"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="upper"><collision><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.05" length="0.4"/></geometry>
    </collision><visual><geometry><mesh filename="package://arm/upper.stl" scale="1 1 1"/></geometry></visual></link>
  <link name="lower"><collision><geometry><box size="0.1 0.1 0.3"/></geometry></collision></link>
  <link name="grip"><collision><geometry><sphere radius="0.04"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 0 1"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="10" velocity="2"/><dynamics damping="0.1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="1 0 1"/></joint>
  <joint name="slide" type="prismatic"><parent link="lower"/><child link="grip"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.04" effort="1" velocity="1"/>
    <mimic joint="shoulder" multiplier="0.5" offset="0.01"/></joint>
</robot>
"""
MJCF = """<mujoco model="arm">
  <compiler angle="degree" autolimits="true"/>
  <option timestep="0.002"/>
  <default>
    <joint damping="1"/>
    <default class="finger"><geom type="capsule" size="0.01"/><joint range="0 40"/></default>
  </default>
  <asset><mesh name="part" file="part.stl"/><texture name="t" type="2d" builtin="flat" width="8" height="8"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1"/>
    <body name="base" pos="0 0 0.5" euler="0 0 90">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.1 0.1" mass="2"/>
      <body name="upper" pos="0 0 0.3" quat="1 0 0.1 0">
        <joint name="shoulder" type="ball" range="0 80"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
        <body name="lower" pos="0.3 0 0">
          <joint name="elbow" type="hinge" axis="0 1 1" range="-10 120" ref="5"/>
          <joint name="slide" type="slide" axis="1 0 0" range="0 0.1"/>
          <geom type="sphere" size="0.05" class="finger"/>
          <site name="tip" pos="0.2 0 0"/>
          <body name="finger" pos="0.2 0 0" childclass="finger">
            <inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>
            <joint name="curl" axis="0 0 1"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint joint1="curl" joint2="elbow" polycoef="0 0.5 0 0 0"/>
    <connect body1="finger" body2="upper" anchor="0 0 0" active="false"/>
  </equality>
  <keyframe><key name="home" qpos="0 0 0.5 1 0 0 0 1 0 0 0 0 0 0"/></keyframe>
</mujoco>
"""


def _bvh(path: Path) -> None:
    path.write_text(BVH)


def _urdf(path: Path) -> None:
    path.write_text(URDF)


def _mjcf(path: Path) -> None:
    path.write_text(MJCF)


def _saved(thing: Callable[[], object]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OddFile)
            mk.save(thing(), path)  # type: ignore[arg-type]

    return write


def _arm() -> mk.Figure:
    return mk.Figure(
        "arm",
        [
            mk.Segment("Root", None, mk.Free(), mass=1.0),
            mk.Segment(
                "Upper", "Root", mk.Ball(mk.SwingTwist(swing=(1.0, 0.5), twist=(-1.0, 1.0))), offset=(0, 0.3, 0)
            ),
            mk.Segment("Lower", "Upper", mk.Euler("ZXY", ((-1, 1), (0, 2), (-1, 1))), offset=(0.3, 0, 0)),
            mk.Segment("Grip", "Lower", mk.Slider((1, 0, 0), (0, 0.1)), offset=(0.3, 0, 0)),
            mk.Segment("Tip", "Grip", offset=(0.1, 0, 0), shapes=mk.Capsule((0, 0, 0), (0.1, 0, 0), 0.02)),
        ],
    )


def _motion() -> mk.Motion:
    figure = _arm()
    return mk.Motion(figure, figure.random(np.random.default_rng(0), 4), rate=30, name="Wave")


def _markers() -> mk.Markers:
    positions = np.random.default_rng(0).normal(size=(5, 3, 3)).round(3)
    positions[2, 1] = np.nan
    return mk.Markers(["LASI", "RASI", "C7"], positions, rate=100, unit=0.001)


GOOD: dict[str, tuple[Callable[[Path], None], bool]] = {
    ".bvh": (_bvh, True),
    ".urdf": (_urdf, True),
    ".xml": (_mjcf, True),
    ".json": (_saved(_arm), True),
    ".trc": (_saved(_markers), True),
    ".c3d": (_saved(_markers), False),
}
"""By ending: how a good small file is made, and whether it is text."""
