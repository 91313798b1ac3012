"""Helpers that tests share: courses, classes, fake servers and hand-ins."""
