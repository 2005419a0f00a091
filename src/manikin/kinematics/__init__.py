"""Kinematics on plain arrays: swing and twist, charts of limits, and distances between capsules and boxes."""
