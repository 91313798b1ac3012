"""Collect the visible and hidden tests once and run them for each submission against its jailed process."""
