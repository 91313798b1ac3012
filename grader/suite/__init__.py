"""The hidden and visible tests, collected once, run for each submission against its jailed process."""
