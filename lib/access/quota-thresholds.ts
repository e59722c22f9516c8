/** Percent of a window from which its owner is warned. */
export const threshold = 80

/** The request that does it. */
export const warnedAt = (limit: number): number => Math.ceil((limit * threshold) / 100)
