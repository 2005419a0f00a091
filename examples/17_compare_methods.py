"""Compare the methods.

How do the methods of the literature differ? Each solves the same problem from the same start: a planar chain with
limits and two effectors. `history=True` records the errors of every iteration. The picture shows the errors over the
iterations, and the poses side by side.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import manikin as mk

chain = mk.chain([1.0, 0.9, 0.8, 0.7, 0.6], mk.Hinge((0, 0, 1), (-2.2, 2.2)), name="chain")
start = np.array([0.4, 0.5, -0.6, 0.7, 0.3])
goals = [mk.Position("Tip", (1.2, 2.2, 0.0)), mk.Position("Segment4", (1.6, 1.5, 0.0), weight=0.3, tolerance=0.2)]
methods = ["auto", "lbfgsb", "pinv", "stacked", "dls", "bounded-dls", "transpose", "sdls", "ccd", "fabrik"]

picture = Figure(figsize=(12, 10), layout="constrained")
above, below = picture.subfigures(2, 1, height_ratios=(1.1, 1.0))
axes = above.subplots(1, 1)
small = below.subplots(2, 5).ravel()
styles = ["-", "--", "-", "--", "-", "--", "-", "-", "-", "-"]  # dashed if two curves are nearly equal
print(f"{'method':12} {'status':18} {'iterations':>10} {'error':>9} {'outside limits':>15}")
for k, (method, ax) in enumerate(zip(methods, small, strict=True)):
    one = goals[:1] if method in ("fabrik", "ccd") else goals
    solution = mk.solve(chain, one, start, method=method, history=True, iterations=300)
    numbers = f"{solution.iterations:10} {solution.errors[0]:9.1e} {solution.violation:15.2g}"
    print(f"{method:12} {solution.status:18} {numbers}")
    axes.semilogy(np.maximum(solution.history.errors[:, 0], 1e-9), f"C{k}{styles[k]}", label=method, linewidth=2)
    points = np.vstack([chain.placements(solution.pose)[:, :2, 3]])
    ax.plot(*points.T, f"C{k}o-", markersize=4)
    ax.plot(1.2, 2.2, "x", color="black", markersize=9)
    ax.set(title=method, xlim=(-1.5, 3.0), ylim=(-1.0, 3.0), aspect="equal", xticks=[], yticks=[])
axes.set(
    xlabel="iteration",
    ylabel="distance of the tip from its target",
    xscale="symlog",
    title="how fast each method reaches",
)
axes.legend(ncols=2, loc="lower right")
axes.grid(alpha=0.3)
picture.savefig("17_compare_methods.png", dpi=110)
