open('@LOOT@/user', 'w').write('x')
