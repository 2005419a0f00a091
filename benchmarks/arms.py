"""Workloads of arms: following a path, cold reach, batches, and arms unlike the usual ones."""

from __future__ import annotations

import importlib.util
import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from benchmarks import paths, urdf_text
from benchmarks.tree import Tree
from benchmarks.tree_files import from_urdf
from benchmarks.workload import Workload, generator, targets_of

LENGTH, ANGLE = 1e-4, 1e-3
"""Tolerances of a solved target: 0.1 mm and 1 mrad."""
STEP = 3e-3
"""Step of a path in metres per frame."""
NUMERIC = ("rtb", "optik", "trac", "drake", "scipy")
FOLLOWING = ("rtb", "ssik", "placo", "placo-blind", "pink", "mink", "optik", "trac", "drake", "momentum")


def data(file: str) -> Path:
    """A URDF file of MANIKIN_DATA, or the same file of the package example-robot-data."""
    folder = os.environ.get("MANIKIN_DATA", "")
    robots = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
    elsewhere = {
        "panda.urdf": "panda_description/urdf/panda.urdf",
        "ur5_robot.urdf": "ur_description/urdf/ur5_robot.urdf",
        "baxter.urdf": "baxter_description/urdf/baxter.urdf",
        "solo12.urdf": "solo_description/robots/solo12.urdf",
        "talos_reduced.urdf": "talos_data/robots/talos_reduced.urdf",
    }
    places = ([Path(folder) / "urdf" / file] if folder else []) + [robots / elsewhere.get(file, file)]
    for path in places:
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"{file} is neither in MANIKIN_DATA ({folder or 'not set'}) nor in example-robot-data (pip install '.[peers]')"
    )


def iiwa_file() -> Path:
    """KUKA's arm from the pybullet wheel. It is found without importing pybullet."""
    found = importlib.util.find_spec("pybullet_data")
    if found is None or found.origin is None:
        raise FileNotFoundError("pybullet is not installed; its wheel holds the KUKA iiwa (pip install '.[peers]')")
    return Path(found.origin).parent / "kuka_iiwa" / "model.urdf"


def arm(name: str) -> tuple[Tree, str]:
    """An arm reduced to the joints that move its tip, and the tip."""
    if name == "iiwa":
        tip, path = "lbr_iiwa_link_7", iiwa_file()
    else:
        file, tip = {"panda": ("panda.urdf", "panda_hand"), "ur5": ("ur5_robot.urdf", "tool0")}[name]
        path = data(file)
    return from_urdf(path, links=[tip]).merged([tip]), tip


NAMES = {"panda": "Panda", "ur5": "UR5", "iiwa": "iiwa"}


def workloads(seed: int, quick: bool) -> Iterator[Workload]:
    """All workloads of arms; fewer targets if `quick`."""
    arms = {name: arm(name) for name in NAMES}
    few = 20 if quick else 1
    for name, (tree, tip) in arms.items():
        yield following(name, tree, tip, seed, 2000 // few)
    for name, (tree, tip) in arms.items():
        peers = (*NUMERIC, "ssik", *(("ssik-near", "eaik", "eaik-near") if name == "ur5" else ()))
        yield reach(f"{name}-cold", f"{NAMES[name]}, cold reach", tree, tip, seed, 1000 // few, peers)
    for name, (tree, tip) in arms.items():
        peers = ("rtb", "ssik", "optik", *(("eaik",) if name == "ur5" else ()))
        yield reach(f"{name}-batch", f"{NAMES[name]}, 10,000 cold", tree, tip, seed, 10_000 // few, peers, mode="batch")
    tree, tip = arms["panda"]
    yield reach("panda-threads", "Panda, 100,000 cold", tree, tip, seed, 100_000 // few, (), mode="batch")
    yield from others(arms, seed, 1000 // few)


def following(name: str, tree: Tree, tip: str, seed: int, most: int) -> Workload:
    """A smooth closed path in steps of 3 mm, from its first pose."""
    key = f"{name}-warm"
    rng = generator(seed, key)
    poses = paths.frames(tree, paths.through_joints(tree, rng), (tip,), STEP, most)
    targets = targets_of(tree, poses[1:], (tip,))
    peers = (*FOLLOWING, *(("eaik",) if name == "ur5" else ()))
    title = f"{NAMES[name]}, following a path"
    return Workload(key, title, "track", tree, (tip,), ("placement",), poses[:1], targets, LENGTH, ANGLE, peers)


def reach(
    key: str,
    title: str,
    tree: Tree,
    tip: str,
    seed: int,
    count: int,
    peers: tuple[str, ...],
    kind: str = "placement",
    mode: str = "cold",
) -> Workload:
    """Placements of random poses, each from another random start."""
    rng = generator(seed, key)
    starts, meant = tree.random(rng, count), tree.random(rng, count)
    targets = targets_of(tree, meant, (tip,))
    if kind == "aim":  # a point that the target pose looks at, 0.5 m to 2 m away
        ahead = tree.placements(meant, (tip,))[:, 0, :3, 2]
        targets[:, 0, :3] += ahead * rng.uniform(0.5, 2.0, (count, 1))
    return Workload(key, title, mode, tree, (tip,), (kind,), starts, targets, LENGTH, ANGLE, peers)


def others(arms: dict[str, tuple[Tree, str]], seed: int, count: int) -> Iterator[Workload]:
    """Arms with a slider, eight joints or a tool; goals with fewer numbers; the other URDF files."""
    numeric = NUMERIC
    yield reach("rail-cold", "rail and six axes (a slider)", urdf_text.rail_arm(), "tool", seed, count, numeric)
    yield reach("eight-cold", "eight axes", urdf_text.eight_axis_arm(), "tool", seed, count, numeric)
    panda, hand = arms["panda"]
    tooled = urdf_text.with_tool(panda, hand, (0.05, 0.02, 0.15), (0.4, -0.7, 0.3)).merged(["held_tool"])
    yield reach("tool-cold", "Panda with a slanting tool", tooled, "held_tool", seed, count, (*numeric, "ssik"))
    baxter = from_urdf(data("baxter.urdf"), links=["left_gripper"]).merged(["left_gripper"])
    yield reach("baxter-cold", "Baxter, left arm", baxter, "left_gripper", seed, count, numeric)
    less = ("rtb", "optik", "drake", "scipy", "momentum")
    yield reach("position-cold", "Panda, position only", panda, hand, seed, count, less, "position")
    leg = from_urdf(data("solo12.urdf"), links=["FL_FOOT"]).merged(["FL_FOOT"])
    yield reach("leg-cold", "Solo12, a foot's position", leg, "FL_FOOT", seed, count, less, "position")
    yield reach("aim-cold", "Panda, aim", panda, hand, seed, count, ("drake", "scipy", "momentum"), "aim")
