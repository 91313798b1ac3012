# A source of a long chain, which is deep once it is parsed.
x = 1@CHAIN@
