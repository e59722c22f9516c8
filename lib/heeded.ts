import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds for which a process believes what it has read of who listens to an owner. */
export const believedMs = 200

/** Whoever begins to listen waits for it: from then on no process believes any more that nobody does. */
export const untilHeeded = () => pause(believedMs)
