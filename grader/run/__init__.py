"""Whole runs: grade a class, here or on a cluster, and bring results up to date."""
