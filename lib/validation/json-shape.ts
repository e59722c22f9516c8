/**
 * Maximum depth of nested objects and lists: requests need ten, and more could overflow the stack of recursive code.
 */
export const maxJsonDepth = 100
/** Maximum number of values: a job of a thousand tasks has about 20,000, and parsing more would take too long. */
export const maxJsonValues = 50_000

const getCode = (character: string) => character.charCodeAt(0)
const [quote, backslash, comma, colon] = [getCode('"'), getCode('\\'), getCode(','), getCode(':')]
const [openObject, closeObject, openList, closeList] = [
  getCode('{'),
  getCode('}'),
  getCode('['),
  getCode(']'),
]

/**
 * Returns what is wrong with the size of a JSON text, before it is parsed. Takes time in proportion to its length.
 * @param json text that may be invalid.
 */
export function findJsonExcess(json: string): string | undefined {
  let [depth, values] = [0, 1]
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case quote:
        at = findEndOfString(json, at)
        break
      case openObject:
      case openList:
        depth++
        values++
        break
      case closeObject:
      case closeList:
        depth--
        break
      case comma:
        values++
        break
    }
    if (depth > maxJsonDepth)
      return `nested too deeply: expected at most ${maxJsonDepth} levels of objects and arrays`
    if (values > maxJsonValues) return `too large: expected at most ${maxJsonValues} JSON values`
  }
  return undefined
}

/** Returns the position of the unescaped quote that ends a string, or the end of the text if there is none. */
function findEndOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashStart = end
    while (json.charCodeAt(backslashStart - 1) === backslash) backslashStart--
    if ((end - backslashStart) % 2 === 0) return end
  }
  return json.length
}

/** Returns a name that an object contains twice. @param json valid JSON within the limits. */
export function findDuplicateName(json: string): string | undefined {
  const openObjectNames: (Set<string> | undefined)[] = []
  let lastString = ''
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case quote: {
        const end = findEndOfString(json, at)
        lastString = json.slice(at, end + 1)
        at = end
        break
      }
      case openObject:
        openObjectNames.push(new Set())
        break
      case openList:
        openObjectNames.push(undefined)
        break
      case closeObject:
      case closeList:
        openObjectNames.pop()
        break
      case colon: {
        const name = String(JSON.parse(lastString))
        const names = openObjectNames.at(-1)
        if (names?.has(name)) return name
        names?.add(name)
      }
    }
  }
  return undefined
}
