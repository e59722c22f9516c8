/**
 * Describes an invalid URL in messages and logs, without parts that may be secret: credentials, path and query. If the
 * text is not a URL, it is cut before the first character that may start such a part.
 */
export function describeUrl(text: string): string {
  const url = URL.parse(text)
  return url ? `${url.protocol}//${url.host}` : (/^[^/?#@]{0,100}/.exec(text)?.[0] ?? '')
}
