import type * as z from 'zod'
import { eventExamples } from '../../events/examples/index.ts'
import { eventDescriptions, eventNames } from '../../events/index.ts'
import { contract } from '../../lib/http/contract.ts'
import { WebhookHeaders } from '../../lib/http/openapi/webhooks.ts'
import { htmlPageContract, htmlPageHeaders, renderHtmlPage } from './html-page.ts'

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
/** Renders a description as HTML; it may contain Markdown code spans. */
const renderProse = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
const renderJson = (value: unknown) => `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`
const renderFields = (fields: Readonly<Record<string, z.ZodType>>) =>
  `<dl>${Object.entries(fields)
    .map(
      ([name, { description = '' }]) => `<dt><code>${name}</code></dt><dd>${renderProse(description)}</dd>`,
    )
    .join('')}</dl>`

function renderPage(): string {
  const events = eventNames
    .map(
      (name) =>
        `<h3 id="${name}"><code>${name}</code></h3><p>${eventDescriptions[name]}</p><details><summary>Example</summary>${renderJson(eventExamples[name])}</details>`,
    )
    .join('')
  return renderHtmlPage(
    'Events',
    `<h1>Events</h1>
<p>The service sends events, so that clients need not poll. The <a href="/docs">API reference</a> describes the endpoints, <a href="/v1/asyncapi.json"><code>asyncapi.json</code></a> is the machine-readable version of this page.</p>
<h2>How to receive events</h2>
<dl>
<dt>Webhooks</dt><dd>${renderProse('Create a webhook with `POST /v1/webhooks` and a URL to which the selected events are posted, or send `webhookUrl` with a job for that job only. Each event is delivered at least once. The events of a job are first sent in the order of `sequence`; failed deliveries are retried later. Process each `id` once.')}</dd>
<dt>WebSocket</dt><dd>${renderProse('`/v1/ws/user/jobs` sends the events of all your jobs, `/v1/ws/jobs/{jobId}` those of one job. After a lost connection, `resume` with the last `seq` to get the missed events.')} The <a href="/docs">API reference</a> lists the frames and close codes in the section Live.</dd>
<dt>Server-sent events</dt><dd>${renderProse('`GET /v1/jobs/{jobId}/events` for an `EventSource`. Behind a gateway that limits replies to 29 s it is a series of short streams; browsers reconnect automatically with `Last-Event-ID`.')}</dd>
</dl>
<h2>Signatures of webhooks</h2>
<p>${renderProse('Both signature headers sign the raw bytes of the body, with different keys: `X-Webhook-Signature` with the whole secret as text, `webhook-signature` with the decoded part after `whsec_`. After a rotation, the old secret signs too, for the time that you requested.')}</p>
${renderFields(WebhookHeaders.shape)}
<h2>All events</h2>
${events}`,
  )
}

/** The documentation page about events. */
export const eventPage = contract({
  ...htmlPageContract,
  path: '/docs/events',
  summary: 'Page about events: webhooks, WebSockets, server-sent events',
  cacheKey: () => 'page',
  handle: () => ({ data: renderPage(), headers: htmlPageHeaders }),
})
