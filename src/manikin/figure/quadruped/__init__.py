"""A four-legged animal."""
