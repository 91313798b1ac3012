def dumps(*args):
    return '{}'
