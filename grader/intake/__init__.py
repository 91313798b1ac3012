"""What a class handed in -> Submissions: one module a platform's naming, one safe unpacker."""
