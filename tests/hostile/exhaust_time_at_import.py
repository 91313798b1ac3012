# Never comes to an end while it is imported.
while True:
    pass
