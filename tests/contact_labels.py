"""Contacts of three clips, labelled by hand.

The intervals were read off plots of the height and the horizontal speed of each sole point and each wrist. They were
committed before `mk.contacts` was compared with them, and were not changed afterwards. A heel is on the floor from
the frame in which it has stopped falling and slowed down until it is about 15 mm above its resting height. A toe point
(the ball of the foot) is on the floor until it rolls off: about 10 mm above its resting height, or faster than
300 mm/s. A hand is on the floor from the end of its fall until it rises or moves away; the wrist moves meanwhile.
The edges are uncertain by about two frames, those of hands by about ten.

Intervals are (first frame, last frame), both included. Frame 0 of each clip is a T-pose and does not count.
"""

from __future__ import annotations

LABELS: dict[str, dict[str, list[tuple[int, int]]]] = {
    "walk": {
        "left toe": [(12, 80), (148, 210), (278, 343)],
        "left heel": [(5, 62), (137, 195), (269, 325)],
        "right toe": [(1, 10), (80, 146), (213, 277)],
        "right heel": [(71, 131), (205, 259), (336, 343)],
    },
    "run": {
        "left toe": [(1, 15), (87, 102)],
        "left heel": [(1, 9), (87, 96)],
        "right toe": [(43, 59), (133, 148)],
        "right heel": [(44, 53), (134, 142)],
    },
    "cartwheel": {
        "left toe": [(1, 188), (303, 350), (449, 481)],
        "left heel": [(1, 163), (306, 391), (445, 481)],
        "right toe": [(1, 99), (169, 231), (374, 467)],
        "right heel": [(1, 93), (172, 214), (379, 462)],
        "left hand": [(228, 312)],
        "right hand": [(208, 283)],
    },
}
