"""The untrusted side: what runs inside the jail. Standard library alone; nothing here is imported by tests."""
