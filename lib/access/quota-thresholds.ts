/** Percentage of a quota at which its owner is warned. */
export const warningPercent = 80

/** Returns the number of the request that triggers the warning. */
export const getWarningCount = (limit: number): number => Math.ceil((limit * warningPercent) / 100)
