"""`python -m manikin` is the command `manikin`."""

from __future__ import annotations

from manikin.cli.main import main

if __name__ == "__main__":
    main(prog_name="python -m manikin")
