"""Natural poses: predicts the pose of a whole body from a few of its effectors. See docs/design/natural.md.

`start` has the public function, `mk.natural_pose`.
"""

NATURAL = "natural"
"""The value of `start` or `prefer` that means a natural start."""
