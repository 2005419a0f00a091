"""Checks for the optional libraries of pictures."""

from __future__ import annotations

from manikin.errors import Unsupported


def require_matplotlib(what: str) -> None:
    """Raises Unsupported, with the package to install, if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise Unsupported(f'{what} needs matplotlib, which is not installed; pip install "manikin[plot]"') from error
