"""The built-in person: its parts, proportions and ranges, and the limits for rigs of a person."""
