"""The autograder archive for Gradescope."""
