"""One module a command of the command line; each is thin and names the work it starts."""
