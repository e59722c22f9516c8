import type * as z from 'zod'
import { eventExamples } from '../../events/examples/index.ts'
import { eventMeanings, eventNames } from '../../events/index.ts'
import { contract } from '../../lib/http/contract.ts'
import { WebhookHeaders } from '../../lib/http/openapi-webhooks.ts'
import { htmlPageContract, htmlPageHeaders, renderHtmlPage } from './html-page.ts'

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
/** Descriptions have names in the quotes of Markdown. */
const renderProse = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
const renderJson = (value: unknown) => `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`
const fieldList = (fields: Readonly<Record<string, z.ZodType>>) =>
  `<dl>${Object.entries(fields)
    .map(
      ([name, { description = '' }]) => `<dt><code>${name}</code></dt><dd>${renderProse(description)}</dd>`,
    )
    .join('')}</dl>`

function pageOf(): string {
  const events = eventNames
    .map(
      (name) =>
        `<h3 id="${name}"><code>${name}</code></h3><p>${eventMeanings[name]}</p><details><summary>Example</summary>${renderJson(eventExamples[name])}</details>`,
    )
    .join('')
  return renderHtmlPage(
    'Events',
    `<h1>Events</h1>
<p>The service tells you what happens, so that nobody has to ask. <a href="/docs">The reference</a> has the requests to it, <a href="/v1/asyncapi.json"><code>asyncapi.json</code></a> all of this for machines.</p>
<h2>Ways to hear of them</h2>
<dl>
<dt>Webhooks</dt><dd>${renderProse('`POST /v1/webhooks` names an address and the events that are posted to it; `webhookUrl` of a job does so for one job. Each event comes at least once; the first attempts of one job leave in the order of `sequence`, and what failed comes later. Take each `id` once.')}</dd>
<dt>WebSocket</dt><dd>${renderProse('`/v1/ws/user/jobs` tells of all your jobs, `/v1/ws/jobs/{jobId}` of one. After a cut, `resume` with the last `seq` brings what was missed.')} <a href="/docs">The reference</a> lists the frames and why a socket is closed, under Live.</dd>
<dt>A stream</dt><dd>${renderProse('`GET /v1/jobs/{jobId}/events` as an `EventSource` reads it. Behind a gateway that ends replies after 29 s it is a row of short streams; the browser goes on by itself, with `Last-Event-ID`.')}</dd>
</dl>
<h2>Signatures of webhooks</h2>
<p>${renderProse('Both sign the bytes of the body as they are sent, with different keys: `X-Webhook-Signature` with the whole secret as text, `webhook-signature` with what follows `whsec_`, decoded. After a rotation the old secret signs too, for as long as you asked.')}</p>
${fieldList(WebhookHeaders.shape)}
<h2>All events</h2>
${events}`,
  )
}

/** What the service sends by itself, for people. */
export const eventPage = contract({
  ...htmlPageContract,
  path: '/docs/events',
  summary: 'What the service tells by itself: webhooks, sockets, streams',
  cacheKey: () => 'page',
  handle: () => ({ data: pageOf(), headers: htmlPageHeaders }),
})
