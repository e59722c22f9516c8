"""Runs a program and adopts its orphaned processes.

If a sandbox is killed, its processes lose their parent, and their CPU time counts for the process that reaps them: usually
process 1, where it cannot be measured. Here it counts as that of this process's children.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

prctl = ctypes.CDLL(None).prctl
prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
# Signals are blocked until they can be forwarded to the program: otherwise one would end only this process.
FORWARDED = (signal.SIGTERM, signal.SIGINT)
signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
program = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, setsigmask=())
for number in FORWARDED:
    signal.signal(number, lambda number, _frame: os.kill(program, number))
signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
# An aborted benchmark leaves no service behind.
prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
while True:
    pid, status = os.wait()
    if pid == program:
        sys.exit(os.waitstatus_to_exitcode(status))
