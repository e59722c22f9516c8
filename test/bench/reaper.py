"""Runs a program, and takes in what is left behind of its processes.

A sandbox that is ended loses its parent, and whoever reaps it then gets its processor time: usually process 1, which
nobody can ask. Here it counts as that of this process's children.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

prctl = ctypes.CDLL(None).prctl
prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
# A signal that comes before the program can be told of it waits: it would end this process alone.
ending = (signal.SIGTERM, signal.SIGINT)
signal.pthread_sigmask(signal.SIG_BLOCK, ending)
program = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, setsigmask=())
for number in ending:
    signal.signal(number, lambda number, _frame: os.kill(program, number))
signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)
# A benchmark that breaks off leaves no service behind.
prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
while True:
    pid, status = os.wait()
    if pid == program:
        sys.exit(os.waitstatus_to_exitcode(status))
