"""Score files, one module a platform, with ``make(order)`` in each."""
