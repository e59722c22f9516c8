// Matches events against the rules of a notification configuration.
import type { QueueRule } from './bucket-settings.ts'

export function getFilterValue({ filters }: QueueRule, name: 'prefix' | 'suffix'): string {
  return filters.find((filter) => filter.name === name)?.value ?? ''
}

/** Returns true if both rules would match the same object and event. */
export function overlaps(rule: QueueRule, otherRule: QueueRule): boolean {
  const [prefixes, suffixes] = (['prefix', 'suffix'] as const).map(
    (name) => [getFilterValue(rule, name), getFilterValue(otherRule, name)] as const,
  )
  const [a = '', b = ''] = prefixes ?? []
  const [c = '', d = ''] = suffixes ?? []
  return (
    rule.events.some((event) =>
      otherRule.events.some((otherEvent) => coversEvent(event, otherEvent) || coversEvent(otherEvent, event)),
    ) &&
    (a.startsWith(b) || b.startsWith(a)) &&
    (c.endsWith(d) || d.endsWith(c))
  )
}

/** Whether a pattern covers an event, as s3:ObjectCreated:* covers s3:ObjectCreated:Put. */
export function coversEvent(pattern: string, event: string): boolean {
  return pattern === event || (pattern.endsWith(':*') && event.startsWith(pattern.slice(0, -1)))
}
