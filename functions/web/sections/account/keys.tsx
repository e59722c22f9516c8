import { useState } from 'preact/hooks'
import type { createKey, listKeys, rotateKey } from '../../../routes/api-keys.ts'
import { callApi, type ReplyData } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import {
  ActionButton,
  Block,
  type Column,
  Copyable,
  Field,
  Form,
  QueryView,
  StatusLabel,
  Table,
} from '../../ui/components.tsx'
import { formatDateTime } from '../../ui/format-values.ts'
import { useQuery } from '../../ui/use-query.ts'
import words from './words/en.ts'

type Key = ReplyData<typeof listKeys>['keys'][number]
type NewKey = ReplyData<typeof createKey>

const getKeyPath = (id: string) => `/v1/api-keys/${encodeURIComponent(id)}`

const buildExampleCommand = (key: string) =>
  `curl -LOJ -H 'X-Api-Key: ${key}' -H 'Prefer: wait=25' -F file=@report.docx -F targetFormat=pdf '${location.origin}/v1/convert?redirect=true'`

export function Keys() {
  const keys = useQuery('keys', () => callApi<{ keys: Key[] }>('/v1/api-keys'))
  const [createdKey, setCreatedKey] = useState<NewKey>()
  const [kind, setKind] = useState('secret')
  const show = async (key: NewKey) => {
    setCreatedKey(key)
    announce(words.keyOnce)
    await keys.reload()
  }
  const create = async (formData: FormData) => {
    const origins = String(formData.get('origins') ?? '')
      .split(/[\s,]+/)
      .filter(Boolean)
    const expiryDate = formData.get('until')
    await show(
      await callApi<NewKey>('/v1/api-keys', {
        method: 'POST',
        body: {
          name: formData.get('name'),
          kind,
          scopes: formData.getAll('scopes'),
          ...(expiryDate && { expiresAt: new Date(`${expiryDate}T23:59:59`).toISOString() }),
          ...(origins.length > 0 && { allowedOrigins: origins }),
        },
      }),
    )
  }
  return (
    <Block title={words.keys}>
      {createdKey && (
        <>
          <p class="notice">{words.keyOnce}</p>
          <Copyable label={words.key} text={createdKey.key} />
          {createdKey.kind === 'secret' && (
            <Copyable label={words.tryIt} text={buildExampleCommand(createdKey.key)} />
          )}
        </>
      )}
      <QueryView query={keys}>
        {(data) => (
          <Table
            caption={words.keys}
            columns={createColumns(show, keys.reload)}
            rows={data.keys}
            getKey={({ id }) => id}
            emptyText={words.noKeys}
          />
        )}
      </QueryView>
      <details>
        <summary>{words.newKey}</summary>
        <Form submitLabel={words.createKey} action={create}>
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
            <legend>{words.permissions}</legend>
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
          <Field label={words.expires} hint={words.expiresHint}>
            {(ids) => <input {...ids} name="until" type="date" />}
          </Field>
        </Form>
      </details>
    </Block>
  )
}

const createColumns = (
  onCreated: (key: NewKey) => Promise<unknown>,
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
    name: words.permissions,
    cell: ({ scopes }) =>
      // A newer service may have more scopes.
      scopes.map((scope) => (words.scopes as Readonly<Record<string, string>>)[scope] ?? scope).join(', '),
  },
  {
    name: words.state,
    cell: ({ status }) => (
      <StatusLabel kind={status === 'active' ? 'good' : 'off'}>{words.keyStates[status]}</StatusLabel>
    ),
  },
  { name: words.lastUsed, cell: ({ lastUsedAt }) => formatDateTime(lastUsedAt) },
  {
    name: words.actions,
    cell: ({ id, status }) => (
      <span class="row">
        {status === 'active' && (
          <ActionButton
            label={words.rotate}
            confirmText={words.rotateConfirm}
            action={async () => {
              const { key } = await callApi<ReplyData<typeof rotateKey>>(`${getKeyPath(id)}/rotate`, {
                method: 'POST',
              })
              await onCreated(key)
            }}
          />
        )}
        <ActionButton
          label={words.revoke}
          confirmText={words.revokeConfirm}
          doneText={words.revoked}
          action={async () => {
            await callApi(getKeyPath(id), { method: 'DELETE' })
            await reload()
          }}
        />
      </span>
    ),
  },
]
