"""The command line, `manikin`: one file for each command. `main.py` combines them."""
