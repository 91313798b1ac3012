"""Keep results in nbgrader's gradebook, and lay out a native nbgrader course."""
