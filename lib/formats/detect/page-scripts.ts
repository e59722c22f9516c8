const scriptTagPattern = /(?:<|&lt;)(?:\w{1,20}:)?script\b([^<>]{0,4000})/gi
/** Matches linked scripts, which are not loaded because pages are converted without network access. */
const linkedScriptPattern = /\ssrc\s{0,9}=\s{0,9}["']?\s{0,9}(?!data:)[^\s"'>]/i
const typeAttributePattern = /\stype\s{0,9}=\s{0,9}["']?\s{0,9}([\w/+.-]{1,60})/i
const scriptTypePattern = /^module$|(?:java|ecma|j)script/i
/** Event handler attributes whose scripts run without an action of the user. */
const handlerPattern =
  /<[a-z][^<>]{0,4000}?\son(?:load|error|pageshow|focus|toggle|begin|animation[a-z]{3,9}|transition[a-z]{3,9})\s{0,9}=/i

/**
 * Whether a page contains scripts that run when it is opened.
 * @param html decoded as Latin-1, one character per byte.
 */
export function hasScripts(html: string): boolean {
  // Removes the zero bytes of UTF-16, so that tags are recognized.
  const text = html.replaceAll('\0', '')
  if (handlerPattern.test(text)) return true
  return [...text.matchAll(scriptTagPattern)].some(([, attributes = '']) => {
    const type = typeAttributePattern.exec(attributes)?.[1]
    return !linkedScriptPattern.test(attributes) && (type === undefined || scriptTypePattern.test(type))
  })
}
