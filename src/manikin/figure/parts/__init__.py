"""Which part of a body each segment is."""
