"""Checks that the links of a URDF file form a tree. Errors name the line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from manikin.errors import listing
from manikin.files.common.xml_safe import Element
from manikin.files.urdf.joints import JointRecord
from manikin.files.urdf.parts import Reading


def read_links(reading: Reading, robot: Element) -> dict[str, Element]:
    """The links by name, in file order."""
    links: dict[str, Element] = {}
    for link in robot.all("link"):
        name = reading.text(link, "name", "a link")
        if name in links:
            reading.fail(link, f"link {name!r} occurs twice, first on line {links[name].line}; names must differ")
        links[name] = link
    if not links:
        reading.fail(robot, "the robot has no links; it needs at least one")
    return links


def check_joints(reading: Reading, links: Mapping[str, Element], joints: Sequence[JointRecord]) -> None:
    """Checks that joint names are unique, that their links exist, and that no link is moved by two joints."""
    names: dict[str, int] = {}
    moved: dict[str, JointRecord] = {}
    for joint in joints:
        if joint.name in names:
            reading.fail(
                joint.element,
                f"joint {joint.name!r} occurs twice, first on line {names[joint.name]}; names must differ",
            )
        names[joint.name] = joint.element.line
        for tag, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                at = joint.element.first(tag) or joint.element
                reading.unknown(at, f"joint {joint.name!r} has {tag}", "link", link, links)
        if joint.child in moved:
            other = moved[joint.child]
            reading.fail(
                joint.element,
                f"link {joint.child!r} is the child of joint {joint.name!r} and of joint {other.name!r} (line "
                f"{other.element.line}); a link has only one parent, and URDF has no closed loops",
            )
        moved[joint.child] = joint


def find_root(reading: Reading, links: Mapping[str, Element], joints: Sequence[JointRecord]) -> str:
    """The only link that is not the child of a joint. All other links are reached from it."""
    by_child = {j.child: j for j in joints}
    roots = [name for name in links if name not in by_child]
    if len(roots) > 1:
        reading.fail(
            links[roots[1]],
            f"the robot has {len(roots)} root links: {listing(roots)}; it needs exactly one (connect them with "
            "fixed joints)",
        )
    reached = {roots[0]} if roots else set()
    for name in links:
        path: dict[str, None] = {}
        at = name
        while at not in reached:
            if at in path:
                around = list(path)
                around = [*around[around.index(at) :], at]
                what = "the robot has no root link" if not roots else "the robot has a cycle"
                reading.fail(
                    by_child[at].element,
                    f"{what}: {listing(list(reversed(around)))} form a cycle of parents; one of them needs "
                    "another parent",
                )
            path[at] = None
            at = by_child[at].parent
        reached.update(path)
    return roots[0]
