"""A person: its parts, their proportions and ranges, and what a rig of a person borrows from them."""
