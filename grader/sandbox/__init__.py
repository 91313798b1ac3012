"""Run a submission where it can do no harm, and talk to it in plain data."""
