import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds for which a process believes what it has read of who listens to an owner. */
export const subscriberCacheMs = 200

/** Whoever changes that waits for it before he answers: from then on all processes know. */
export const waitForCacheExpiry = () => sleep(subscriberCacheMs)
