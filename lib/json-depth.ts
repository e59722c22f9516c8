/** Objects and lists within each other: what clients send needs ten, and what walks through them has no endless stack. */
export const maxJsonDepth = 100

/** @param text that is JSON, of which nothing has to be true but that. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    if (depth > maxJsonDepth) return true
  }
  return false
}
