"""Helpers that several file formats share: rigs, meshes, XML, warnings."""
