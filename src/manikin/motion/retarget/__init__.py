"""Puts the motion of one figure on another: `mk.retarget`. The steps are in `retarget.py`, in order."""
