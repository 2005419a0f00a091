"""The figures of `true_parts`, loaded once; turned, scaled, and without names."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
from needs import data_file

import manikin as mk
from manikin import rotations
from manikin.arrays import Quaternions


@cache
def load(name: str) -> mk.Figure:
    """A figure by its path below the data folder, or a built-in one."""
    if "/" not in name:
        figure: mk.Figure = getattr(mk, name)()
        return figure
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mk.errors.OddFile)
        return mk.load_figure(data_file(name))


def turned(figure: mk.Figure, turn: Quaternions) -> mk.Figure:
    """The figure with its root turned about the origin of the world."""
    root, *others = figure.segments
    joint = root.joint
    moved = root.replaced(
        offset=rotations.rotate(turn, np.array(joint.offset)),
        rotation=rotations.normalized(rotations.multiply(turn, np.array(joint.rotation))),
    )
    return figure.replaced(segments=[moved, *others])


def nameless(figure: mk.Figure) -> tuple[mk.Figure, dict[str, str]]:
    """The figure with numbers for names and nothing of its source; and the old name of each segment."""
    new = {s.name: f"s{i}" for i, s in enumerate(figure.segments)}
    joints = {s.joint.name: f"s{i}" for i, s in enumerate(figure.segments)}
    segments = []
    for s in figure.segments:
        joint = s.joint.renamed(new[s.name])
        if joint.coupling is not None:
            coupling = mk.Coupling(joints[joint.coupling.source], joint.coupling.ratio, joint.coupling.offset)
            joint = mk.Joint(joint.name, joint.motions, joint.offset, joint.rotation, joint.rest, coupling)
        segments.append(s.replaced(name=new[s.name], parent=s.parent and new[s.parent], joint=joint))
    return mk.Figure("nameless", segments, unit=figure.unit, up=figure.up), {n: o for o, n in new.items()}
