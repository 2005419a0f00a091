"""The native solver: problems compiled for it, and the calls that run them."""
