import { useState } from 'preact/hooks'
import { announce } from '../../shell/announce.ts'
import { Lazy } from '../../shell/lazy.tsx'
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
import { type AccountSession, type CurrentSession, callAuth } from './auth.ts'
import words from './words/en.ts'

export function Sessions({ currentId }: { readonly currentId: string | undefined }) {
  const sessions = useQuery('sessions', () => callAuth<AccountSession[]>('list-sessions', undefined, 'GET'))
  const columns: readonly Column<AccountSession>[] = [
    { name: words.browser, cell: ({ userAgent }) => <bdi>{describeBrowser(userAgent)}</bdi> },
    { name: words.address, cell: ({ ipAddress }) => shortenIpAddress(ipAddress) },
    { name: words.since, cell: ({ createdAt }) => formatDateTime(createdAt) },
    {
      name: words.actions,
      cell: ({ id, token }) =>
        id === currentId ? (
          <StatusLabel kind="good">{words.thisSession}</StatusLabel>
        ) : (
          <ActionButton
            label={words.signOut}
            doneText={words.sessionEnded}
            action={async () => {
              await callAuth('revoke-session', { token })
              await sessions.reload()
            }}
          />
        ),
    },
  ]
  return (
    <Block title={words.sessions}>
      <QueryView query={sessions}>
        {(rows) => (
          <Table
            caption={words.sessions}
            columns={columns}
            rows={rows}
            getKey={({ id }) => id}
            emptyText="–"
          />
        )}
      </QueryView>
      <ActionButton
        label={words.signOutOthers}
        doneText={words.sessionEnded}
        action={async () => {
          await callAuth('revoke-other-sessions')
          await sessions.reload()
        }}
      />
    </Block>
  )
}

/** Returns a short browser name: the last product in the user agent that is not an engine. */
function describeBrowser(agent: string | null): string {
  const productMatches = [
    ...(agent ?? '').matchAll(/\b(Firefox|Edg|OPR|HeadlessChrome|Chrome|Version|curl)\/(\d+)/g),
  ]
  const [firstBrowser] = ['Firefox', 'Edg', 'OPR', 'Chrome', 'HeadlessChrome', 'Version', 'curl'].flatMap(
    (name) => productMatches.filter(([, found]) => found === name),
  )
  const system = /Windows|Mac OS X|Android|iPhone|iPad|Linux/.exec(agent ?? '')?.[0]
  const shownMethods =
    firstBrowser &&
    `${firstBrowser[1] === 'Version' ? 'Safari' : firstBrowser[1] === 'Edg' ? 'Edge' : firstBrowser[1]} ${firstBrowser[2]}`
  return [shownMethods ?? agent?.slice(0, 40) ?? '–', system].filter(Boolean).join(', ')
}

const loadQrCode = () => import('../../ui/qr-code.tsx')

interface TwoFactorSetup {
  readonly totpURI: string
  readonly backupCodes: readonly string[]
}

/** Shortens an IPv6 address as in RFC 5952; the service stores addresses in full. */
const shortenIpAddress = (address: string | null) =>
  address?.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address || '–'

export function TwoFactorSettings({
  current,
  onChange,
}: {
  readonly current: CurrentSession
  readonly onChange: () => Promise<unknown>
}) {
  const [setup, setSetup] = useState<TwoFactorSetup>()
  const [codes, setCodes] = useState<readonly string[]>()
  const isOn = current.user.twoFactorEnabled === true
  const password = (formData: FormData) => ({ password: formData.get('password') })
  return (
    <Block title={words.twoFactor}>
      <p>
        {isOn ? (
          <StatusLabel kind="good">{words.twoFactorOn}</StatusLabel>
        ) : (
          <StatusLabel kind="off">{words.twoFactorOff}</StatusLabel>
        )}
      </p>
      {codes && (
        <>
          <p>{words.recoveryHint}</p>
          <Copyable label={words.recovery} text={codes.join('\n')} />
        </>
      )}
      {setup ? (
        <>
          <p>{words.scan}</p>
          <Lazy load={loadQrCode} text={setup.totpURI} label={words.qrCode} />
          <p>
            <a href={setup.totpURI}>{words.openApp}</a>
          </p>
          <Copyable label={words.setupKey} text={new URL(setup.totpURI).searchParams.get('secret') ?? ''} />
          <Form
            submitLabel={words.confirm}
            action={async (formData) => {
              await callAuth('two-factor/verify-totp', {
                code: String(formData.get('code')).replace(/\s/g, ''),
              })
              setCodes(setup.backupCodes)
              setSetup(undefined)
              announce(words.twoFactorOn)
              await onChange()
            }}
          >
            <Field label={words.code}>
              {(ids) => (
                <input
                  {...ids}
                  name="code"
                  type="text"
                  inputMode="numeric"
                  required
                  autocomplete="one-time-code"
                />
              )}
            </Field>
          </Form>
        </>
      ) : (
        <Form
          key={isOn ? 'on' : 'off'}
          submitLabel={isOn ? words.newCodes : words.turnOn}
          isQuiet
          action={async (formData) => {
            if (isOn) {
              const setup = await callAuth<TwoFactorSetup>(
                'two-factor/generate-backup-codes',
                password(formData),
              )
              setCodes(setup.backupCodes)
              announce(words.recoveryHint)
            } else setSetup(await callAuth<TwoFactorSetup>('two-factor/enable', password(formData)))
          }}
        >
          <PasswordField />
        </Form>
      )}
      {isOn && (
        <details>
          <summary>{words.turnOff}</summary>
          <Form
            submitLabel={words.turnOff}
            isQuiet
            action={async (formData) => {
              await callAuth('two-factor/disable', password(formData))
              setCodes(undefined)
              announce(words.twoFactorOff)
              await onChange()
            }}
          >
            <PasswordField />
          </Form>
        </details>
      )}
    </Block>
  )
}

export function DeleteAccount({ onDeleted }: { readonly onDeleted: () => Promise<unknown> }) {
  const deleteAccount = async (formData: FormData) => {
    await callAuth('delete-user', { password: formData.get('password') || undefined })
    announce(words.deleted)
    await onDeleted()
  }
  return (
    <Block title={words.delete}>
      <p>{words.deleteEffect}</p>
      <details>
        <summary>{words.delete}</summary>
        <Form submitLabel={words.deletePermanently} action={deleteAccount} isQuiet>
          <Field label={words.password} hint={words.deleteHint}>
            {(ids) => <input {...ids} name="password" type="password" autocomplete="current-password" />}
          </Field>
        </Form>
      </details>
    </Block>
  )
}

const PasswordField = () => (
  <Field label={words.password}>
    {(ids) => <input {...ids} name="password" type="password" required autocomplete="current-password" />}
  </Field>
)
