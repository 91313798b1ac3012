def encode(value):
    return 300
