/** Webhooks in the words of the other service. What they are sent is made in lib/webhooks/compat-event.ts. */

const ours = {
  'job.created': 'job.created',
  'job.finished': 'job.completed',
  'job.failed': 'job.failed',
} as const
type TheirEvent = keyof typeof ours

export const ourEvents = (events: readonly TheirEvent[]) => [...new Set(events)].map((event) => ours[event])

export interface OurWebhook {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly enabled: boolean
  readonly secret?: string
  readonly createdAt: string
  readonly updatedAt: string
}

export const theirWebhook = (
  { id, url, events, enabled, secret, createdAt, updatedAt }: OurWebhook,
  base: string,
) => ({
  ...{ id, url },
  events: Object.entries(ours).flatMap(([theirs, name]) => (events.includes(name) ? [theirs] : [])),
  disabled: !enabled,
  ...(secret !== undefined && { signing_secret: secret }),
  created_at: createdAt,
  updated_at: updatedAt,
  links: { self: `${base}/v2/webhooks/${id}` },
})
