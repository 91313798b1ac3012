"""Run a submission in a jail and exchange plain data with it."""
