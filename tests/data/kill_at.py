"""Runs a program and kills it at its Nth system call (counted at entry and at return); exit 0 if it ended before.

kill_at.py N PROGRAM [ARGUMENT...] exits 9 when it was killed. Programs that it starts are not counted.
"""

import ctypes
import os
import signal
import sys

TRACEME, SYSCALL, SETOPTIONS = 0, 24, 0x4200
TRACESYSGOOD, EXITKILL = 1, 0x100000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

stop, program = int(sys.argv[1]), sys.argv[2:]
child = os.fork()
if child == 0:
    libc.ptrace(TRACEME, 0, None, None)
    os.execv(program[0], program)
os.waitpid(child, 0)
libc.ptrace(SETOPTIONS, child, None, TRACESYSGOOD | EXITKILL)
count, pending = 0, 0
while True:
    libc.ptrace(SYSCALL, child, None, pending)
    _, status = os.waitpid(child, 0)
    pending = 0
    if os.WIFEXITED(status):
        print(count)
        sys.exit(os.WEXITSTATUS(status))
    if os.WIFSIGNALED(status):
        sys.exit(10)
    if os.WSTOPSIG(status) == signal.SIGTRAP | 0x80:
        count += 1
        if count >= stop:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            sys.exit(9)
    elif os.WSTOPSIG(status) != signal.SIGTRAP:
        pending = os.WSTOPSIG(status)
