"""Grade a class's submissions safely: what a score is made of provably passed, and nothing else counts."""
