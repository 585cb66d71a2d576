"""Takes all the memory it can get."""

hoard = []
while True:
    hoard.append(bytearray(1 << 20))
