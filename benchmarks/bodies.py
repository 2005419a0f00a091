"""Workloads of whole bodies: the built-in person, as a URDF file for all and in its own format; a humanoid robot."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import paths
from benchmarks.arms import data
from benchmarks.tree import Tree
from benchmarks.tree_files import from_json, from_urdf
from benchmarks.turns import Array
from benchmarks.workload import Workload, generator, targets_of

LENGTH, ANGLE = 1e-3, 1e-2
"""Tolerances of a solved target: 1 mm and 0.01 rad."""
HEAD, LIMBS = "Head", ("LeftHand", "RightHand", "LeftFoot", "RightFoot")
TIPS = tuple(f"{s}Hand{f}4" for s in ("Left", "Right") for f in ("Thumb", "Index", "Middle", "Ring", "Pinky"))
STEP = 0.01
"""Largest motion of an effector in metres per frame."""
PEERS = ("placo", "pink", "mink", "drake", "momentum", "scipy")
FOLLOWING = ("placo", "placo-blind", *PEERS[1:])


class Person:
    """The built-in person in two files, and the conversion of poses between them."""

    def __init__(self) -> None:
        import manikin as mk
        from manikin.figure.joint import Joint
        from manikin.files.urdf.expand import expanded

        self.figure = mk.human()
        self.expansion = expanded(self.figure)
        made = self.expansion.figure
        root = made.segments[0]
        fixed = made.replaced(segments=[root.replaced(joint=Joint(root.joint.name)), *made.segments[1:]])
        with tempfile.TemporaryDirectory() as folder:
            mk.save(fixed, Path(folder, "person.urdf"))
            self.urdf = from_urdf(Path(folder, "person.urdf"), root="free")
            mk.save(self.figure, Path(folder, "person.json"))
            self.json = Path(folder, "person.json").read_text()
            self.balls = from_json(Path(folder, "person.json"))
        self._columns = [*range(7), *(made.index_of(name) for name in self.urdf.joints)]
        self.urdf = Tree(tuple(replace(p, joint=f"{p.joint}_joint") for p in self.urdf.parts))  # not named like links

    def hinged(self, poses: Array) -> Array:
        """Converts poses of the person to poses of the URDF file. (B, 127) -> (B, 111)."""
        return self.expansion.pose(poses)[:, self._columns]

    def both(
        self, key: str, title: str, mode: str, poses: Array, starts: Array, tips: bool, peers: tuple[str, ...]
    ) -> Iterator[Workload]:
        """The workload on the URDF file, for all peers, and on the person itself, for manikin only."""
        links = (HEAD, *LIMBS, *(TIPS if tips else ()))
        kinds = ("position", *["placement"] * len(LIMBS), *["position"] * (len(links) - 1 - len(LIMBS)))
        targets = targets_of(self.balls, poses, links)
        hinged = self.hinged(starts)
        yield Workload(
            key, f"person, {title}", mode, self.urdf, links, kinds, hinged, targets, LENGTH, ANGLE, peers, seconds=4.0
        )
        yield Workload(
            f"{key}-balls",
            f"mk.human(), {title}",
            mode,
            self.balls,
            links,
            kinds,
            starts,
            targets,
            LENGTH,
            ANGLE,
            figure=self.json,
        )

    def moving(self, rng: np.random.Generator, links: tuple[str, ...], most: int) -> Array:
        """Poses of a smooth motion through eight postures, each half way between rest and a random pose. The root
        sways."""
        f = self.figure
        keys = 0.5 * f.difference(np.broadcast_to(f.rest, (8, f.nq)), f.random(rng, 8))
        keys[:, :3] = rng.uniform(-0.05, 0.05, (8, 3))
        keys[:, 3:6] = rng.uniform(-0.1, 0.1, (8, 3))
        spline = paths.through_keys(keys)

        def poses(s: Array) -> Array:
            return f.clamp(f.integrate(np.broadcast_to(f.rest, (len(s), f.nq)), spline(s)))

        return paths.frames(self.balls, poses, links, STEP, most)


def workloads(seed: int, quick: bool) -> Iterator[Workload]:
    person = Person()
    few = 20 if quick else 1
    rest = person.figure.rest[None].copy()
    for key, title, tips in (
        ("person-track", "following a motion, 5 effectors", False),
        ("person-tips-track", "following, 5 effectors and 10 fingertips", True),
    ):
        poses = person.moving(generator(seed, "person-track"), (HEAD, *LIMBS), 1200 // few)
        yield from person.both(key, title, "track", poses[1:], poses[:1], tips, FOLLOWING)
    meant = person.figure.random(generator(seed, "person-cold"), 1000 // few)
    yield from person.both("person-cold", "pose from rest", "cold", meant, rest, False, PEERS)
    yield talos(seed, 1000 // few)


def talos(seed: int, count: int) -> Workload:
    """38 degrees of freedom, free root, targets over the full range, from rest."""
    tree = from_urdf(data("talos_reduced.urdf"), root="free", stiff=True)
    links = ("head_2_link", "arm_left_7_link", "arm_right_7_link", "leg_left_6_link", "leg_right_6_link")
    meant = tree.random(generator(seed, "talos-cold"), count)
    targets = targets_of(tree, meant, links)
    kinds = ("position", *["placement"] * 4)
    title = "Talos, pose from rest"
    return Workload(
        "talos-cold", title, "cold", tree, links, kinds, tree.rest()[None], targets, LENGTH, ANGLE, PEERS, seconds=4.0
    )
