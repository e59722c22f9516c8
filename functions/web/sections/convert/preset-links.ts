import type { Values } from '../../options/option-values.ts'

/** A target or tool with its options, which can be shared as a link. The link never contains a file. */
export interface TargetChoice {
  readonly to?: string | undefined
  readonly tool?: string | undefined
  readonly values: Values
}

export function buildLink({ to, tool, values }: TargetChoice): string {
  const query = new URLSearchParams(tool === undefined ? { to: to ?? '' } : { tool })
  for (const [name, value] of Object.entries(values)) query.set(name, String(value))
  return `${location.origin}/convert?${query}`
}

/** Whether a text in the query can be the name of a format, tool or option; other texts are ignored. */
const isPlainName = (text: string | null): text is string =>
  text !== null && /^[a-z\d][\w.-]{0,40}$/i.test(text)
const reservedParams = new Set(['to', 'tool', 'lang'])

export function parsePreset(query: URLSearchParams): TargetChoice | undefined {
  const [to, tool] = [query.get('to'), query.get('tool')]
  if (!isPlainName(to) && !isPlainName(tool)) return undefined
  const values = Object.fromEntries(
    [...query].filter(([name]) => isPlainName(name) && !reservedParams.has(name)),
  )
  return isPlainName(tool) ? { tool, values } : { to: to?.toLowerCase(), values }
}
