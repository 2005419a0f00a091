"""Contacts of three clips on which the detector was never looked at, labelled by hand.

The clips are trials of the CMU motion capture database (converted to BVH; they are not in the data folder): 16_35 and
35_17 (run/jog, subjects 16 and 35) and 07_01 (walk, subject 7). They were labelled as those of `contact_labels`: from
plots of the height and the horizontal speed of the four sole points, with a line for each frame, and from stick figures
of every fourth frame or so. The labels were committed before `mk.contacts` was run on these clips.

A heel is on the floor from the frame in which it is low and slower than about 600 mm/s (heels of runners slip when they
land) until it is about 15 mm above its resting height in that step. A toe point is on the floor from the frame in which
it is low and slower than about 300 mm/s until it is about 10 mm above its resting height in that step, or faster than
300 mm/s. The floor of 07_01 rises by 30 mm from step to step. The edges are uncertain by about two frames.

Intervals are (first frame, last frame), both included. Frame 0 of each clip is a T-pose and does not count.
"""

from __future__ import annotations

UNSEEN: dict[str, dict[str, list[tuple[int, int]]]] = {
    "16_35": {
        "left toe": [(6, 24), (104, 119)],
        "left heel": [(6, 21), (104, 116)],
        "right toe": [(55, 71), (151, 162)],
        "right heel": [(55, 68), (151, 162)],
    },
    "35_17": {
        "left toe": [(36, 51), (126, 142)],
        "left heel": [(36, 47), (129, 138)],
        "right toe": [(1, 8), (81, 95)],
        "right heel": [(1, 5), (80, 93)],
    },
    "07_01": {
        "left toe": [(1, 5), (66, 121), (197, 251)],
        "left heel": [(58, 116), (189, 245)],
        "right toe": [(3, 59), (132, 189), (262, 316)],
        "right heel": [(1, 41), (124, 166), (253, 293)],
    },
}

WALKS: dict[str, dict[str, list[tuple[int, int]]]] = {
    "08_01": {
        "left toe": [(1, 25), (91, 145), (211, 267)],
        "left heel": [(83, 121), (204, 243)],
        "right toe": [(30, 82), (149, 202), (270, 277)],
        "right heel": [(22, 56), (141, 183), (263, 277)],
    },
    "39_01": {
        "left toe": [(29, 79), (152, 198), (277, 326)],
        "left heel": [(21, 66), (144, 191), (268, 315)],
        "right toe": [(1, 21), (87, 139), (212, 265), (338, 378)],
        "right heel": [(1, 12), (82, 127), (206, 253), (330, 378)],
    },
}
"""Walks of subjects 8 and 39, labelled in the same way, but from plots alone. The resting height of a heel is that of
the frames in which the foot is flat: it lands up to 20 mm lower. The floor of 08_01 rises by 30 to 40 mm from step to
step of a foot, that of 39_01 falls by up to 17 mm. At the beginning of 08_01 the left heel has already left the
floor."""
