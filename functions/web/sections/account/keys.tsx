import { useState } from 'preact/hooks'
import type { createKey, listKeys, rotateKey } from '../../../routes/api-keys.ts'
import { ask, type DataOf } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { Act, Block, type Column, Copyable, Field, Form, Shown, State, Table } from '../../ui/components.tsx'
import { sayMoment } from '../../ui/format-values.ts'
import { useLoaded } from '../../ui/use-query.ts'
import words from './words/en.ts'

type Key = DataOf<typeof listKeys>['keys'][number]
type NewKey = DataOf<typeof createKey>

const pathOf = (id: string) => `/v1/api-keys/${encodeURIComponent(id)}`

const curlOf = (key: string) =>
  `curl -LOJ -H 'X-Api-Key: ${key}' -H 'Prefer: wait=25' -F file=@report.docx -F targetFormat=pdf '${location.origin}/v1/convert?redirect=true'`

export function Keys() {
  const keys = useLoaded('keys', () => ask<{ keys: Key[] }>('/v1/api-keys'))
  const [made, setMade] = useState<NewKey>()
  const [kind, setKind] = useState('secret')
  const show = async (key: NewKey) => {
    setMade(key)
    announce(words.keyOnce)
    await keys.reload()
  }
  const create = async (given: FormData) => {
    const origins = String(given.get('origins') ?? '')
      .split(/[\s,]+/)
      .filter(Boolean)
    const until = given.get('until')
    await show(
      await ask<NewKey>('/v1/api-keys', {
        method: 'POST',
        body: {
          name: given.get('name'),
          kind,
          scopes: given.getAll('scopes'),
          ...(until && { expiresAt: new Date(`${until}T23:59:59`).toISOString() }),
          ...(origins.length > 0 && { allowedOrigins: origins }),
        },
      }),
    )
  }
  return (
    <Block title={words.keys}>
      {made && (
        <>
          <p class="notice">{words.keyOnce}</p>
          <Copyable label={words.key} text={made.key} />
          {made.kind === 'secret' && <Copyable label={words.tryIt} text={curlOf(made.key)} />}
        </>
      )}
      <Shown of={keys}>
        {(data) => (
          <Table
            caption={words.keys}
            columns={columnsOf(show, keys.reload)}
            rows={data.keys}
            keyOf={({ id }) => id}
            empty={words.noKeys}
          />
        )}
      </Shown>
      <details>
        <summary>{words.newKey}</summary>
        <Form submit={words.createKey} does={create}>
          <Field label={words.keyName}>
            {(ids) => <input {...ids} name="name" type="text" required maxLength={100} autocomplete="off" />}
          </Field>
          <Field label={words.kind}>
            {(ids) => (
              <select {...ids} value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
                <option value="secret">{words.secretKind}</option>
                <option value="public">{words.publicKind}</option>
              </select>
            )}
          </Field>
          <fieldset class="checks">
            <legend>{words.may}</legend>
            {Object.entries(words.scopes).map(
              ([scope, name]) =>
                (kind === 'secret' || scope.startsWith('CONVERT')) && (
                  <div key={scope} class="check">
                    <input
                      id={scope}
                      type="checkbox"
                      name="scopes"
                      value={scope}
                      defaultChecked={scope.startsWith('CONVERT')}
                    />
                    <label for={scope}>{name}</label>
                  </div>
                ),
            )}
          </fieldset>
          {kind === 'public' && (
            <Field label={words.origins} hint={words.originsHint}>
              {(ids) => <input {...ids} name="origins" type="text" required autocomplete="off" />}
            </Field>
          )}
          <Field label={words.until} hint={words.untilHint}>
            {(ids) => <input {...ids} name="until" type="date" />}
          </Field>
        </Form>
      </details>
    </Block>
  )
}

const columnsOf = (
  onMade: (key: NewKey) => Promise<unknown>,
  reload: () => Promise<unknown>,
): readonly Column<Key>[] => [
  { name: words.keyName, cell: ({ name }) => <bdi>{name}</bdi> },
  {
    name: words.key,
    cell: ({ prefix, last4 }) => (
      <code>
        {prefix}…{last4}
      </code>
    ),
  },
  {
    name: words.may,
    cell: ({ scopes }) =>
      scopes.map((scope) => (words.scopes as Readonly<Record<string, string>>)[scope] ?? scope).join(', '),
  },
  {
    name: words.state,
    cell: ({ status }) => (
      <State kind={status === 'active' ? 'good' : 'off'}>{words.keyStates[status]}</State>
    ),
  },
  { name: words.lastUsed, cell: ({ lastUsedAt }) => sayMoment(lastUsedAt) },
  {
    name: words.change,
    cell: ({ id, status }) => (
      <span class="row">
        {status === 'active' && (
          <Act
            label={words.rotate}
            sure={words.rotateSure}
            does={async () => {
              const { key } = await ask<DataOf<typeof rotateKey>>(`${pathOf(id)}/rotate`, { method: 'POST' })
              await onMade(key)
            }}
          />
        )}
        <Act
          label={words.revoke}
          sure={words.revokeSure}
          done={words.revoked}
          does={async () => {
            await ask(pathOf(id), { method: 'DELETE' })
            await reload()
          }}
        />
      </span>
    ),
  },
]
