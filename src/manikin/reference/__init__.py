"""The native core in plain NumPy, for reading. The tests require the native core to give equal results."""
