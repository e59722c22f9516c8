import { useState } from 'preact/hooks'
import { announce } from '../../shell/announce.ts'
import { Act, Block, type Column, Copyable, Field, Form, Shown, State, Table } from '../../ui/components.tsx'
import { sayMoment } from '../../ui/format-values.ts'
import { useLoaded } from '../../ui/use-query.ts'
import { auth, type Current, type Session } from './auth.ts'
import words from './words/en.ts'

export function Sessions({ own }: { readonly own: string | undefined }) {
  const sessions = useLoaded('sessions', () => auth<Session[]>('list-sessions', undefined, 'GET'))
  const columns: readonly Column<Session>[] = [
    { name: words.browser, cell: ({ userAgent }) => <bdi>{browserOf(userAgent)}</bdi> },
    { name: words.address, cell: ({ ipAddress }) => shortAddress(ipAddress) },
    { name: words.since, cell: ({ createdAt }) => sayMoment(createdAt) },
    {
      name: words.end,
      cell: ({ id, token }) =>
        id === own ? (
          <State kind="good">{words.thisOne}</State>
        ) : (
          <Act
            label={words.signOut}
            done={words.sessionEnded}
            does={async () => {
              await auth('revoke-session', { token })
              await sessions.reload()
            }}
          />
        ),
    },
  ]
  return (
    <Block title={words.sessions}>
      <Shown of={sessions}>
        {(rows) => (
          <Table caption={words.sessions} columns={columns} rows={rows} keyOf={({ id }) => id} empty="–" />
        )}
      </Shown>
      <Act
        label={words.signOutOthers}
        done={words.sessionEnded}
        does={async () => {
          await auth('revoke-other-sessions')
          await sessions.reload()
        }}
      />
    </Block>
  )
}

/** As much of a user agent as people know: the last name that is no engine. */
function browserOf(agent: string | null): string {
  const names = [...(agent ?? '').matchAll(/\b(Firefox|Edg|OPR|HeadlessChrome|Chrome|Version|curl)\/(\d+)/g)]
  const [first] = ['Firefox', 'Edg', 'OPR', 'Chrome', 'HeadlessChrome', 'Version', 'curl'].flatMap((name) =>
    names.filter(([, found]) => found === name),
  )
  const system = /Windows|Mac OS X|Android|iPhone|iPad|Linux/.exec(agent ?? '')?.[0]
  const shown =
    first && `${first[1] === 'Version' ? 'Safari' : first[1] === 'Edg' ? 'Edge' : first[1]} ${first[2]}`
  return [shown ?? agent?.slice(0, 40) ?? '–', system].filter(Boolean).join(', ')
}

interface Factor {
  readonly totpURI: string
  readonly backupCodes: readonly string[]
}

/** As RFC 5952 writes them; IPv6 is kept in full length. */
const shortAddress = (address: string | null) =>
  address?.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address || '–'

export function TwoFactors({
  current,
  onChange,
}: {
  readonly current: Current
  readonly onChange: () => Promise<unknown>
}) {
  const [begun, setBegun] = useState<Factor>()
  const [codes, setCodes] = useState<readonly string[]>()
  const isOn = current.user.twoFactorEnabled === true
  const password = (given: FormData) => ({ password: given.get('password') })
  return (
    <Block title={words.twoFactors}>
      <p>
        {isOn ? <State kind="good">{words.factorOn}</State> : <State kind="off">{words.factorOff}</State>}
      </p>
      {codes && (
        <>
          <p>{words.recoveryHint}</p>
          <Copyable label={words.recovery} text={codes.join('\n')} />
        </>
      )}
      {begun ? (
        <>
          <p>{words.scan}</p>
          <p>
            <a href={begun.totpURI}>{words.openApp}</a>
          </p>
          <Copyable label={words.factorKey} text={new URL(begun.totpURI).searchParams.get('secret') ?? ''} />
          <Form
            submit={words.confirm}
            does={async (given) => {
              await auth('two-factor/verify-totp', { code: String(given.get('code')).replace(/\s/g, '') })
              setCodes(begun.backupCodes)
              setBegun(undefined)
              announce(words.factorOn)
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
          submit={isOn ? words.newCodes : words.turnOn}
          isQuiet
          does={async (given) => {
            if (isOn) {
              const made = await auth<Factor>('two-factor/generate-backup-codes', password(given))
              setCodes(made.backupCodes)
              announce(words.recoveryHint)
            } else setBegun(await auth<Factor>('two-factor/enable', password(given)))
          }}
        >
          <OwnPassword />
        </Form>
      )}
      {isOn && (
        <details>
          <summary>{words.turnOff}</summary>
          <Form
            submit={words.turnOff}
            isQuiet
            does={async (given) => {
              await auth('two-factor/disable', password(given))
              setCodes(undefined)
              announce(words.factorOff)
              await onChange()
            }}
          >
            <OwnPassword />
          </Form>
        </details>
      )}
    </Block>
  )
}

export function Closing({ onClosed }: { readonly onClosed: () => Promise<unknown> }) {
  const close = async (given: FormData) => {
    await auth('delete-user', { password: given.get('password') || undefined })
    announce(words.closed)
    await onClosed()
  }
  return (
    <Block title={words.close}>
      <p>{words.closeMeans}</p>
      <details>
        <summary>{words.close}</summary>
        <Form submit={words.closeForGood} does={close} isQuiet>
          <Field label={words.password} hint={words.closeHint}>
            {(ids) => <input {...ids} name="password" type="password" autocomplete="current-password" />}
          </Field>
        </Form>
      </details>
    </Block>
  )
}

const OwnPassword = () => (
  <Field label={words.password}>
    {(ids) => <input {...ids} name="password" type="password" required autocomplete="current-password" />}
  </Field>
)
