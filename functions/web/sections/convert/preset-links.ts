import type { Values } from '../../options/option-values.ts'

/** A choice as an address, to be given away: target or tool and options, never a file. */
export interface Choice {
  readonly to?: string | undefined
  readonly tool?: string | undefined
  readonly values: Values
}

export function linkTo({ to, tool, values }: Choice): string {
  const query = new URLSearchParams(tool === undefined ? { to: to ?? '' } : { tool })
  for (const [name, value] of Object.entries(values)) query.set(name, String(value))
  return `${location.origin}/convert?${query}`
}

/** What no format, tool or option can be called is somebody else's. */
const isName = (text: string | null): text is string => text !== null && /^[a-z\d][\w.-]{0,40}$/i.test(text)
const notOptions = new Set(['to', 'tool', 'lang'])

export function choiceIn(query: URLSearchParams): Choice | undefined {
  const [to, tool] = [query.get('to'), query.get('tool')]
  if (!isName(to) && !isName(tool)) return undefined
  const values = Object.fromEntries([...query].filter(([name]) => isName(name) && !notOptions.has(name)))
  return isName(tool) ? { tool, values } : { to: to?.toLowerCase(), values }
}
