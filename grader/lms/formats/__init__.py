"""One module a platform: the score file that it imports."""
