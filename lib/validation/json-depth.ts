/** Maximum depth of nested objects and lists: requests need ten, and recursive code would overflow the stack. */
export const maxJsonDepth = 100

/** @param text any valid JSON. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    if (depth > maxJsonDepth) return true
  }
  return false
}
