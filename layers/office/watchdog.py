"""Detects an office that hangs without using the processor."""

import os
import threading

# An idle office wakes up occasionally; one that is converting uses far more than this fraction of a core.
IDLE_LOAD = 0.02
PERIODS = 5
TICKS_PER_S = os.sysconf('SC_CLK_TCK')


class Watchdog:
    """Context manager: calls `on_stall` once the office has hardly used the processor for `stall_s` seconds."""

    def __init__(self, office, stall_s, on_stall):
        self._office = office
        self._period_s = stall_s / PERIODS
        self._on_stall = on_stall
        self._done = None

    def __enter__(self):
        self._done = threading.Event()
        threading.Thread(target=self._watch, args=(self._done,), daemon=True).start()

    def __exit__(self, *error):
        self._done.set()

    def _watch(self, done):
        ticks = self._office.cpu_ticks()
        idle_periods = 0
        while not done.wait(self._period_s):
            now = self._office.cpu_ticks()
            is_idle = now - ticks <= self._period_s * IDLE_LOAD * TICKS_PER_S
            idle_periods = idle_periods + 1 if is_idle else 0
            ticks = now
            if idle_periods == PERIODS:
                self._on_stall()
                return
