import { useEffect, useState } from 'preact/hooks'
import type { EventName } from '../../../../events/index.ts'
import type { listDeliveries, testWebhook } from '../../../routes/webhook-deliveries.ts'
import type { createWebhook, listWebhooks } from '../../../routes/webhooks.ts'
import { callApi, type ReplyData } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { navigate, type PageRoute } from '../../shell/router.ts'
import { sectionTitle } from '../../shell/title.ts'
import {
  ActionButton,
  Block,
  type Column,
  Copyable,
  Field,
  Form,
  Page,
  QueryView,
  StatusLabel,
  Table,
} from '../../ui/components.tsx'
import { formatDateTime, formatDuration } from '../../ui/format-values.ts'
import { type Query, useQuery } from '../../ui/use-query.ts'
import words from './words/en.ts'

type WebhookListReply = ReplyData<typeof listWebhooks>
type Webhook = WebhookListReply['webhooks'][number]
type CreatedWebhook = ReplyData<typeof createWebhook>
type Delivery = ReplyData<typeof listDeliveries>['deliveries'][number]
type TestResult = ReplyData<typeof testWebhook>

/** The cast is safe: TypeScript checks the keys of the record. */
const eventNames = Object.keys(words.events) as EventName[]

const getWebhookPath = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`

export default function Webhooks({ route }: { readonly route: PageRoute }) {
  const id = route.params['webhookId']
  return id ? <WebhookPage key={id} id={id} /> : <WebhookList />
}

function WebhookList() {
  const webhooksQuery = useQuery('webhooks', () => callApi<WebhookListReply>('/v1/webhooks?limit=100'))
  const [createdWebhook, setCreatedWebhook] = useState<CreatedWebhook>()
  const create = async (formData: FormData) => {
    const events = formData.getAll('events')
    const webhook = await callApi<CreatedWebhook>('/v1/webhooks', {
      method: 'POST',
      body: {
        url: formData.get('url'),
        events: events.length > 0 ? events : ['*'],
        format: formData.get('format'),
        ...(formData.get('description') && { description: formData.get('description') }),
      },
    })
    setCreatedWebhook(webhook)
    announce(words.created)
    await webhooksQuery.reload()
  }
  return (
    <Page title={words.title} lead={words.lead}>
      <QueryView query={webhooksQuery}>
        {({ webhooks }) => (
          <>
            <Table
              caption={words.title}
              columns={columns}
              rows={webhooks}
              getKey={({ id }) => id}
              emptyText={words.none}
            />
            {createdWebhook && (
              <Block title={words.secret}>
                <p>{words.secretOnce}</p>
                <Copyable label={words.secret} text={createdWebhook.secret} />
              </Block>
            )}
            <Block title={words.create}>
              <Form submitLabel={words.createButton} action={create} clears>
                <Field label={words.url} hint={words.urlHint}>
                  {(ids) => <input {...ids} name="url" type="url" required autocomplete="off" />}
                </Field>
                <fieldset class="checks">
                  <legend>{words.which}</legend>
                  {eventNames.map((name) => (
                    <div key={name} class="check">
                      <input id={`event-${name}`} type="checkbox" name="events" value={name} />
                      <label for={`event-${name}`}>{words.events[name]}</label>
                    </div>
                  ))}
                  <p class="hint">{words.allWhenNone}</p>
                </fieldset>
                <Field label={words.format}>
                  {(ids) => (
                    <select {...ids} name="format">
                      {Object.entries(words.formats).map(([value, name]) => (
                        <option key={value} value={value}>
                          {name}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                <Field label={words.description}>
                  {(ids) => (
                    <input {...ids} name="description" type="text" maxLength={500} autocomplete="off" />
                  )}
                </Field>
              </Form>
            </Block>
          </>
        )}
      </QueryView>
    </Page>
  )
}

const getStateLabel = ({ enabled, failing, disabledReason }: Webhook) => {
  if (!enabled)
    return <StatusLabel kind="off">{disabledReason ? words.offFor[disabledReason] : words.off}</StatusLabel>
  return failing ? (
    <StatusLabel kind="bad">{words.failing}</StatusLabel>
  ) : (
    <StatusLabel kind="good">{words.on}</StatusLabel>
  )
}

const columns: readonly Column<Webhook>[] = [
  {
    name: words.url,
    cell: ({ id, url }) => (
      <a href={`/webhooks/${id}`}>
        <bdi>{url}</bdi>
      </a>
    ),
  },
  { name: words.state, cell: getStateLabel },
  { name: words.which, cell: ({ events }) => events.map(getEventLabel).join(', ') },
  { name: words.description, cell: ({ description }) => <bdi>{description ?? '–'}</bdi> },
]

// A newer service may have more events.
const getEventLabel = (name: string) =>
  name === '*' ? words.everything : ((words.events as Readonly<Record<string, string>>)[name] ?? name)

function WebhookPage({ id }: { readonly id: string }) {
  const webhook = useQuery(`webhook ${id}`, () => callApi<Webhook>(getWebhookPath(id)))
  const deliveries = useQuery(`deliveries ${id}`, () =>
    callApi<{ deliveries: Delivery[] }>(`${getWebhookPath(id)}/deliveries?limit=50`),
  )
  useEffect(() => {
    sectionTitle.value = webhook.data?.url
  }, [webhook.data?.url])
  return (
    <Page title={words.one}>
      <QueryView query={webhook}>
        {(data) => (
          <>
            <p class="row">
              <code>
                <bdi>{data.url}</bdi>
              </code>
              {getStateLabel(data)}
            </p>
            <Actions webhook={data} onChange={() => Promise.all([webhook.reload(), deliveries.reload()])} />
            <Block title={words.deliveries}>
              <Deliveries query={deliveries} webhookId={id} />
              <p>
                <button type="button" class="button" onClick={() => void deliveries.reload()}>
                  {words.refresh}
                </button>
              </p>
            </Block>
          </>
        )}
      </QueryView>
      <p>
        <a href="/webhooks">{words.toAll}</a>
      </p>
    </Page>
  )
}

function Actions(props: { readonly webhook: Webhook; readonly onChange: () => Promise<unknown> }) {
  const { webhook, onChange } = props
  const path = getWebhookPath(webhook.id)
  const [testResult, setTestResult] = useState<TestResult>()
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <div class="row">
        <ActionButton
          label={words.test}
          kind="primary"
          action={async () => {
            const result = await callApi<TestResult>(`${path}/test`, { method: 'POST', body: {} })
            setTestResult(result)
            announce(describeTest(result))
            await onChange()
          }}
        />
        <ActionButton
          label={webhook.enabled ? words.switchOff : words.switchOn}
          doneText={webhook.enabled ? words.off : words.on}
          action={async () => {
            await callApi(path, { method: 'PATCH', body: { enabled: !webhook.enabled } })
            await onChange()
          }}
        />
        <ActionButton
          label={words.rotate}
          confirmText={words.rotateConfirm}
          action={async () => {
            const rotatedWebhook = await callApi<CreatedWebhook>(`${path}/rotate-secret`, {
              method: 'POST',
              body: {},
            })
            setSecret(rotatedWebhook.secret)
            announce(words.rotated)
          }}
        />
        <ActionButton
          label={words.remove}
          confirmText={words.removeConfirm}
          doneText={words.removed}
          action={async () => {
            await callApi(path, { method: 'DELETE' })
            navigate('/webhooks')
          }}
        />
      </div>
      {testResult && (
        <p class={`notice ${testResult.status === 'succeeded' ? '' : 'problem'}`}>
          {describeTest(testResult)}
        </p>
      )}
      {secret && (
        <Block title={words.secret}>
          <p>{words.secretOnce}</p>
          <Copyable label={words.secret} text={secret} />
        </Block>
      )}
    </>
  )
}

const describeTest = ({ responseStatus, durationMs, error }: TestResult) =>
  responseStatus === null
    ? words.noReply(error ?? '')
    : words.answered(responseStatus, formatDuration(durationMs))

function Deliveries(props: {
  readonly query: Query<{ deliveries: Delivery[] }>
  readonly webhookId: string
}) {
  const { query, webhookId } = props
  const rows: readonly Column<Delivery>[] = [
    { name: words.event, cell: ({ event }) => getEventLabel(event) },
    { name: words.when, cell: ({ createdAt }) => formatDateTime(createdAt) },
    {
      name: words.state,
      cell: ({ status }) => (
        <StatusLabel kind={status === 'succeeded' ? 'good' : status === 'failed' ? 'bad' : 'off'}>
          {words.statuses[status]}
        </StatusLabel>
      ),
    },
    {
      name: words.reply,
      cell: ({ responseStatus, error, durationMs }) =>
        responseStatus === null ? (error ?? '–') : `${responseStatus}, ${formatDuration(durationMs)}`,
    },
    { name: words.attempts, isNumber: true, cell: ({ attempt }) => attempt },
    {
      name: words.again,
      cell: ({ id }) => (
        <ActionButton
          label={words.redeliver}
          doneText={words.redelivered}
          action={async () => {
            await callApi(`${getWebhookPath(webhookId)}/deliveries/${id}/redeliver`, { method: 'POST' })
            await query.reload()
          }}
        />
      ),
    },
  ]
  return (
    <QueryView query={query}>
      {({ deliveries }) => (
        <Table
          caption={words.deliveries}
          columns={rows}
          rows={deliveries}
          getKey={({ id }) => id}
          emptyText={words.noDeliveries}
        />
      )}
    </QueryView>
  )
}
