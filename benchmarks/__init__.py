"""Benchmarks of manikin and its peers in one run on one machine: `python -m benchmarks` (`--quick` for a first
look)."""
