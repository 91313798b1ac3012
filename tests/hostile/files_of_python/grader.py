points = 20
