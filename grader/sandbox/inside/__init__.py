"""The untrusted side: what runs inside the jail, with the standard library alone."""
