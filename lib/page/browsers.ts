/** What the page is made for, as esbuild names them. */
export const browsers = ['chrome123', 'firefox128', 'safari17.4'] as const
