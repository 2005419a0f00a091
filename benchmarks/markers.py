"""Markers: the errors of `mk.fit_markers`, lengths of bones, the effect of bad data, and the speed.

    MANIKIN_DATA=... python -m benchmarks.markers [--quick]

Five recordings of walking are fitted with `mk.fit_markers` and `mk.human()`. Times are CPU times of one thread.
"""

from __future__ import annotations

import json
import time
import warnings
from typing import Any
from unittest import mock

import numpy as np

import manikin as mk
from benchmarks import marker_damage as damage
from benchmarks import pages
from benchmarks.machine import header
from benchmarks.marker_first import fresh
from benchmarks.marker_page import page
from benchmarks.retarget import folder
from manikin.files import osim
from manikin.motion.gait_angles import gait_angles
from manikin.motion.marker_fit.inverse import MarkerSolver
from manikin.motion.marker_fit.prepared import forget
from manikin.motion.marker_fit.result import MarkerFit

FILES = {
    "CMU 02_01": "cmu_02_01.c3d",
    "walking2": "walking2.c3d",
    "subject01": "gait2392/subject01_walk1.trc",
    "EB015PI": "EB015PI.c3d",
    "innovative": "innovative_sports_training.c3d",
}
CENTRES = {"hip": ("HJC", "UpLeg", 25.0), "knee": ("KJC", "Leg", 16.0), "ankle": ("AJC", "Foot", 16.0)}
"""The laboratory's joint centres in walking2, the segment of each, and the bound in millimetres."""
SIDES = {"L": "Left", "R": "Right"}
DAMAGES = {
    "20 % of the markers gone for 0.5 s": ("CMU 02_01", damage.gone),
    "the same, walking2": ("walking2", damage.gone),
    "knees swapped, 20 frames": ("CMU 02_01", damage.swapped("LKNE", "RKNE")),
    "ankle and toe swapped, 20 frames": ("CMU 02_01", damage.swapped("LANK", "LTOE")),
    "wrist markers swapped, 20 frames": ("CMU 02_01", damage.swapped("RWRA", "RWRB")),
    "ghost 0.54 m away, 20 frames": ("CMU 02_01", damage.ghost("RKNE", 0.54)),
    "ghost 0.10 m away, 20 frames": ("CMU 02_01", damage.ghost("RKNE", 0.10)),
    "2 % wild samples": ("CMU 02_01", damage.wild(0.02)),
    "5 % wild samples": ("CMU 02_01", damage.wild(0.05)),
}
ANGLES = ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle")
LEAST = {"hip_flexion": 0.99, "knee_angle": 0.99, "ankle_angle": 0.98, "hip_rotation": 0.95}
"""Bounds of the correlations with the model's attachments, the set-up's weights and a held twist."""


def load(name: str) -> mk.Markers:
    """A recording without the joint centres that a laboratory computed."""
    markers = mk.load_markers(folder() / "markers" / FILES[name])
    return markers.subset([n for n in markers.names if not n.endswith("JC")])


def fit(markers: mk.Markers, *given: Any, **options: Any) -> MarkerFit:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mk.fit_markers(mk.human(), markers, *given, **options)


def whole(name: str) -> tuple[dict[str, Any], MarkerFit]:
    """RMS over the whole clip, and seconds."""
    markers = load(name)
    began = time.process_time()
    found = fit(markers)
    seconds = time.process_time() - began
    data = found.to_dict()
    turn = np.abs(found.figure.difference(found.motion.poses[:-1], found.motion.poses[1:]))[:, 6:].max()
    keys = ("rms_mm", "rms_by_kind_mm", "rounds_mm", "rejected", "scales", "deviations", "unseen", "at_limits")
    worst = max((m for m in data["markers"] if m["rms_mm"] is not None), key=lambda m: m["rms_mm"])
    row = {"file": name, "frames": len(markers), "markers": len(found.names), "of": len(markers.names)}
    row |= {"seconds": seconds, "turn": float(turn), "worst": [worst["marker"], worst["rms_mm"]]}
    return row | {key: data[key] for key in keys}, found


def halves(name: str) -> dict[str, Any]:
    """RMS of each half of a clip, calibrated on the other half and on itself."""
    markers, out = load(name), []
    seen = np.flatnonzero(markers.present.mean(axis=1) > 0.6)
    cut = int(seen[len(seen) // 2])
    for own, other in ((markers[:cut], markers[cut:]), (markers[cut:], markers[:cut])):
        out.append([1e3 * fit(own, calibrate=other).rms, 1e3 * fit(own).rms])
    return {"file": name, "other_and_own_mm": out}


def centres(found: MarkerFit) -> dict[str, Any]:
    """Mean distance of joint centres from the laboratory's, in millimetres, left and right."""
    lab = mk.load_markers(folder() / "markers" / FILES["walking2"]).in_metres().with_up("y")
    out = {}
    for joint, (suffix, segment, bound) in CENTRES.items():
        sides = []
        for letter, side in SIDES.items():
            own = found.figure.placements(found.motion.poses, [side + segment])[:, 0, :3, 3]
            sides.append(1e3 * float(np.nanmean(np.linalg.norm(own - lab[letter + suffix], axis=1))))
        out[joint] = {"left": sides[0], "right": sides[1], "mean": float(np.mean(sides)), "bound": bound}
    return out


def frames_of(markers: mk.Markers, count: int) -> list[int]:
    """Evenly spread frames with at least 60 % of the markers."""
    good = np.flatnonzero(markers.present.mean(axis=1) >= 0.6)
    return [int(i) for i in np.unique(good[np.linspace(0, len(good) - 1, count).round().astype(int)])]


def counts(name: str) -> dict[str, Any]:
    """Scales from 10, 40 and 80 frames."""
    markers = load(name)
    found = {n: fit(markers, calibrate=frames_of(markers, n)) for n in (10, 40, 80)}
    groups = [g for g, s in found[40].deviations.items() if np.isfinite(s)]
    scales = {n: {g: f.scales[g] for g in groups} for n, f in found.items()}
    spread = {g: max(abs(scales[n][g] / scales[40][g] - 1.0) for n in scales) for g in groups}
    seen = [g for g in groups if g not in found[40].unseen]
    worst = {
        kind: max(some, key=lambda g: spread[g]) if some else None for kind, some in (("seen", seen), ("all", groups))
    }
    return {"file": name, "scales": scales, "spread": spread, "worst": worst}


def felt(found: MarkerFit) -> list[str]:
    """The first segment of each part whose joints the markers determine: the part has a marker, or one of the parts
    below it has."""
    above: set[str | None] = set()
    for name in found.names:
        segment: str | None = found.attachments[name].segment
        while segment is not None:
            above.add(segment)
            segment = found.figure.segment(segment).parent
    return [names[0] for names in mk.bone_map(found.figure).values() if above & set(names)]


def bad_data(label: str, clean: dict[str, MarkerFit], seed: int) -> dict[str, Any]:
    """The deviation of joints from the clean fit in the damaged frames, robust and plain."""
    name, make = DAMAGES[label]
    markers = load(name)
    made = make(markers, np.random.default_rng(seed))
    good = clean[name]
    row: dict[str, Any] = {"damage": label, "file": name, "seed": seed}
    untouched = lambda names, positions, times, size: (positions, [])  # noqa: E731, ARG005
    for kind in ("plain", "robust"):
        options = {"robust": False, "smooth": None} if kind == "plain" else {}
        with (
            mock.patch("manikin.motion.marker_fit.trial.untangled", untouched) if kind == "plain" else mock.MagicMock()
        ):
            found = fit(made.markers, good.attachments, **options)
            known = fit(made.without_bad(), good.attachments) if kind == "robust" else None
            base = fit(markers, good.attachments, **options)
        segments = felt(good)
        a, b = (f.figure.placements(f.motion.poses[made.frames], segments)[..., :3, 3] for f in (found, base))
        apart = 1e3 * np.linalg.norm(a - b, axis=-1)
        turns = [
            np.abs(f.figure.difference(f.motion.poses[:-1], f.motion.poses[1:]))[:, 6:].max() for f in (found, base)
        ]
        row[kind] = {"mean": apart.mean(), "max": apart.max(), "turn": float(turns[0]), "clean_turn": float(turns[1])}
        if known is not None:
            least = known.figure.placements(known.motion.poses[made.frames], segments)[..., :3, 3]
            apart = 1e3 * np.linalg.norm(least - b, axis=-1)
            row["known"] = {"mean": apart.mean(), "max": apart.max()}
        if kind == "robust":
            names = [markers.index_of(n) for n in found.names]
            bad = made.bad[:, names]
            row["found"] = [int((found.rejected & bad).sum()), int(bad.sum())]
            row["false"] = int((found.rejected & ~bad & ~base.rejected).sum())
            row["swaps"] = [str(s) for s in found.swaps]
    if "wild" in label:
        anew = fit(made.markers)
        off = {g: abs(anew.scales[g] - good.scales[g]) for g in good.scales}
        places = [np.subtract(m.offset, good.attachments[m.name].offset) for m in anew.attachments]
        row["scales"] = [max(off[g] for g in off if g not in good.unseen), max(off.values())]
        row["places_mm"] = 1e3 * float(np.linalg.norm(places, axis=1).mean())
    return row


def forgotten(name: str, clean: MarkerFit) -> dict[str, Any]:
    """Each marker once under an unknown name: is it attached to its segment?"""
    markers = load(name)
    frames = frames_of(markers, 20)
    short = markers.replaced(
        positions=markers.positions[frames], times=markers.times[frames], residuals=None, cameras=None
    )
    wrong = []
    for k, true in enumerate(clean.names):
        names = list(short.names)
        names[k] = f"{names[k].rpartition(':')[0]}:Zz".lstrip(":")
        found = fit(short.replaced(names=names), smooth=None)
        segment = found.attachments["Zz"].segment if "Zz" in found.attachments else "left out"
        if segment != clean.attachments[true].segment:
            wrong.append([true, clean.attachments[true].segment, segment])
    return {"file": name, "markers": len(clean.names), "wrong": wrong}


def speed(name: str, clean: MarkerFit, runs: int) -> dict[str, Any]:
    """Microseconds of CPU time per frame of the track and of the whole fit after calibration; medians of runs. The
    first trial of a calibration also prepares the figure and the solvers, which further trials use again. In a fresh
    process, code runs for the first time too."""
    markers, track = load(name), []
    plain = MarkerSolver.track

    def timed(*args: Any, **options: Any) -> Any:
        began = time.process_time()
        out = plain(*args, **options)
        track[-1] += time.process_time() - began
        return out

    totals: dict[str, list[float]] = {"first": [], "whole": []}
    with mock.patch.object(MarkerSolver, "track", timed):
        for _ in range(runs):
            forget(mk.human())
            for seconds in totals.values():
                track.append(0.0)
                began = time.process_time()
                fit(markers, clean.attachments)
                seconds.append(time.process_time() - began)
    row: dict[str, Any] = {"file": name, "frames": len(markers)}
    row["track_us"] = 1e6 * float(np.median(track)) / len(markers)
    row["fresh_us"] = 1e6 * fresh(name, clean, runs) / len(markers)
    return row | {f"{kind}_us": 1e6 * float(np.median(s)) / len(markers) for kind, s in totals.items()}


def opensim() -> list[dict[str, Any]]:
    """Correlations with OpenSim's published angles of subject01, and RMS after subtracting the mean, in degrees."""
    where = folder() / "markers/gait2392"
    attach, markers = osim.load_attachments(where / "subject01_simbody.osim", mk.human()), load("subject01")
    given = osim.weights(where / "subject01_Setup_IK.xml")
    known = markers.subset([name for name in markers.names if name in attach])
    weights = {name: given.get(name, 0.0) for name in known.names}
    feet = {"LeftFoot": "twist", "RightFoot": "twist"}
    plain = {"robust": False, "smooth": None}
    cases = {
        "the model's attachments, the set-up's weights, twist held": fit(
            known, attach, weights=weights, hold=feet, **plain
        ),
        "the same, twist free": fit(known, attach, weights=weights, hold={}, **plain),
        "the model's attachments, weights 1, twist held": fit(known, attach, hold=feet, **plain),
        "names alone": fit(markers),
        "names alone, twist free": fit(markers, hold={}),
    }
    lines = (where / "subject01_walk1_ik.mot").read_text().split("endheader\n")[1].splitlines()
    truth, columns = np.array([[float(x) for x in line.split()] for line in lines[1:]]), lines[0].split()
    out = []
    for label, found in cases.items():
        times, angles = found.motion.times, gait_angles(found.motion)
        during = (times >= 0.5 - 1e-9) & (times <= 2.5 + 1e-9)
        row: dict[str, Any] = {"case": label, "rms_mm": 1e3 * found.rms}
        for name in ANGLES:
            for side in "rl":
                theirs = np.interp(times[during], truth[:, 0], truth[:, columns.index(f"{name}_{side}")])
                ours = np.rad2deg(angles[f"{name}_{side}"][during])
                row[f"{name}_{side}"] = [float(np.corrcoef(theirs, ours)[0, 1]), float(np.std(theirs - ours))]
        out.append(row)
    return out


def main() -> None:
    options = pages.parser("markers", (__doc__ or "").split("\n", maxsplit=1)[0]).parse_args()
    seeds = (1,) if options.quick else (1, 2, 3)
    clean, rows = {}, []
    for name in FILES:
        row, clean[name] = whole(name)
        rows.append(row)
        print(f"{name}: {row['rms_mm']:.2f} mm", flush=True)
    result: dict[str, Any] = {"header": header(options.quick, seeds[0]), "whole": rows}
    result["centres"] = centres(clean["walking2"])
    result["speed"] = [speed(name, clean[name], 3 if options.quick else 7) for name in FILES]
    result["opensim"] = opensim()
    chances = {label: seeds[:1] if "swapped" in label else seeds for label in DAMAGES}  # a swap ignores the seed
    result["bad_data"] = [bad_data(label, clean, seed) for label in DAMAGES for seed in chances[label]]
    result["counts"] = [counts(name) for name in FILES]
    result["halves"] = [halves(name) for name in FILES]
    result["forgotten"] = [forgotten(name, clean[name]) for name in ("CMU 02_01", "subject01")]
    plain = json.loads(json.dumps(result, default=float))
    print(f"results are in {pages.save('markers', options, plain, page(plain))}")


if __name__ == "__main__":
    main()
