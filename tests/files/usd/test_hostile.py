"""USD files that are broken or mean harm: one BadFile each, in bounded time and memory."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pxr", reason="usd-core is not installed")

from usd_truth import animation, matrix, skeleton, stage

import manikin as mk
from manikin.errors import BadFile, OddFile, Unsupported
from manikin.files.usd import crate, guard
from manikin.files.usd.layers import survey

JOINTS = ("Hip", "Hip/Knee")
REST = (matrix((0, 1, 0)), matrix((0, -0.5, 0)))
BOUND = "rel skel:animationSource = </Model/Walk>"
FRAME = [((0, 1, 0), (1, 0, 0, 0), (1, 1, 1)), ((0, -0.5, 0), (1, 0, 0, 0), (1, 1, 1))]


def good(walk=None):
    walk = animation("Walk", JOINTS, {1: FRAME, 2: FRAME}) if walk is None else walk
    return stage(skeleton("Skel", JOINTS, REST, BOUND) + walk)


def written(folder, text, name="a.usda"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refused(path, match):
    with pytest.raises(BadFile, match=match) as told:
        mk.load_figure(path)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 600
    return told.value


# Names that lead elsewhere


@pytest.mark.parametrize(
    "name", ["../rig.usda", "./sub/../../rig.usda", "{root}/rig.usda", "https://host/rig.usda", "link/rig.usda"]
)
@pytest.mark.parametrize("how", ["(references = @NAME@) {", "(payload = @NAME@) {", "SUB"])
def test_layers_outside_of_the_folder_are_not_opened(name, how, tmp_path):
    written(tmp_path, good(), "rig.usda")
    inside = tmp_path / "in"
    inside.mkdir()
    os.symlink(tmp_path, inside / "link")
    name = name.format(root=tmp_path)
    text = f"#usda 1.0\n(\n subLayers = [@{name}@]\n)\n" if how == "SUB" else f'#usda 1.0\ndef "A" {how}\n}}\n'
    error = refused(written(inside, text.replace("NAME", name)), "not in the folder of the file; within=FOLDER allows")
    assert repr(name) in str(error)


def test_a_layer_outside_is_found_through_others_and_in_variants_that_are_not_chosen(tmp_path):
    written(tmp_path, good(), "rig.usda")
    written(tmp_path, '#usda 1.0\ndef "B" (references = @../../rig.usda@) { }\n', "in/deep/b.usda")
    refused(
        written(tmp_path, '#usda 1.0\ndef "A" (references = @deep/b.usda@</B>) { }\n', "in/a.usda"), "not in the folder"
    )
    variants = """#usda 1.0
def "A" (
    prepend variantSets = "v"
    variants = { string v = "x" }
)
{
    variantSet "v" = {
        "x" { }
        "y" (references = @../rig.usda@) { }
    }
}
""".replace("{ }", "{\n }")
    refused(written(tmp_path, variants, "in/v.usda"), "not in the folder")


def test_a_layer_is_not_taken_from_the_current_folder(tmp_path, monkeypatch):
    written(tmp_path, good(), "elsewhere/rig.usda")
    monkeypatch.chdir(tmp_path / "elsewhere")
    path = written(tmp_path, '#usda 1.0\ndef "A" (references = @rig.usda@) { }\n', "in/a.usda")
    refused(path, "not in the folder")


def test_the_folder_of_a_file_may_be_a_link(tmp_path):
    written(tmp_path, good(), "real/rig.usda")
    written(tmp_path, '#usda 1.0\ndef "A" (references = @rig.usda@) { }\n', "real/a.usda")
    os.symlink(tmp_path / "real", tmp_path / "link")
    assert len(mk.load_figure(tmp_path / "link" / "a.usda").segments) == 2


def test_names_that_cannot_be_checked_are_not_followed(tmp_path):
    path = written(tmp_path, '#usda 1.0\ndef "A" (references = @`"${X}.usd"`@) { }\n')
    with pytest.raises(Unsupported, match="is the expression"):
        mk.load_figure(path)
    clips = '#usda 1.0\ndef "A" (clips = { dictionary default = { asset[] assetPaths = [@../x.usd@] } }) { }\n'
    with pytest.raises(Unsupported, match="value clips"):
        mk.load_figure(written(tmp_path, clips))


# Too much of it


def test_references_that_go_round_in_a_circle(tmp_path):
    written(tmp_path, '#usda 1.0\ndef "B" (references = @a.usda@</A>) { }\n', "b.usda")
    path = written(tmp_path, '#usda 1.0\ndef "A" (references = @b.usda@</B>) { }\n')
    refused(path, "references form a cycle: .*/A")
    refused(written(tmp_path, '#usda 1.0\ndef "A" {\n def "B" (references = </A>) { }\n}\n'), "form a cycle")
    refused(
        written(tmp_path, '#usda 1.0\nclass "C" (inherits = </D>) { }\ndef "D" (inherits = </C>) { }\n'),
        "references form a cycle",
    )
    written(tmp_path, "#usda 1.0\n(\n subLayers = [@a.usda@]\n)\n", "c.usda")
    refused(written(tmp_path, "#usda 1.0\n(\n subLayers = [@c.usda@]\n)\n"), "sublayers form a cycle")


@pytest.mark.parametrize("through", ["</P{}>", "</Q{}/x>"])
def test_references_that_multiply_are_counted_before_they_are_followed(through, tmp_path):
    lines = ["#usda 1.0"]
    for k in range(12):
        children = "\n".join(f'def "c{i}" (references = {through.format(k + 1)}) {{ }}' for i in range(10))
        lines.append(
            f'def "P{k}" {{\n def "x" {{\n{children}\n}}\n{children}\n}}\ndef "Q{k}" (references = </P{k}>) {{ }}'
        )
    lines.append('def "P12" {\n def "x" { }\n}\ndef "Q12" (references = </P12>) { }')
    refused(written(tmp_path, "\n".join(lines)), "more than 500000 prims")


def test_references_that_do_not_multiply_are_read(tmp_path):
    rig = skeleton("Skel", JOINTS, REST)
    lines = ["#usda 1.0", f'def SkelRoot "P0" {{\n{rig}\n}}']
    lines += [f'def "P{k}" (references = </P{k - 1}>) {{ }}' for k in range(1, 30)]
    path = written(tmp_path, "\n".join(lines))
    with pytest.warns(OddFile, match="with the same name"):
        assert len(mk.load_figure(path).segments) == 61
    assert survey(str(path)).missing == []


@pytest.mark.parametrize(
    "text",
    [
        'def "a" {\n' * 20_000 + "}\n" * 20_000,
        'def "a" { double x = ' + "(" * 200_000 + "1" + ")" * 200_000 + " }",
        'def "a" { double[] x = ' + "[" * 200_000 + "]" * 200_000 + " }",
        'def "a" ( customData = {' + "dictionary a = {\n" * 50_000 + "}\n" * 50_000 + "} ) { }",
        'def "a" { string s = "}}}}}}}}}}"\n double x = ' + "( # )))\n" * 2000 + "1" + ")" * 2000 + " }",
    ],
)
def test_brackets_within_brackets_are_counted_before_they_are_parsed(text, tmp_path):
    refused(written(tmp_path, "#usda 1.0\n" + text), "levels deep")


def test_brackets_in_strings_and_comments_are_none(tmp_path):
    noise = 'custom string s = "' + "(" * 3000 + '"\ncustom asset b = @' + "[" * 3000 + "@\n# " + "{" * 3000
    noise += '\ncustom string t = """' + '\\""" (\n' * 2000 + '"""\n'
    assert len(mk.load_figure(written(tmp_path, good() + f'def "N" {{\n{noise}\n}}\n')).segments) == 2


@given(st.lists(st.sampled_from("()[]{}"), max_size=60))
def test_nesting_is_the_largest_number_of_brackets_open_at_once(brackets):
    depth = np.cumsum([1 if b in "([{" else -1 for b in brackets], dtype=int)
    assert guard.nesting("".join(brackets).encode()) == max(0, depth.max(initial=0))


def test_a_billion_samples_are_refused_by_their_number(tmp_path, monkeypatch):
    monkeypatch.setattr("manikin.files.usd.content.MOST_SAMPLES", 5)
    refused(written(tmp_path, good()), "6 samples of joints; the limit is 5")


def test_a_thousand_joints_in_a_row_are_read(tmp_path):
    tokens = ["/".join(["j"] * k) for k in range(1, 1001)]
    with pytest.warns(OddFile, match="with the same name"):
        figure = mk.load_figure(written(tmp_path, stage(skeleton("Skel", tokens, [REST[0]] * 1000))))
    assert figure.size == pytest.approx(999)


# Numbers and lists that are wrong


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("(0.0, -0.5, 0.0)", "(nan, -0.5, 0.0)", r"Walk\.translations at time code 1\[1\] has nan"),
        ("(0.0, -0.5, 0.0)", "(inf, -0.5, 0.0)", r"has inf"),
        ("(1.0, 0.0, 0.0, 0.0)", "(0, 0, 0, 0)", "a rotation of Hip is the zero quaternion"),
        ("(1.0, 0.0, 0.0, 0.0)", "(nan, 0, 0, 0)", "has nan"),
        ("(1.0, 1.0, 1.0), (1.0, 1.0, 1.0)", "(1, 1, 1)", "time code 1: there are 1 scales for 2 joints"),
        ("restTransforms = [((1.0", "restTransforms = [((nan", r"restTransforms\[0\] has nan"),
        ("restTransforms = [((1.0", "restTransforms = [((1e308", r"has 1e\+308"),
        ("((1.0,0.0,0.0,0.0)", "((1.0,0.0,0.0,0.5)", "is a projection"),
        ("matrix4d[] rest", "float3[] rest", r"for attribute of type float3\[\]"),
        ("half3[] scales", "int[] scales", r"for attribute of type int\[\]"),
        ('"Hip/Knee"]\n    uniform matrix4d', '"Hip"]\n    uniform matrix4d', "has repeated joints: Hip"),
        ('defaultPrim = "Model"', "metersPerUnit = 0", "metersPerUnit is 0"),
        ('defaultPrim = "Model"', "metersPerUnit = nan", "metersPerUnit is nan"),
        ('defaultPrim = "Model"', "timeCodesPerSecond = 0", "timeCodesPerSecond is 0"),
        ('defaultPrim = "Model"', 'upAxis = "W"', "upAxis is 'w'"),
        ("1: [", "nan: [", "not a usable number|verification|has nan"),
        ("1: [", "1e300: [", "not a usable number"),
        ("def Skeleton", "def Xform", "the file has no skeleton"),
    ],
)
def test_what_is_wrong_is_named(old, new, match, tmp_path):
    assert old in good()
    refused(written(tmp_path, good().replace(old, new)), match)


def test_attributes_of_another_type_are_named(tmp_path):
    typed = good().replace("half3[] scales.timeSamples = {", "int[] scales.timeSamples = {")
    typed = typed.replace("[(1.0, 1.0, 1.0), (1.0, 1.0, 1.0)]", "[1, 2]")
    refused(written(tmp_path, typed), r"scales at time code 1 is of type IntArray; it needs an array of 3 numbers")


def test_text_that_cannot_be_parsed_is_told_with_its_line(tmp_path):
    text = good()
    line = text[: text.index("restTransforms")].count("\n") + 1
    error = refused(written(tmp_path, text.replace("restTransforms = [", "restTransforms = [oops ")), "line")
    assert error.line == line
    error = refused(written(tmp_path, text[: text.index("rotations") + 40]), "line")
    assert error.line is not None
    assert "pxrInternal" not in str(error)


@pytest.mark.parametrize("cut", [0.02, 0.3, 0.6, 0.95, 0.99])
def test_a_file_that_is_cut_off_is_refused(cut, tmp_path):
    arm = mk.chain(3)
    mk.save(mk.Motion(arm, arm.random(np.random.default_rng(0), 5)), tmp_path / "a.usdc")
    whole = (tmp_path / "a.usdc").read_bytes()
    refused(written(tmp_path, whole[: int(cut * len(whole))], "cut.usdc"), r"cut\.usdc")
    text = good()
    refused(written(tmp_path, text[: int(cut * len(text))], "cut.usda"), r"cut\.usda")


def test_a_name_that_does_not_fit_the_content_is_told(tmp_path):
    refused(written(tmp_path, good(), "a.usdc"), "begins like USD text")
    refused(written(tmp_path, good(), "a.usdz"), "begins like USD text")
    refused(written(tmp_path, b"PK\x03\x04" + bytes(100), "a.usd"), "ZIP")
    written(tmp_path, b"not usd at all", "b.usda")
    refused(written(tmp_path, '#usda 1.0\ndef "A" (references = @b.usda@) { }\n'), "the extension .usda means")


# Binary files


def crate_bytes(tmp_path):
    mk.save(mk.chain(3), tmp_path / "a.usdc")
    return bytearray((tmp_path / "a.usdc").read_bytes())


def test_a_crate_may_not_promise_more_than_it_has(tmp_path):
    data = crate_bytes(tmp_path)
    crate.check("a.usdc", bytes(data))
    (contents,) = struct.unpack_from("<q", data, 16)
    (count,) = struct.unpack_from("<Q", data, contents)
    assert count == 6
    with pytest.raises(BadFile, match="234750209 sections") as told:
        crate.check("a.usdc", bytes(data[:contents] + struct.pack("<Q", 234750209) + data[contents + 8 :]))
    assert told.value.offset == contents
    for k in range(count):
        _, start, _ = struct.unpack_from("<16sqq", data, contents + 8 + 32 * k)
        hurt = bytearray(data)
        struct.pack_into("<Q", hurt, start, 10**9)
        refused(written(tmp_path, bytes(hurt), "b.usdc"), "too few for the 1000000000 elements")
        hurt = bytearray(data)
        struct.pack_into("<q", hurt, contents + 8 + 32 * k + 16, 10**9)
        refused(written(tmp_path, bytes(hurt), "b.usdc"), "outside the file")
    struct.pack_into("<q", data, 16, -5)
    refused(written(tmp_path, bytes(data), "b.usdc"), "the header puts the table of contents at byte -5")


# Archives


def archive(tmp_path, entries, name="a.usdz", **options):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **options) as z:
        for inner, content in entries:
            z.writestr(inner, content)
    return written(tmp_path, buffer.getvalue(), name)


def test_a_plain_archive_is_read(tmp_path):
    path = archive(tmp_path, [("rig.usda", good()), ("tex/a.png", b"x")])
    assert len(mk.load_motion(path)) == 2


def test_an_archive_may_refer_to_its_own_files_only(tmp_path):
    shot = '#usda 1.0\ndef "A" (references = @./parts/rig.usda@) { }\n'
    assert len(mk.load_figure(archive(tmp_path, [("shot.usda", shot), ("parts/rig.usda", good())])).segments) == 2
    written(tmp_path, good(), "rig.usda")
    for name in ("../rig.usda", f"{tmp_path}/../rig.usda"):
        outside = shot.replace("./parts/rig.usda", name)
        with pytest.raises((BadFile, OddFile)):
            mk.load_figure(archive(tmp_path, [("shot.usda", outside)]))


@pytest.mark.parametrize("name", ["../evil.usda", "/abs.usda", "a/../../b.png", "..\\evil.png", "C:/x.png"])
def test_names_that_lead_out_of_an_archive_are_refused(name, tmp_path):
    refused(archive(tmp_path, [("rig.usda", good()), (name, b"x")]), "is outside the archive")


def test_compressed_files_in_an_archive_are_refused(tmp_path):
    bomb = archive(tmp_path, [("rig.usda", b"#usda 1.0\n" + b" " * 50_000_000)], compression=zipfile.ZIP_DEFLATED)
    assert bomb.stat().st_size < 100_000
    refused(bomb, "is compressed")


def test_an_archive_in_an_archive_is_refused(tmp_path):
    inner = archive(tmp_path, [("rig.usda", good())], "inner.usdz").read_bytes()
    refused(archive(tmp_path, [("rig.usda", good()), ("inner.usdz", inner)]), "contains another archive")


def test_the_first_file_of_an_archive_is_a_stage(tmp_path):
    refused(archive(tmp_path, [("readme.txt", b"hello"), ("rig.usda", good())]), "first file of the archive")
    refused(archive(tmp_path, [("rig.usda", b"hello")]), "neither USD text nor binary USD")


def test_brackets_and_crates_in_an_archive_are_looked_at_too(tmp_path):
    refused(
        archive(tmp_path, [("rig.usda", "#usda 1.0\n" + "(" * 5000)]), "rig.usda: brackets are nested 5000 levels deep"
    )
    data = crate_bytes(tmp_path)
    (contents,) = struct.unpack_from("<q", data, 16)
    struct.pack_into("<Q", data, contents, 10**9)
    refused(archive(tmp_path, [("rig.usdc", bytes(data))]), "rig.usdc: the table of contents")


def test_an_archive_that_says_two_things_is_refused(tmp_path):
    path = archive(tmp_path, [("rig.usda", good())])
    data = bytearray(path.read_bytes())
    data[30:38] = b"bad.usda"  # the name before the file; the directory at the end still says rig.usda
    refused(written(tmp_path, bytes(data), "b.usdz"), "disagree|broken")
    refused(written(tmp_path, path.read_bytes()[:-30], "b.usdz"), "archive is broken")
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, 22, 2**31)  # a size of two gigabytes
    refused(written(tmp_path, bytes(data), "b.usdz"), "disagree|broken")


@given(seed=st.integers(0, 10**6))
def test_broken_bytes_never_end_the_process(seed, tmp_path_factory):
    """Text, binary and archive, hurt at random: read, or one of our own errors."""
    rng = np.random.default_rng(seed)
    folder = tmp_path_factory.mktemp("broken")
    source = folder / "a.usdc"
    mk.save(mk.chain(2), source)
    ending = rng.choice([".usda", ".usdc", ".usdz"])
    content = {
        ".usda": lambda: good().encode(),
        ".usdc": source.read_bytes,
        ".usdz": archive(folder, [("rig.usda", good())]).read_bytes,
    }[ending]()
    hurt = bytearray(content)
    for _ in range(rng.integers(1, 6)):
        hurt[rng.integers(len(hurt))] = rng.integers(256)
    path = written(folder, bytes(hurt[: rng.integers(len(hurt) // 2, len(hurt) + 1)]), f"b{ending}")
    with warnings.catch_warnings(), contextlib.suppress(BadFile, Unsupported):
        warnings.simplefilter("ignore", OddFile)
        assert mk.load_figure(path).segments
