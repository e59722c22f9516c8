/** Percent of a window from which its owner is warned. */
export const warningPercent = 80

/** The request that does it. */
export const warningCount = (limit: number): number => Math.ceil((limit * warningPercent) / 100)
