"""`manikin studio`: a page on which a figure is posed by hand."""

from __future__ import annotations

import click

from manikin.cli import say


@click.command()
@click.argument("file", required=False, metavar="[FILE]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes any free one.  [default: the first free one of 8770 to 8779]",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def studio(file: str | None, port: int | None, host: str, no_browser: bool) -> int:
    """Pose a figure by hand in the browser.

    FILE is a figure in any format that manikin reads, a scene of the studio (.manikin.json), or human or quadruped. A
    scene is the only file that is ever written, when you save it. Ctrl C ends the studio.

    \b
    Example:
        manikin studio
        manikin studio walk.bvh --no-browser
        manikin studio dance.manikin.json
    """
    from manikin.errors import Unsupported
    from manikin.studio.opening import opening
    from manikin.studio.state import StateFolder

    try:
        from manikin.studio.serve import serve
    except ImportError as error:
        raise Unsupported(
            f'the studio needs {error.name}, which is not installed; pip install "manikin[studio]"'
        ) from error

    def listening(address: str, open_to_others: bool) -> None:
        if open_to_others:
            say.line(f"other machines can reach {host}; whoever has the address below can use the studio", err=True)
        say.line(address)
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    state = StateFolder()
    serve(opening(file, [state.files]), state, host, port, listening)
    return 0
