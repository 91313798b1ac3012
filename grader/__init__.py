"""Grade a class's submissions safely: what a score is made of provably passed, and nothing else counts."""

__version__ = "0.2.0"
"""The version of the kit; pyproject.toml takes it from here."""
