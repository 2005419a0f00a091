"""Everything that is saved goes through `manikin.base.writing`. Read off the source: a call that opens, makes, moves or
writes a file in any other way stands in `OTHERWISE` with its reason."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import manikin

PACKAGE = Path(manikin.__file__).parent
OTHERWISE = {
    "base/writing.py": {
        "writing": "writes to a pipe or a device, which cannot be replaced",
        "writing_path": "writes to a pipe or a device, which cannot be replaced",
        "temporary": "makes the temporary file",
        "put": "moves it to its name",
    },
    "base/reading.py": {"open_file": "opens a file for reading only"},
    "jobs/folder/lock.py": {"locked": "a lock is held, and has no content"},
    "jobs/folder/manifest.py": {
        "add": "appends a line to the manifest, so that a kill loses no earlier line",
        "__init__": "cuts off a line that a kill left incomplete",
    },
    "jobs/folder/places.py": {
        "workspace": "a private folder inside the results, which the next run empties",
        "_folder": "opens folders, and no file",
        "publish": "moves a result through open folders, so that no link is followed",
        "write": "writes into the private folder; `publish` moves it",
    },
    "jobs/folder/remote.py": {
        "workspace": "a private temporary folder",
        "fetched": "copies a remote file into a private temporary folder",
        "publish": "fsspec writes to a remote storage",
        "write": "fsspec writes to a remote storage",
    },
    "cli/play.py": {"play": "makes a temporary folder; `animate` writes into it"},
    "files/fbx/child.py": {"main": "writes to a pipe"},
    "files/gltf/display_looks.py": {"encoded_again": "writes into memory"},
    "files/safe/__init__.py": {"_ask": "nameless files between two processes"},
    "files/safe/child.py": {"leave": "writes to a pipe"},
    "files/tables/archive.py": {"write": "its caller passes a file of the writer"},
    "files/usd/__init__.py": {"save": "USD writes to the path of the writer"},
    "studio/archive.py": {
        "gltf_of": "a private temporary folder",
        "_unpack": "writes into a private temporary folder",
    },
    "studio/exports.py": {"exported": "a zip in memory, and a private temporary folder"},
    "studio/journal.py": {
        "begin": "a journal begins empty and grows by lines; it must not exist yet",
        "_write": "appends a line to the journal, so that a kill loses no earlier line",
        "_append": "takes back a line that could not be written whole",
        "resume": "cuts off a line that a kill left incomplete",
    },
    "studio/library.py": {
        "restore": "moves a pose back from the deleted ones",
        "_bury": "moves a pose to the deleted ones",
    },
    "studio/state.py": {"token": "makes a private file that must not exist, so that no link is followed"},
    "studio/tabs.py": {
        "_open": "moves a damaged journal out of the way",
        "begin": "moves the journal of the last scene out of the way",
    },
    "studio/uploads.py": {"_store": "writes an upload into a temporary file of the writer, in blocks"},
    "view/animation.py": {"_mp4": "the encoder writes into a private temporary folder"},
    "view/notebook.py": {"_repr_png_": "writes into memory"},
}
"""Functions that write otherwise, by file, and why."""
WRITES = {"write_text", "write_bytes", "savefig", "savez", "savez_compressed", "savetxt", "tofile", "Export"}
WRITES |= {"symlink_to", "hardlink_to", "truncate", "write_frames", "dump", "memmap"}
WRITES |= {"get_file", "put_file", "pipe_file"}
OF_MODULES = {
    "os": {"replace", "rename", "renames", "truncate", "link", "symlink", "mkfifo"},
    "shutil": {"copy", "copy2", "copyfile", "copyfileobj", "copytree", "move"},
    "tempfile": {"mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryFile", "TemporaryDirectory"},
    "np": {"save"},
}
OURS = ("mk", "files", "clips", "new_file", "pictures", "self", "scene", "bones", "StudioScene", "library")
"""What has a `save` of manikin: such a call goes through a door that is looked at itself."""


def calls(source: str) -> list[tuple[str, int, str]]:
    """(function, line, call) of every call that may write a file, and does not write to a file of the writer."""
    found: list[tuple[str, int, str]] = []

    def visit(node: ast.AST, function: str, files: frozenset[str]) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = node.name
        if isinstance(node, (ast.With, ast.AsyncWith)):
            files |= {name for item in node.items if (name := _file_of_writer(item)) is not None}
        if isinstance(node, ast.Call) and _may_write(node):
            given = {n.id for a in node.args for n in ast.walk(a) if isinstance(n, ast.Name)}
            if not given & files or _name(node) in ("open", "fdopen"):
                found.append((function, node.lineno, ast.unparse(node)[:90]))
        for child in ast.iter_child_nodes(node):
            visit(child, function, files)

    visit(ast.parse(source), "", frozenset())
    return found


def _file_of_writer(item: ast.withitem) -> str | None:
    call, name = item.context_expr, item.optional_vars
    if isinstance(call, ast.Call) and ast.unparse(call.func) == "writing.writing" and isinstance(name, ast.Name):
        return name.id
    return None


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _may_write(call: ast.Call) -> bool:
    name = _name(call)
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if owner == "os" and name == "open":
        return "O_RDONLY" not in ast.unparse(call)
    if name in ("open", "fdopen", "ZipFile", "TarFile", "FileHandler"):
        modes = [a for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Constant)]
        words = [str(a.value) for a in modes if isinstance(a.value, str)]
        return name == "FileHandler" or any(set(w) & set("wax+") and len(w) <= 4 for w in words)
    if name == "save" and (owner in ("np", "numpy") or owner.split(".")[0].split("(")[0] not in OURS):
        return bool(call.args)
    if name in ("replace", "rename") and owner not in ("os", "dataclasses", "") and len(call.args) == 1:
        return not call.keywords  # Path.replace; str.replace takes two
    if name == "touch" and owner:
        return not call.args
    return name in OF_MODULES.get(owner, ()) or (bool(owner) and name in WRITES)


def modules() -> list[str]:
    return [p.relative_to(PACKAGE).as_posix() for p in sorted(PACKAGE.rglob("*.py"))]


def test_everything_is_saved_by_the_one_writer() -> None:
    wrong = []
    for path in modules():
        allowed = OTHERWISE.get(path, {})
        text = (PACKAGE / path).read_text(encoding="utf-8")
        wrong += [f"{path}:{line} in {f}: {call}" for f, line, call in calls(text) if f not in allowed]
    assert not wrong, "use manikin.base.writing, or add the function to OTHERWISE with a reason:\n" + "\n".join(wrong)


@pytest.mark.parametrize("path", list(OTHERWISE))
def test_every_exception_is_still_one(path: str) -> None:
    used = {function for function, _, _ in calls((PACKAGE / path).read_text(encoding="utf-8"))}
    assert not set(OTHERWISE[path]) - used, "these functions write no file any more; remove them from OTHERWISE"


@pytest.mark.parametrize(
    "call",
    [
        "open(p, 'w')",
        "open(p, mode='xb')",
        "open(p, 'r+b')",
        "p.open('a')",
        "p.write_text('x')",
        "Path(p).write_bytes(b'')",
        "os.open(p, os.O_WRONLY | os.O_CREAT)",
        "os.fdopen(h, 'wb')",
        "np.save(p, x)",
        "np.savez(p, x=x)",
        "x.tofile(p)",
        "page.savefig(p)",
        "image.save(p)",
        "layer.Export(p)",
        "os.replace(a, b)",
        "shutil.copyfile(a, b)",
        "tempfile.mkstemp()",
        "zipfile.ZipFile(p, 'w')",
        "json.dump(x, open(p, 'w'))",
        "Path(a).replace(b)",
        "with writing.writing(p) as file:\n    page.savefig(q)",
    ],
)
def test_ways_to_write_are_found(call: str) -> None:
    assert calls(call)


@pytest.mark.parametrize(
    "call",
    [
        "open(p, 'rb')",
        "open(p)",
        "os.open(p, os.O_RDONLY)",
        "text.replace('a', 'b')",
        "replace(x, y=1)",
        "mk.save(motion, p)",
        "with writing.writing(p) as file:\n    page.savefig(file)\n    np.savez(file, x=x)",
        "writing.write(p, data)",
    ],
)
def test_reading_and_the_writer_are_fine(call: str) -> None:
    assert not calls(call)


ESCAPES = ("html.escape", "saxutils", "quoteattr", "click.echo", "click.secho", "Console(", 'TextColumn("{task.desc')
"""What escapes names, or prints them, in a way of its own."""


def test_names_are_escaped_and_printed_in_one_place() -> None:
    ours = ("base/names.py", "cli/say.py")
    wrong = [
        f"{path}: {word}"
        for path in modules()
        if path not in ours
        for word in ESCAPES
        if word in (PACKAGE / path).read_text(encoding="utf-8")
    ]
    assert not wrong, "use manikin.base.names, and manikin.cli.say in commands"
