"""Published measures of the human body, as numbers: lengths, masses, ranges of motion. `human` is built from these.

Each table names its source. Some numbers come from secondary copies of the tables, because the original was not
available; the numbers agree with these copies. Values marked *chosen* have no source and were set by eye.

[DrillisContini1966] R. Drillis, R. Contini, "Body segment parameters", Technical Report 1166.03, New York University,
    1966, as reproduced in D. A. Winter, "Biomechanics and Motor Control of Human Movement", 4th ed., 2009, figure 4.1.
[deLeva1996] P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29, 1996,
    table 4, men.
[BuryanovKotiuk2010] A. Buryanov, V. Kotiuk, "Proportions of hand segments", Int. J. Morphology 28, 2010.
[Youm1978] Y. Youm, R. Y. McMurtry, A. E. Flatt, T. E. Gillespie, "Kinematics of the wrist I", J. Bone Joint Surg. 60-A,
    1978: height of the carpus over the length of the third metacarpal.
[Bell1989] A. L. Bell, R. A. Brand, D. R. Pedersen, "Prediction of hip joint centre location from external landmarks",
    Human Movement Science 8, 1989.
[WhitePanjabi1990] A. A. White, M. M. Panjabi, "Clinical Biomechanics of the Spine", 2nd ed., 1990: representative
    ranges of motion of each level.
[AAOS] American Academy of Orthopaedic Surgeons, "Joint Motion: Method of Measuring and Recording", as listed in
    C. C. Norkin, D. J. White, "Measurement of Joint Motion: A Guide to Goniometry", appendix A.
[RoaasAndersson1982] A. Roaas, G. B. J. Andersson, "Normal range of motion of the hip, knee and ankle joints in male
    subjects, 30-40 years of age", Acta Orthop. Scand. 53, 1982.
[Cooney1981] W. P. Cooney, M. J. Lucca, E. Y. S. Chao, R. L. Linscheid, "The kinesiology of the thumb trapeziometacarpal
    joint", J. Bone Joint Surg. 63-A, 1981.
[Neumann] D. A. Neumann, "Kinesiology of the Musculoskeletal System": elevation and protraction of the clavicle.
[LevangieNorkin] P. K. Levangie, C. C. Norkin, "Joint Structure and Function": rotation of the clavicle.
[Lee2019] W. J. Lee, J. H. Kim, Y. U. Shin, S. Hwang, H. W. Lim, "Differences in eye movement range based on age and
    gaze direction", Eye 33, 2019.
"""

from __future__ import annotations

from dataclasses import dataclass

STATURE = {
    "ankle": 0.039,
    "knee": 0.285,
    "hip": 0.530,
    "shoulder": 0.818,
    "chin": 0.870,
    "eye": 0.936,
    "upper arm": 0.186,
    "forearm": 0.146,
    "hand": 0.108,
    "foot": 0.152,
    "foot breadth": 0.055,
    "shoulder breadth": 0.259,
    "hip breadth": 0.191,
    "chest breadth": 0.174,
}
"""Heights above the ground, lengths and breadths as fractions of the stature. [DrillisContini1966]"""

HIP_SPACING = 0.36 * 0.137
"""Half the distance between the hip joints, as a fraction of the stature. Each hip joint is inward of its anterior
superior iliac spine by 14 % of the distance between the two spines, so 36 % from the middle [Bell1989]. That distance
is 0.137 of the stature (chosen)."""

CARPUS = 0.54
"""Distance from the wrist joint to the base of the third metacarpal, as a fraction of the length of that metacarpal.
[Youm1978]"""


@dataclass(frozen=True)
class Ray:
    """The lengths of one finger, in millimetres. [BuryanovKotiuk2010]"""

    metacarpal: float
    phalanges: tuple[float, ...]
    """Proximal, (middle,) distal phalanx."""
    pad: float
    """Soft tissue beyond the last phalanx."""


RAYS = {
    "Thumb": Ray(46.22, (31.57, 21.67), 5.67),
    "Index": Ray(68.12, (39.78, 22.38, 15.82), 3.84),
    "Middle": Ray(64.60, (44.63, 26.33, 17.40), 3.95),
    "Ring": Ray(58.00, (41.37, 25.65, 17.30), 3.95),
    "Pinky": Ray(53.69, (32.57, 18.11, 15.96), 3.73),
}
"""The five fingers. [BuryanovKotiuk2010]"""


@dataclass(frozen=True)
class Inertia:
    """Mass and centre of mass of a body part. [deLeva1996]"""

    mass: float
    """Per cent of the body's mass."""
    center: float
    """Position of the centre of mass from the first end to the second, as a fraction of the length between them."""


INERTIA = {
    "head": Inertia(6.94, 0.5002),  # vertex to cervicale, neck included
    "upper trunk": Inertia(15.96, 0.2999),  # suprasternale to xiphion
    "middle trunk": Inertia(16.33, 0.4502),  # xiphion to omphalion
    "lower trunk": Inertia(11.17, 0.6115),  # omphalion to the middle of the hip joints
    "upper arm": Inertia(2.71, 0.5772),  # shoulder to elbow
    "forearm": Inertia(1.62, 0.4574),  # elbow to wrist
    "hand": Inertia(0.61, 0.7900),  # wrist to third knuckle
    "thigh": Inertia(14.16, 0.4095),  # hip to knee
    "shank": Inertia(4.33, 0.4459),  # knee to lateral malleolus
    "foot": Inertia(1.37, 0.4415),  # heel to tip of the longest toe
}
"""Values for men; arms and legs are for one side. With both sides they sum to 100. [deLeva1996]"""

TRUNK_LENGTHS = (0.1457, 0.2155, 0.1707)
"""Lengths of lower, middle and upper trunk in metres [deLeva1996]. Only their proportions are used: together they fill
the height from the hips to the shoulders."""

HEAD_LENGTH = 0.2429 / 1.741
"""Distance from vertex to cervicale as a fraction of the stature. [deLeva1996]"""


@dataclass(frozen=True)
class Level:
    """Range of motion between two neighbouring vertebrae, degrees. [WhitePanjabi1990]"""

    bending: float
    """Flexion and extension together."""
    side: float
    """Lateral bending to one side."""
    turning: float
    """Axial rotation to one side."""


LEVELS = {
    "C0-C1": Level(25, 5, 5),
    "C1-C2": Level(20, 5, 40),
    "C2-C3": Level(10, 10, 3),
    "C3-C4": Level(15, 11, 7),
    "C4-C5": Level(20, 11, 7),
    "C5-C6": Level(20, 8, 7),
    "C6-C7": Level(17, 7, 6),
    "C7-T1": Level(9, 4, 2),
    "T1-T2": Level(4, 5, 9),
    "T2-T3": Level(4, 6, 8),
    "T3-T4": Level(4, 5, 8),
    "T4-T5": Level(4, 6, 8),
    "T5-T6": Level(4, 6, 8),
    "T6-T7": Level(5, 6, 7),
    "T7-T8": Level(6, 6, 7),
    "T8-T9": Level(6, 6, 6),
    "T9-T10": Level(6, 6, 4),
    "T10-T11": Level(9, 7, 2),
    "T11-T12": Level(12, 9, 2),
    "T12-L1": Level(12, 8, 2),
    "L1-L2": Level(12, 6, 2),
    "L2-L3": Level(14, 6, 2),
    "L3-L4": Level(15, 8, 2),
    "L4-L5": Level(16, 6, 2),
    "L5-S1": Level(17, 3, 1),
}
"""Every level of the spine, top to bottom. [WhitePanjabi1990]"""

RANGES = {
    "clavicle elevation": 45.0,  # [Neumann]
    "clavicle depression": 10.0,  # [Neumann]
    "clavicle protraction": 30.0,  # [Neumann]
    "clavicle retraction": 30.0,  # [Neumann]
    "clavicle back roll": 50.0,  # [LevangieNorkin] posterior rotation
    "clavicle fore roll": 10.0,  # [LevangieNorkin] anterior rotation
    "shoulder elevation": 180.0,  # [AAOS] flexion, abduction
    "shoulder extension": 60.0,  # [AAOS]
    "shoulder inward": 70.0,  # [AAOS]
    "shoulder outward": 90.0,  # [AAOS]
    "shoulder across": 135.0,  # [AAOS] horizontal adduction
    "shoulder behind": 45.0,  # [AAOS] horizontal abduction
    "elbow flexion": 150.0,  # [AAOS]
    "pronation": 80.0,  # [AAOS]
    "supination": 80.0,  # [AAOS]
    "wrist flexion": 80.0,  # [AAOS]
    "wrist extension": 70.0,  # [AAOS]
    "wrist radial": 20.0,  # [AAOS]
    "wrist ulnar": 30.0,  # [AAOS]
    "knuckle flexion": 90.0,  # [AAOS] metacarpophalangeal, fingers
    "knuckle extension": 45.0,  # [AAOS]
    "knuckle spread": 20.0,  # [AAOS]
    "middle finger joint": 100.0,  # [AAOS] proximal interphalangeal flexion
    "last finger joint": 90.0,  # [AAOS] distal interphalangeal flexion
    "thumb base flexion": 53.0,  # [Cooney1981] flexion and extension together
    "thumb base spread": 42.0,  # [Cooney1981] abduction and adduction together
    "thumb middle flexion": 50.0,  # [AAOS] metacarpophalangeal
    "thumb last flexion": 80.0,  # [AAOS] interphalangeal
    "thumb last extension": 20.0,  # [AAOS]
    "hip flexion": 120.0,  # [AAOS], [RoaasAndersson1982]
    "hip extension": 30.0,  # [AAOS]
    "hip abduction": 45.0,  # [AAOS]
    "hip adduction": 30.0,  # [AAOS]
    "hip inward": 45.0,  # [AAOS]
    "hip outward": 45.0,  # [AAOS]
    "knee flexion": 144.0,  # [RoaasAndersson1982]
    "ankle up": 20.0,  # [AAOS] dorsiflexion
    "ankle down": 50.0,  # [AAOS] plantar flexion
    "ankle inward": 35.0,  # [AAOS] inversion
    "ankle outward": 15.0,  # [AAOS] eversion
    "toes up": 70.0,  # [AAOS] first metatarsophalangeal extension
    "toes down": 45.0,  # [AAOS]
    "eye outward": 44.2,  # [Lee2019] abduction
    "eye inward": 44.9,  # [Lee2019] adduction
    "eye up": 27.9,  # [Lee2019] elevation
    "eye down": 47.1,  # [Lee2019] depression
}
"""Ranges of motion in degrees from the anatomical zero."""
