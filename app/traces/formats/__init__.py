"""Trace formats: one file each, ending in `FORMAT = Format(...)`; nothing else is edited."""
