/** Browsers that the page supports, in esbuild's notation. */
export const browserTargets = ['chrome123', 'firefox128', 'safari17.4'] as const
