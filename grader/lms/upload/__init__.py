"""Send scores to a platform, in a way that can be stopped anywhere and repeated."""
