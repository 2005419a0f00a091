"""The optional libraries of pictures, asked for in one place."""

from __future__ import annotations

from manikin.errors import Unsupported


def require_matplotlib(what: str) -> None:
    """Raise Unsupported, saying what to install, where matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise Unsupported(f'{what} needs matplotlib, which is not installed; pip install "manikin[plot]"') from error
