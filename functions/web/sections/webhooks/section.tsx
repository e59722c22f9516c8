import { useEffect, useState } from 'preact/hooks'
import type { EventName } from '../../../../events/index.ts'
import type { listDeliveries, testWebhook } from '../../../routes/webhook-deliveries.ts'
import type { createWebhook, listWebhooks } from '../../../routes/webhooks.ts'
import { ask, type DataOf } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { go, type Whereabouts } from '../../shell/router.ts'
import { sectionTitle } from '../../shell/title.ts'
import { Act, Block, type Column, Copyable, Field, Form, Page, Shown, State, Table } from '../../ui/components.tsx'
import { sayMoment, sayMs } from '../../ui/format-values.ts'
import { type Loaded, useLoaded } from '../../ui/use-query.ts'
import words from './words/en.ts'

type Listed = DataOf<typeof listWebhooks>
type Webhook = Listed['webhooks'][number]
type Made = DataOf<typeof createWebhook>
type Delivery = DataOf<typeof listDeliveries>['deliveries'][number]
type Tested = DataOf<typeof testWebhook>

/** Keys of a record that tsc holds complete. */
const eventNames = Object.keys(words.events) as EventName[]

const pathOf = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`

export default function Webhooks({ at }: { readonly at: Whereabouts }) {
  const id = at.params['webhookId']
  return id ? <One key={id} id={id} /> : <All />
}

function All() {
  const list = useLoaded('webhooks', () => ask<Listed>('/v1/webhooks?limit=100'))
  const [made, setMade] = useState<Made>()
  const create = async (given: FormData) => {
    const events = given.getAll('events')
    const webhook = await ask<Made>('/v1/webhooks', {
      method: 'POST',
      body: {
        url: given.get('url'),
        events: events.length > 0 ? events : ['*'],
        format: given.get('format'),
        ...(given.get('description') && { description: given.get('description') }),
      },
    })
    setMade(webhook)
    announce(words.made)
    await list.reload()
  }
  return (
    <Page title={words.title} lead={words.lead}>
      <Shown of={list}>
        {({ webhooks }) => (
          <>
            <Table
              caption={words.title}
              columns={columns}
              rows={webhooks}
              keyOf={({ id }) => id}
              empty={words.none}
            />
            {made && (
              <Block title={words.secret}>
                <p>{words.secretOnce}</p>
                <Copyable label={words.secret} text={made.secret} />
              </Block>
            )}
            <Block title={words.create}>
              <Form submit={words.createButton} does={create}>
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
      </Shown>
    </Page>
  )
}

const stateOf = ({ enabled, failing, disabledReason }: Webhook) => {
  if (!enabled) return <State kind="off">{disabledReason ? words.offFor[disabledReason] : words.off}</State>
  return failing ? <State kind="bad">{words.failing}</State> : <State kind="good">{words.on}</State>
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
  { name: words.state, cell: stateOf },
  { name: words.which, cell: ({ events }) => events.map(eventWords).join(', ') },
  { name: words.description, cell: ({ description }) => <bdi>{description ?? '–'}</bdi> },
]

const eventWords = (name: string) =>
  name === '*' ? words.everything : ((words.events as Readonly<Record<string, string>>)[name] ?? name)

function One({ id }: { readonly id: string }) {
  const webhook = useLoaded(`webhook ${id}`, () => ask<Webhook>(pathOf(id)))
  const deliveries = useLoaded(`deliveries ${id}`, () =>
    ask<{ deliveries: Delivery[] }>(`${pathOf(id)}/deliveries?limit=50`),
  )
  useEffect(() => {
    sectionTitle.value = webhook.data?.url
  }, [webhook.data?.url])
  return (
    <Page title={words.one}>
      <Shown of={webhook}>
        {(data) => (
          <>
            <p class="row">
              <code>
                <bdi>{data.url}</bdi>
              </code>
              {stateOf(data)}
            </p>
            <Actions webhook={data} onChange={() => Promise.all([webhook.reload(), deliveries.reload()])} />
            <Block title={words.deliveries}>
              <Deliveries of={deliveries} webhookId={id} />
              <p>
                <button type="button" class="button" onClick={() => void deliveries.reload()}>
                  {words.lookAgain}
                </button>
              </p>
            </Block>
          </>
        )}
      </Shown>
      <p>
        <a href="/webhooks">{words.toAll}</a>
      </p>
    </Page>
  )
}

function Actions(props: { readonly webhook: Webhook; readonly onChange: () => Promise<unknown> }) {
  const { webhook, onChange } = props
  const path = pathOf(webhook.id)
  const [tested, setTested] = useState<Tested>()
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <div class="row">
        <Act
          label={words.test}
          kind="primary"
          does={async () => {
            const result = await ask<Tested>(`${path}/test`, { method: 'POST', body: {} })
            setTested(result)
            announce(testedWords(result))
            await onChange()
          }}
        />
        <Act
          label={webhook.enabled ? words.switchOff : words.switchOn}
          done={webhook.enabled ? words.off : words.on}
          does={async () => {
            await ask(path, { method: 'PATCH', body: { enabled: !webhook.enabled } })
            await onChange()
          }}
        />
        <Act
          label={words.rotate}
          sure={words.rotateSure}
          does={async () => {
            const rotated = await ask<Made>(`${path}/rotate-secret`, { method: 'POST', body: {} })
            setSecret(rotated.secret)
            announce(words.rotated)
          }}
        />
        <Act
          label={words.remove}
          sure={words.removeSure}
          done={words.removed}
          does={async () => {
            await ask(path, { method: 'DELETE' })
            go('/webhooks')
          }}
        />
      </div>
      {tested && (
        <p class={`notice ${tested.status === 'succeeded' ? '' : 'problem'}`}>{testedWords(tested)}</p>
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

const testedWords = ({ responseStatus, durationMs, error }: Tested) =>
  responseStatus === null ? words.noAnswer(error ?? '') : words.answered(responseStatus, sayMs(durationMs))

function Deliveries(props: { readonly of: Loaded<{ deliveries: Delivery[] }>; readonly webhookId: string }) {
  const { of, webhookId } = props
  const rows: readonly Column<Delivery>[] = [
    { name: words.event, cell: ({ event }) => eventWords(event) },
    { name: words.when, cell: ({ createdAt }) => sayMoment(createdAt) },
    {
      name: words.state,
      cell: ({ status }) => (
        <State kind={status === 'succeeded' ? 'good' : status === 'failed' ? 'bad' : 'off'}>
          {words.statuses[status]}
        </State>
      ),
    },
    {
      name: words.answer,
      cell: ({ responseStatus, error, durationMs }) =>
        responseStatus === null ? (error ?? '–') : `${responseStatus}, ${sayMs(durationMs)}`,
    },
    { name: words.attempts, isNumber: true, cell: ({ attempt }) => attempt },
    {
      name: words.again,
      cell: ({ id }) => (
        <Act
          label={words.redeliver}
          done={words.redelivered}
          does={async () => {
            await ask(`${pathOf(webhookId)}/deliveries/${id}/redeliver`, { method: 'POST' })
            await of.reload()
          }}
        />
      ),
    },
  ]
  return (
    <Shown of={of}>
      {({ deliveries }) => (
        <Table
          caption={words.deliveries}
          columns={rows}
          rows={deliveries}
          keyOf={({ id }) => id}
          empty={words.noDeliveries}
        />
      )}
    </Shown>
  )
}
