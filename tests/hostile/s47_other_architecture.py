"""Makes system calls by another architecture's numbers, which a filter may have overlooked: x32, then 32 bits."""

import ctypes
import mmap

from tests.hostile.harness import say

X32 = 0x40000000
GETPID = 39
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(X32 + GETPID) > 0:
    say(attempt="x32", got=True, detail="answered")

code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("b814000000cd80c3"))  # getpid by interrupt 0x80
answer = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
say(attempt="int 0x80", got=answer > 0, detail=str(answer))
