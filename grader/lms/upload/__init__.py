"""Send scores to a platform, in a way that can be broken off and repeated."""
