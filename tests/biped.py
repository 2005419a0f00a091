"""A two-legged robot as MJCF, written by hand: z is up, x is forward, every joint is a hinge with a range."""

from __future__ import annotations

THIGH, SHANK, SOLE = 0.35, 0.34, 0.06
"""Lengths of the leg, and the height of the ankle above the sole, in metres."""


def _side(side: str, y: float) -> tuple[str, str]:
    """A leg and an arm. y is +1 on the left."""
    leg = f"""
      <body name="{side}_hip_pitch_link" pos="0 {0.08 * y} 0">
        <joint name="{side}_hip_pitch" axis="0 1 0" range="-110 60"/><geom type="sphere" size="0.03"/>
        <body name="{side}_hip_roll_link">
          <joint name="{side}_hip_roll" axis="1 0 0" range="-40 40"/><geom type="sphere" size="0.03"/>
          <body name="{side}_hip_yaw_link">
            <joint name="{side}_hip_yaw" axis="0 0 1" range="-60 60"/>
            <geom type="capsule" fromto="0 0 -0.05 0 0 -0.3" size="0.04"/>
            <body name="{side}_knee_link" pos="0 0 {-THIGH}">
              <joint name="{side}_knee" axis="0 1 0" range="0 140"/>
              <geom type="capsule" fromto="0 0 -0.05 0 0 -0.28" size="0.035"/>
              <body name="{side}_ankle_pitch_link" pos="0 0 {-SHANK}">
                <joint name="{side}_ankle_pitch" axis="0 1 0" range="-50 40"/><geom type="sphere" size="0.02"/>
                <body name="{side}_ankle_roll_link">
                  <joint name="{side}_ankle_roll" axis="1 0 0" range="-25 25"/>
                  <geom type="box" pos="0.04 0 {-SOLE + 0.015}" size="0.1 0.04 0.015"/>
                </body>
              </body>
            </body>
          </body>
        </body>
      </body>"""
    arm = f"""
        <body name="{side}_shoulder_pitch_link" pos="0 {0.16 * y} 0.33">
          <joint name="{side}_shoulder_pitch" axis="0 1 0" range="-170 120"/><geom type="sphere" size="0.03"/>
          <body name="{side}_shoulder_roll_link">
            <joint name="{side}_shoulder_roll" axis="1 0 0" range="-150 150"/><geom type="sphere" size="0.03"/>
            <body name="{side}_shoulder_yaw_link">
              <joint name="{side}_shoulder_yaw" axis="0 0 1" range="-140 140"/>
              <geom type="capsule" fromto="0 0 -0.04 0 0 -0.2" size="0.03"/>
              <body name="{side}_elbow_link" pos="0 0 -0.24">
                <joint name="{side}_elbow" axis="0 1 0" range="-140 0"/>
                <geom type="capsule" fromto="0 0 -0.04 0 0 -0.18" size="0.025"/>
                <body name="{side}_hand_link" pos="0 0 -0.22">
                  <joint name="{side}_wrist" axis="0 0 1" range="-90 90"/><geom type="sphere" size="0.03"/>
                </body>
              </body>
            </body>
          </body>
        </body>"""
    return leg, arm


def mjcf_text() -> str:
    """The robot, which stands at rest with straight legs and hanging arms."""
    (left_leg, left_arm), (right_leg, right_arm) = _side("left", 1.0), _side("right", -1.0)
    return f"""<mujoco model="biped">
  <compiler angle="degree" autolimits="true"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="pelvis" pos="0 0 {THIGH + SHANK + SOLE}">
      <freejoint name="floating"/><geom type="box" size="0.06 0.08 0.05"/>{left_leg}{right_leg}
      <body name="torso_link" pos="0 0 0.06">
        <joint name="waist_yaw" axis="0 0 1" range="-90 90"/>
        <geom type="box" pos="0 0 0.18" size="0.07 0.12 0.15"/>{left_arm}{right_arm}
        <body name="head_link" pos="0 0 0.4">
          <joint name="neck_yaw" axis="0 0 1" range="-60 60"/><geom type="sphere" pos="0 0 0.1" size="0.09"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
