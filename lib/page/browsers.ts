/** What the page is made for, as esbuild names them. */
export const browserTargets = ['chrome123', 'firefox128', 'safari17.4'] as const
