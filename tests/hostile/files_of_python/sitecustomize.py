open('@LOOT@/site', 'w').write('x')
