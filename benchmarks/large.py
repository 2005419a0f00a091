"""Workloads of large figures: chains of three-hinge joints, and a binary tree with 64 effectors."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.urdf_text import binary_tree, chain
from benchmarks.workload import Workload, generator, targets_of

LENGTH, ANGLE = 1e-3, 1e-2
PEERS = ("placo", "pink", "mink", "momentum", "scipy")


def workloads(seed: int, quick: bool) -> Iterator[Workload]:
    count = 5 if quick else 100
    for joints, peers in ((300, PEERS), (1000, ())):
        tree = chain(joints)
        meant = tree.random(generator(seed, f"chain-{joints}"), count)
        targets = targets_of(tree, meant, ("tip",))
        title = f"chain of {joints:,} three-hinge joints"
        yield Workload(
            f"chain-{joints}",
            title,
            "cold",
            tree,
            ("tip",),
            ("position",),
            tree.rest()[None],
            targets,
            LENGTH,
            ANGLE,
            peers,
            seconds=6.0,
        )
    tree, tips = binary_tree()
    meant = tree.random(generator(seed, "tree-64"), count)
    yield Workload(
        "tree-64",
        "binary tree, 64 effectors, 762 hinges",
        "cold",
        tree,
        tuple(tips),
        ("position",) * len(tips),
        tree.rest()[None],
        targets_of(tree, meant, tuple(tips)),
        LENGTH,
        ANGLE,
        PEERS,
        seconds=6.0,
    )
