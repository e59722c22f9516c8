/**
 * Describes an invalid URL in messages and logs, without what may be a secret: its credentials, path and query. Text
 * that is no URL is shown up to the first character that may precede one.
 */
export function describeUrl(text: string): string {
  const url = URL.parse(text)
  return url ? `${url.protocol}//${url.host}` : (/^[^/?#@]{0,100}/.exec(text)?.[0] ?? '')
}
