"""What every room may use: opening and writing files, JSON and NumPy files from strangers, the escaping of names."""
