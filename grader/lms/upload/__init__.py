"""Send scores to a platform so that it can always be done again."""
