import { defined } from '../../lib/validation/defined.ts'

/** Webhooks in the format of the service whose API this is. lib/webhooks/compat-event.ts creates their events. */

const nativeEventNames = {
  'job.created': 'job.created',
  'job.finished': 'job.completed',
  'job.failed': 'job.failed',
} as const
type CompatEventName = keyof typeof nativeEventNames

export const toNativeEvents = (events: readonly CompatEventName[]) =>
  [...new Set(events)].map((event) => nativeEventNames[event])

export interface NativeWebhook {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly enabled: boolean
  readonly secret?: string
  readonly createdAt: string
  readonly updatedAt: string
}

export const toCompatWebhookView = (
  { id, url, events, enabled, secret, createdAt, updatedAt }: NativeWebhook,
  base: string,
) => ({
  id,
  url,
  events: Object.entries(nativeEventNames).flatMap(([compatName, name]) =>
    events.includes(name) ? [compatName] : [],
  ),
  disabled: !enabled,
  ...defined({ signing_secret: secret }),
  created_at: createdAt,
  updated_at: updatedAt,
  links: { self: `${base}/v2/webhooks/${id}` },
})
