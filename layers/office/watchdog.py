"""Notices an office that waits for something that never comes."""

import threading

# A conversion that computes uses its processor all the time; one that has used none for this long is stuck.
STALLED_S = 20
PERIOD_S = 2


class Watchdog:
    """While entered, calls `on_stall` once the office has used no processor time for STALLED_S seconds."""

    def __init__(self, office, on_stall):
        self._office = office
        self._on_stall = on_stall
        self._done = None

    def __enter__(self):
        self._done = threading.Event()
        threading.Thread(target=self._watch, args=(self._done,), daemon=True).start()

    def __exit__(self, *error):
        self._done.set()

    def _watch(self, done):
        ticks = self._office.cpu_ticks()
        idle_s = 0
        while not done.wait(PERIOD_S):
            now = self._office.cpu_ticks()
            idle_s = idle_s + PERIOD_S if now == ticks else 0
            ticks = now
            if idle_s >= STALLED_S:
                self._on_stall()
                return
