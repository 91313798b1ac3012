"""Grade a class's submissions safely: points are given only for what provably passed."""

__version__ = "0.2.0"  # the version of the kit; pyproject.toml takes it from here
