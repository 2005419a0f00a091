"""The bone map on rigs that were picked, and whose parts were written down, before the mapper ran on them.

    python -m benchmarks.unseen_rigs FOLDER [--maps] [--set "first ten"]

FOLDER holds the files; `tests/figure/unseen_rigs/*.json` name their repository, path, commit and hash. A file is found
by its hash, so its name does not matter. Rigs whose file is not in FOLDER are skipped.
"""

import argparse
import hashlib
import json
import warnings
from pathlib import Path

import manikin as mk
from manikin.errors import BadValue

TRUTH = Path(__file__).parents[1] / "tests" / "figure" / "unseen_rigs"
ENDINGS = (".bvh", ".glb", ".gltf", ".vrm", ".fbx", ".usd", ".usda", ".usdz", ".urdf", ".xml")
SETS = ("first ten", "held out")


def parts_of(bones: mk.BoneMap) -> dict[str, tuple[str, ...]]:
    """The parts under the names of the truth files: the chest is the last stage of the spine, the neck the first."""
    parts = dict(bones.parts)
    spine = [name for name in parts if name.startswith("spine")]
    neck = [name for name in parts if name.startswith("neck")]
    parts["chest"] = parts[spine[-1] if spine else "pelvis"]
    if neck:
        parts["neck"] = tuple(segment for name in neck for segment in parts[name])
    return {name: parts[name] for name in parts if name not in (*spine, *neck) or name == "neck"}


def compare(truth: dict, parts: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """The parts by verdict.

    right: the main (last) segment is one of the true ones. near: a true segment belongs to the part, but another one
    is the main segment. wrong: no true segment belongs to the part. missing: the map lacks the part. extra: the map
    has a part that the rig lacks.
    """
    verdicts: dict[str, list[str]] = {word: [] for word in ("right", "near", "wrong", "missing", "extra")}
    for part, segments in truth["parts"].items():
        found = parts.get(part)
        if found is None:
            verdicts["missing"].append(part)
        elif found[-1] in segments:
            verdicts["right"].append(part)
        else:
            word = "near" if set(found) & set(segments) else "wrong"
            verdicts[word].append(f"{part}: {found[-1]}, not {segments[0]}")
    verdicts["extra"] = [f"{part}: {parts[part][-1]}" for part in truth["absent"] if part in parts]
    return verdicts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--maps", action="store_true", help="print the whole maps too")
    parser.add_argument("--set", choices=SETS, nargs="*", default=SETS, help="the sets of rigs to run")
    options = parser.parse_args()
    files = (path for path in sorted(options.folder.rglob("*")) if path.suffix.lower() in ENDINGS)
    by_hash = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in files}
    truths = [(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(TRUTH.glob("*.json"))]
    for which in options.set:
        print(f"{which}\n| rig | how | parts | right | near | wrong | missing | extra |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        details = []
        for name, truth in truths:
            if truth["set"] != which:
                continue
            if truth["sha256"] not in by_hash:
                print(f"| {name} | file not in the folder |  |  |  |  |  |  |")
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                figure = mk.load_figure(by_hash[truth["sha256"]])
            try:
                bones = mk.bone_map(figure)
            except BadValue as error:
                print(f"| {name} | refused | {len(truth['parts'])} | 0 | 0 | 0 | {len(truth['parts'])} | 0 |")
                details.append(f"- {name}: refused: {error}")
                continue
            verdicts = compare(truth, parts_of(bones))
            counts = " | ".join(str(len(verdicts[word])) for word in verdicts)
            print(f"| {name} | {bones.how} | {len(truth['parts'])} | {counts} |")
            details += [f"- {name}, {word}: {line}" for word in list(verdicts)[1:] for line in verdicts[word]]
            if options.maps:
                details.append(str(bones))
        print("", *details, "", sep="\n")


if __name__ == "__main__":
    main()
