"""The command line, `manikin`: one file a command, `main.py` ties them together."""
