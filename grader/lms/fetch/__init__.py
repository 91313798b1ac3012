"""Bring what a class handed in from a learning platform."""
