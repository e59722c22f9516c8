import { setTimeout as sleep } from 'node:timers/promises'

/** How long a process may cache an owner's subscribers, in milliseconds. */
export const subscriberCacheMs = 200

/** After changing subscribers, wait this long before replying, so that no process still uses the old list. */
export const waitForCacheExpiry = () => sleep(subscriberCacheMs)
