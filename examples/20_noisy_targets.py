"""Noisy targets with gaps, made smooth.

Hand and head positions with a centimetre of noise and gaps, as a tracking system gives them. With `smooth=True` the
targets are smoothed first, each at a frequency that its own samples suggest; gaps are bridged.
"""

import numpy as np

import manikin as mk

person, rng = mk.human(), np.random.default_rng(0)
times = np.arange(240) / 60
wave = np.stack([-0.35 + 0.1 * np.sin(3 * times), 1.25 + 0.15 * np.sin(2 * times), np.full(240, 0.35)], axis=1)
noisy = wave + 0.01 * rng.normal(size=wave.shape)
noisy[80:90] = np.nan  # a gap

feet = ["LeftFoot", "RightFoot"]
hold = [mk.Placement(name, at) for name, at in zip(feet, person.placements(person.rest, feet), strict=True)]
hand = mk.Over(mk.Position("RightHand", (0, 0, 0)), noisy)

for smooth in (None, True):
    clip = mk.solve_motion(person, [*hold, hand], times, smooth=smooth)
    off = np.linalg.norm(clip.motion.placements(["RightHand"])[:, 0, :3, 3] - wave, axis=1)
    q = clip.quality
    print(f"smooth={smooth}: {1000 * off.mean():.1f} mm from the truth, jerk {q.jerk99:.0f} rad/s³")
mk.plot(person, clip.motion.poses[::12], hand.goal.with_target(wave[-1]), save="20_noisy_targets.png", most=5)
