"""The figure: an immutable articulated tree of segments. A pose is a separate array of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, backend
from manikin.arrays import Matrix, Placements, Points, Poses, Steps, Vector, frozen
from manikin.errors import BadValue, unknown_name
from manikin.figure import measure, range, record
from manikin.figure.batch import blocks, check_out, names, rows, thread_count
from manikin.figure.describe import describe, tree
from manikin.figure.html_table import html_table
from manikin.figure.kept import ATTRIBUTE
from manikin.figure.layout import build_layout
from manikin.figure.loop import Loop, check_loops
from manikin.figure.numbers import check_pose, pose_from_numbers, pose_to_steps, steps_to_pose
from manikin.figure.order import parents_first
from manikin.figure.rigid import rigid
from manikin.figure.scale import in_metres, scaled
from manikin.figure.segment import Segment
from manikin.reference.kinematics import Kinematics

if TYPE_CHECKING:
    from manikin.figure.parts.bone_map import BoneMap
    from manikin.figure.parts.skeleton import Skeleton

UPS = ("x", "y", "z")


class Figure:
    """Segments connected by joints, with limits, masses and shapes. Immutable, hashable, picklable.

    A pose `q` has `nq` numbers, a step `v` has `nv`: angles in radians, quaternions wxyz, lengths in the figure's unit.
    Segments are sorted parents first when the figure is built. All methods take one pose (nq,) or many (..., nq).

    Example:
        >>> from manikin import Hinge
        >>> arm = Figure("arm", [Segment("Upper", joint=Hinge()), Segment("Tip", "Upper", offset=(1, 0, 0))])
        >>> arm.placements([np.pi / 2], ["Tip"])[0, :3, 3].round(3) + 0.0
        array([0., 1., 0.])
    """

    def __init__(
        self,
        name: str,
        segments: Iterable[Segment],
        *,
        unit: float | None = 1.0,
        up: str = "y",
        source: Mapping[str, Any] | None = None,
        loops: Iterable[Loop] = (),
    ) -> None:
        """
        Args:
            name: the figure's name in messages and files.
            segments: in any order; exactly one has no parent.
            unit: one length of the figure in metres; None if not known.
            up: the world axis that points up: "x", "y" or "z".
            source: data about the file of the figure, used to save it faithfully. It is not part of the figure's
                identity.
            loops: closed loops of the mechanism; `solve` and `Solver` keep them closed.
        """
        # Refuse arguments of a wrong kind.
        owner = f"figure {arrays.text(name, 'figure name')!r}"
        if not isinstance(up, str) or up not in UPS:
            raise BadValue(f"{owner}: up is {up!r}; it must be one of 'x', 'y', 'z'")
        if not isinstance(segments, Iterable):
            raise BadValue(f"{owner}: segments are {segments!r}; they must be a list of Segment(...)")
        if source is not None and not isinstance(source, Mapping):
            raise BadValue(f"{owner}: source is {source!r}; it needs a mapping of names to values, or None")
        # Sort and flatten the segments.
        ordered = parents_first(owner, list(segments))
        layout = build_layout(owner, ordered)
        # What was given, and what is read off the flat arrays.
        self.name = name
        """The figure's name."""
        self.segments = ordered
        """All segments, parents first."""
        self.unit = None if unit is None else arrays.positive(unit, f"{owner}: unit")
        """One length of the figure in metres; None if the file has no unit."""
        self.up = up
        """The world axis that points up."""
        self.source: Mapping[str, Any] = MappingProxyType(dict(source or {}))
        """Data about the file it was read from; read-only."""
        self.loops = check_loops(owner, loops, [s.name for s in ordered])
        """Closed loops. `solve` and `Solver` keep them closed; the methods of this class ignore them."""
        self.segment_names = tuple(s.name for s in ordered)
        """Names of the segments, parents first."""
        self.joint_names = tuple(s.joint.name for s in ordered)
        """Names of the joints, in the order of the segments they move."""
        self.nq = layout.tree.nq
        """Number of numbers in a pose."""
        self.nv = layout.tree.nv
        """Number of numbers in a step: the degrees of freedom."""
        self.number_names = layout.names
        """(nq,) name of each number of a pose: LeftForeArm, Spine.z, Hips.tx. `pose`, `freeze=` and `only=` accept
        these names."""
        self.rest = layout.rest
        """(nq,) the rest pose."""
        self.lower = layout.lower
        """(nq,) lower limits; −inf if unlimited or part of a quaternion."""
        self.upper = layout.upper
        """(nq,) upper limits; inf if unlimited or part of a quaternion."""
        self.layout = layout
        """The same numbers and limits as flat arrays, for code that works on all joints at once."""
        # What speeds up lookups and kinematics; from here on nothing changes.
        self._segment_index = {n: i for i, n in enumerate(self.segment_names)}
        self._kinematics = backend.kinematics(layout.tree)
        self._fast = self._kinematics if backend.native else None
        check_pose(self, layout.rest, f"{owner}: rest pose")
        object.__setattr__(self, "_sealed", True)

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_sealed", False) and not name.startswith("_"):
            raise AttributeError(
                f"figure {self.name!r} never changes; make a new one (for example with figure.replaced({name}=…))"
            )
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"figure {self.name!r} never changes; {name} cannot be deleted")

    # Names

    def index_of(self, joint: str) -> int:
        """Index of a joint's first number in q.

        Args:
            joint: name of the joint.
        """
        if not isinstance(joint, str) or joint not in self.layout.first_number:
            raise unknown_name(f"figure {self.name!r}", "joint", joint, self.joint_names)
        return self.layout.first_number[joint]

    def step_of(self, joint: str) -> int:
        """Index of a joint's first step in v; −1 if it has no separate steps (fixed or coupled).

        Args:
            joint: name of the joint.
        """
        self.index_of(joint)
        return self.layout.first_step[joint]

    def segment_index(self, segment: str) -> int:
        """Index of a segment in `segments` and in the placements.

        Args:
            segment: name of the segment.
        """
        if not isinstance(segment, str) or segment not in self._segment_index:
            raise unknown_name(f"figure {self.name!r}", "segment", segment, self.segment_names)
        return self._segment_index[segment]

    def segment(self, name: str) -> Segment:
        """A segment by name.

        Args:
            name: name of the segment.
        """
        return self.segments[self.segment_index(name)]

    @cached_property
    def size(self) -> float:
        """The longest path from root to tip: offsets plus finite slider travel; 1 if that is 0."""
        return measure.size(self.segments)

    @cached_property
    def mass(self) -> float:
        """The sum of all masses."""
        return float(sum(s.mass for s in self.segments))

    @cached_property
    def _skeleton(self) -> Skeleton:
        """The tree in the rest pose, for code that looks for parts of a body."""
        from manikin.figure.parts.skeleton import Skeleton

        return Skeleton(self)

    # Poses

    def pose(self, numbers: Mapping[str, ArrayLike] | None = None, base: ArrayLike | None = None) -> Vector:
        """The rest pose, or `base`, with new values for some joints or single numbers, given by name.

        Args:
            numbers: the values by name of a joint or of a number: a float, or an array (n,) for a joint of n numbers;
                radians or length.
            base: the pose, shape (nq,), that has all other values; None means the rest pose.

        Example:
            >>> from manikin import chain
            >>> chain(3, planar=True).pose({"Segment2": 1.2})
            array([0. , 1.2, 0. ])
        """
        start = self.rest if base is None else self.check(base)
        return pose_from_numbers(self, start, numbers or {})

    def check(self, q: ArrayLike, name: str = "pose") -> Vector:
        """A pose (..., nq) as float64. Checks the shape, finite numbers and unit quaternions, but not limits.

        Args:
            q: the pose, shape (nq,), or poses (..., nq).
            name: how an error names the pose.
        """
        return check_pose(self, q, name)

    def violation(self, q: ArrayLike) -> Any:
        """0.0 if all limits hold, including cones and couplings; otherwise the largest excess, radians or length.

        A float for one pose, an array (...) for poses (..., nq).

        Args:
            q: the pose, shape (nq,), or poses (..., nq).
        """
        worst = range.violation(self.layout, self.check(arrays.of_one_moment(q)))
        return float(worst) if worst.ndim == 0 else worst

    def clamp(self, q: ArrayLike) -> Poses:
        """The pose clamped to all limits.

        Args:
            q: the pose, shape (nq,), or poses (..., nq).
        """
        return range.clamp(self.layout, self.check(arrays.of_one_moment(q)))

    def random(self, rng: np.random.Generator, count: int | None = None) -> Poses:
        """A random pose within limits (nq,), or `count` of them (count, nq). The root stays as in the rest pose.

        Args:
            rng: where the random numbers come from.
            count: number of poses; None means a single pose.
        """
        if not isinstance(rng, np.random.Generator):
            raise BadValue(f"rng is {rng!r}; it needs a numpy.random.Generator, such as numpy.random.default_rng(0)")
        poses = range.random(self.layout, rng, 1 if count is None else arrays.whole(count, "count", least=0))
        return poses[0] if count is None else poses

    def integrate(self, q: ArrayLike, v: ArrayLike) -> Poses:
        """The pose after a step: numbers add, balls become q ⊗ exp(v/2), coupled numbers follow.

        Args:
            q: the pose, shape (nq,), or poses (..., nq).
            v: the step, shape (..., nv), in radians and lengths.
        """
        q, v = self.check(q), self._steps(v, "step")
        lead = arrays.lead(q, "pose", 1, v, "step", 1)
        moved = self._kinematics.integrate(rows(q, lead), rows(v, lead))
        return moved.reshape(*lead, self.nq)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Steps:
        """The step from q0 to q1, along the shorter arc for balls: integrate(q0, difference(q0, q1)) is q1.

        Args:
            q0: the first pose, shape (..., nq).
            q1: the second pose, shape (..., nq).
        """
        q0, q1 = self.check(q0, "first pose"), self.check(q1, "second pose")
        lead = arrays.lead(q0, "first pose", 1, q1, "second pose", 1)
        return self._kinematics.difference(rows(q0, lead), rows(q1, lead)).reshape(*lead, self.nv)

    # Kinematics

    def placements(
        self, q: ArrayLike, segments: Sequence[str] | None = None, out: Placements | None = None, threads: int = 1
    ) -> Placements:
        """World placements (..., S, 4, 4) of all segments, or of the named ones in that order.

        `out` receives the result: a NumPy array of float64, C-contiguous and writable, of the shape of the result, that
        does not overlap q in memory. The GIL is released.

        Args:
            q: the pose, shape (nq,), or poses (..., nq).
            segments: names of segments; None means all.
            out: an array (..., S, 4, 4) for the result, see above.
            threads: number of threads that share the poses of a batch.
        """
        index = None if segments is None else frozen([self.segment_index(s) for s in names(segments)], np.int32)
        plain = type(q) is np.ndarray and (out is None or type(out) is np.ndarray)
        if plain and self._fast is not None:
            try:
                made = self._fast.placements(q, index, out, threads)  # type: ignore[arg-type]
                return made if out is None else out
            except (TypeError, ValueError):
                pass  # the code below converts the arguments, or names the one that is wrong
        q = self.check(q)
        lead, threads = q.shape[:-1], thread_count(threads)
        shape = (*lead, len(self.segments) if index is None else len(index), 4, 4)
        if out is not None:
            check_out(out, shape, q)
        result = self._kinematics.placements(
            rows(q, lead), index, None if out is None else out.reshape(int(np.prod(lead)), *shape[-3:]), threads
        )
        return out if out is not None else result.reshape(shape)

    def jacobian(self, q: ArrayLike, segment: str, point: ArrayLike = (0.0, 0.0, 0.0), threads: int = 1) -> Matrix:
        """(..., 6, nv): linear then angular velocity, world axes, of a point fixed on a segment (in its own space).

        Args:
            q: the pose, shape (nq,), or poses (..., nq).
            segment: name of the segment.
            point: the point, shape (3,), in the space of the segment, length.
            threads: number of threads that share the poses of a batch.
        """
        q, index, point = self.check(q), self.segment_index(segment), arrays.vector3(point, "point")
        lead = q.shape[:-1]
        J = self._kinematics.jacobian(rows(q, lead), index, np.ascontiguousarray(point), thread_count(threads))
        return J.reshape(*lead, 6, self.nv)

    def center_of_mass(self, q: ArrayLike, threads: int = 1) -> Points:
        """(..., 3) world position, length.

        Args:
            q: the pose, shape (nq,), or poses (..., nq).
            threads: number of threads that share the poses of a batch.
        """
        self._require_mass()
        q = self.check(q)
        return self._kinematics.center_of_mass(rows(q, q.shape[:-1]), thread_count(threads)).reshape(*q.shape[:-1], 3)

    def com_jacobian(self, q: ArrayLike, threads: int = 1) -> Matrix:
        """(..., 3, nv): velocity of the centre of mass per step, world axes.

        Args:
            q: the pose, shape (nq,), or poses (..., nq).
            threads: number of threads that share the poses of a batch.
        """
        self._require_mass()
        q = self.check(q)
        J = self._kinematics.com_jacobian(rows(q, q.shape[:-1]), thread_count(threads))
        return J.reshape(*q.shape[:-1], 3, self.nv)

    def jvp(self, q: ArrayLike, tangent: ArrayLike, wrt: str = "step", threads: int = 1) -> Placements:
        """Directional derivative of all placements, (..., S, 4, 4).

        Args:
            q: pose (..., nq).
            tangent: (..., nv) a step, or (..., nq) a change of the numbers of q, see `wrt`.
            wrt: "step" (the v of `integrate`) or "pose" (the numbers of q, as autodiff libraries need).
            threads: number of threads that share the poses of a batch.
        """
        q, kinematics = self.check(q), self._derivative(wrt)
        dq = arrays.numbers(tangent, "tangent", (-1, self.nq if wrt == "pose" else self.nv))
        lead = arrays.lead(q, "pose", 1, dq, "tangent", 1)
        v = pose_to_steps(self.layout, q, dq) if wrt == "pose" else dq
        result = kinematics.jvp(rows(q, lead), rows(v, lead), thread_count(threads))
        return result.reshape(*lead, len(self.segments), 4, 4)

    def vjp(self, q: ArrayLike, cotangent: ArrayLike, wrt: str = "step", threads: int = 1) -> Vector:
        """The transpose of `jvp`: maps cotangents (..., S, 4, 4) of the placements to (..., nv), or to (..., nq).

        Args:
            q: the pose, shape (nq,), or poses (..., nq).
            cotangent: the cotangents, shape (..., S, 4, 4).
            wrt: "step" or "pose", as in `jvp`.
            threads: number of threads that share the poses of a batch.
        """
        q, kinematics = self.check(q), self._derivative(wrt)
        G = arrays.numbers(cotangent, "cotangent", (-1, len(self.segments), 4, 4))
        lead = arrays.lead(q, "pose", 1, G, "cotangent", 3)
        gradient = kinematics.vjp(rows(q, lead), blocks(G, lead, 3), thread_count(threads))
        gradient = gradient.reshape(*lead, gradient.shape[-1])
        return steps_to_pose(self.layout, q, gradient) if wrt == "pose" else gradient

    def mirrored(
        self, q: ArrayLike, *, reference: ArrayLike | None = None, pairs: Mapping[str, str] | None = None
    ) -> Poses:
        """The mirror image of a pose (..., nq): the left side does what the right side did, and vice versa.

        The names of segments ("LeftArm", "arm.L", "FL_hip") tell left from right. The mirror plane is vertical and
        between the two sides. It goes through the root in the reference pose. If the root does not move, it goes
        through the middle between the sides. If the figure is symmetric except for its local axes, the image is exact.
        Limits that differ between the sides are ignored.

        Args:
            q: the pose, shape (nq,), or several (..., nq).
            reference: (nq,) a pose that is its own mirror image; None means the rest pose.
            pairs: maps each segment of one side to its counterpart, if the names do not show it.

        Raises:
            BadValue: the sides are not known, or the joints of a pair are of different kinds.

        Example:
            >>> import manikin as mk
            >>> person = mk.human()
            >>> pose = person.pose({"LeftForeArm": 1.2})
            >>> float(person.mirrored(pose)[person.index_of("RightForeArm")])
            1.2
        """
        from manikin.figure.mirror_pose import mirrored_pose

        return mirrored_pose(self, q, reference, pairs)

    # Other figures

    def replaced(self, **changes: Any) -> Figure:
        """A copy with some of these fields changed: name, segments, unit, up, source, loops.

        Args:
            changes: new values of fields, by their names.
        """
        known = {k: getattr(self, k) for k in ("name", "segments", "unit", "up", "source", "loops")}
        for key in changes:
            if key not in known:
                raise unknown_name("Figure", "field", key, list(known))
        return Figure(**{**known, **changes})

    def scaled(self, factor: float | Mapping[str, float]) -> Figure:
        """The figure with all lengths times a factor, or the lengths of named segments only. Masses and angles are
        unchanged.

        If a limb has several segments, name all of them: in `human`, LeftForeArm and LeftForeArmTwist.

        Args:
            factor: the factor above 0, or a factor for each named segment.
        """
        return scaled(self, factor)

    def in_metres(self) -> Figure:
        """The same figure with lengths in metres. Raises an error if the unit is not known."""
        return in_metres(self)

    def rigid(self, keep: Sequence[str] = ()) -> Figure:
        """The figure without its held sliders (`Slider.held`). Clips of a rig displace bones with these sliders.

        Each held slider is removed from its joint, and its displacement in the rest pose becomes part of the joint's
        offset. So every segment keeps its rest placement, and no pose, solved or random, changes the length of a bone.
        Poses have fewer numbers. `Motion.on` transfers a motion to the new figure if the motion leaves those sliders at
        rest. A motion of the new figure can be transferred back to the original figure and saved in the original file
        format.

        Args:
            keep: names of joints (or their segments), or of single numbers ("Shoulder.tx"), whose held sliders stay.
                These sliders are then no longer held, so solving may move them.

        Raises:
            UnknownName, BadValue: a name that does not exist, or that has no held slider.

        Example:
            >>> figure = mk.load_figure("CesiumMan.glb").rigid()  # doctest: +SKIP
        """
        return rigid(self, keep)

    def with_limits(
        self, kind: str = "human", *, pose: ArrayLike | None = None, balls: bool = False, slack: float = 10.0
    ) -> Figure:
        """A copy with human joint limits, chosen by the names of the segments.

        Use it for the figure of a person whose file has no limits (BVH, glTF …).

        The naming schemes of Mixamo, CMU, VRM, Rokoko, Biovision, SMPL and others are known
        (`figure.parts.bone_names`). The ranges are those of `human`. They are measured from the anatomical neutral
        pose, independent of the figure's rest pose. Joints that already have limits keep them, and the root moves
        freely.

        A ball gets a cone and a twist range. An Euler joint gets a range for each of its angles instead. These ranges
        contain the cone and the twist range, so they allow more. If the cone goes through the pole of the angles, only
        the middle angle has limits. The rest pose is always within the limits.

        `source["mapped"]` contains the body part of each segment. `source["unmapped"]` contains the segments whose
        joints got no limits because their names are not known; a warning names them.

        Args:
            kind: "human".
            pose: (nq,) a pose in which the figure stands upright with arms hanging or stretched, such as `motion[0]`.
                It becomes the rest pose. Needed if the rest pose is not such a pose.
            balls: whether Euler joints of three axes become balls, which represent the limits exactly. A pose then has
                other numbers, see `Motion.on`.
            slack: degrees added to both sides of every range, because rigs do not use exact anatomical axes.

        Raises:
            BadValue: too few names are known, or the pose is not that of a standing person.

        Example:
            >>> figure = mk.load_figure("walk.bvh").with_limits("human")  # doctest: +SKIP
        """
        from manikin.figure.human.limits import with_limits

        return with_limits(self, kind, pose, balls, slack)

    def with_masses(self, mass: float = 70.0, bones: BoneMap | None = None) -> Figure:
        """A copy with human masses, for the figure of a person, so that `Balance` and the centre of mass can be used.

        Each part of the body gets its percentage of the mass [de Leva 1996]; `figure.parts.masses` says how. Masses
        and inertias that the figure has are replaced.

        Args:
            mass: mass of the whole body, kg.
            bones: the segments of each part; None uses `mk.bone_map(figure)`.

        Raises:
            BadValue: the parts are not found, or the figure stands on four legs.

        Example:
            >>> figure = mk.load_figure("walk.bvh").with_masses(70)  # doctest: +SKIP
        """
        from manikin.figure.parts.find import bone_map
        from manikin.figure.parts.masses import with_masses

        return with_masses(self, mass, bone_map(self) if bones is None else bones)

    def limits_view(self, lower: Vector, upper: Vector, swing: Points, twist: Points) -> Figure:
        """A view of this figure with other limits. It shares everything else, so it is much cheaper than a new figure.

        Use it only for solving. Its `segments` keep the original limits, and so does a saved or copied view.

        Args:
            lower, upper: (nq,) as in `layout`.
            swing: (C, 2) half angles of the cones, radians, as in `layout.cones`.
            twist: (C, 2) ranges of the twist, radians.
        """
        view = object.__new__(Figure)
        size = self.size  # the original size: wider sliders must not change the weight of lengths against angles
        shared = {name: value for name, value in vars(self).items() if name not in ("digest", "_released", ATTRIBUTE)}
        low, high = arrays.frozen(lower), arrays.frozen(upper)
        cones = replace(self.layout.cones, swing=arrays.frozen(swing), twist=arrays.frozen(twist))
        layout = replace(self.layout, cones=cones, lower=low, upper=high)
        vars(view).update(shared, lower=low, upper=high, size=size, layout=layout)
        return view

    # Looking, saving, comparing

    def describe(self) -> str:
        """A readable tree: each segment with its joint, limits and mass; then the closed loops."""
        return describe(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything except `source`, as plain lists and numbers; lossless."""
        return record.to_dict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Figure:
        """Makes a figure from the result of `to_dict`.

        Args:
            data: the result of `to_dict`, as JSON stores it.
        """
        return Figure(**record.from_dict(data))

    @cached_property
    def digest(self) -> str:
        """A fingerprint of everything except `source`. It is the same in every process."""
        return record.digest(self.to_dict())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Figure) and (self is other or self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self.name, self.segments, self.unit, self.up, dict(self.source), self.loops))

    def __repr__(self) -> str:
        return f"<Figure {self.name!r}: {len(self.segments)} segments, {self.nv} degrees of freedom>"

    def _repr_html_(self) -> str:
        head, rows = describe(self).split("\n", 1)[0], tree(self)
        return html_table(head, ["segment", "joint"], [[row.lead + row.name, row.joint] for row in rows])

    # Inside

    def _steps(self, v: ArrayLike, name: str) -> Steps:
        return arrays.numbers(v, name, (-1, self.nv))

    def _require_mass(self) -> None:
        if not self.mass > 0.0:
            raise BadValue(f"figure {self.name!r} has no mass, so it has no centre of mass; give its segments mass=…")

    def _derivative(self, wrt: str) -> Kinematics:
        if wrt == "step":
            return self._kinematics
        if wrt == "pose":
            return self._released
        raise BadValue(f"wrt is {wrt!r}; it must be 'step' or 'pose'")

    @cached_property
    def _released(self) -> Kinematics:
        """Kinematics in which coupled numbers are independent, for derivatives with respect to the numbers of q."""
        return backend.kinematics(measure.released(self.layout.tree))


def _rebuild(
    name: str,
    segments: tuple[Segment, ...],
    unit: float | None,
    up: str,
    source: dict[str, Any],
    loops: tuple[Loop, ...] = (),
) -> Figure:
    return Figure(name, segments, unit=unit, up=up, source=source, loops=loops)
