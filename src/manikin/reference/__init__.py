"""The native core in plain NumPy: the version to read, and the one the tests hold the native core equal to."""
