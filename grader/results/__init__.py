"""OUT: every student's result on disk, with lateness and points by hand."""
