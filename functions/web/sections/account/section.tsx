import type { getAccount } from '../../../routes/get-account.ts'
import { ask, type DataOf } from '../../api.ts'
import type { Whereabouts } from '../../shell/router.ts'
import { Act, Page, Shown } from '../../ui/components.tsx'
import { sayNumber, saySize } from '../../ui/format-values.ts'
import { useLoaded } from '../../ui/use-query.ts'
import { auth, type Current } from './auth.ts'
import { Keys } from './keys.tsx'
import { Closing, Sessions, TwoFactors } from './security.tsx'
import { ChangePassword, WaysIn } from './sign-in-methods.tsx'
import words from './words/en.ts'

type Account = DataOf<typeof getAccount>

/** Signing in where nobody is, else the account with all that keeps it safe. */
export default function AccountSection({ at }: { readonly at: Whereabouts }) {
  const account = useLoaded('account', () => ask<Account>('/v1/account'))
  const current = useLoaded('session', () => auth<Current | null>('get-session', undefined, 'GET'))
  const reload = () => Promise.all([account.reload(), current.reload()])
  if (account.problem?.code === 'AUTHENTICATION_REQUIRED') return <WaysIn at={at} onIn={reload} />
  return (
    <Shown of={account}>
      {({ name, email, plan, role, retentionHours, limits }) => (
        <Page title={words.title} lead={email}>
          <dl class="figures">
            <div>
              <dt>{words.name}</dt>
              <dd>
                <bdi>{name}</bdi>
              </dd>
            </div>
            <div>
              <dt>{words.plan}</dt>
              <dd>{plan}</dd>
            </div>
            <div>
              <dt>{words.largest}</dt>
              <dd>{saySize(limits.maxFileSize)}</dd>
            </div>
            <div>
              <dt>{words.kept}</dt>
              <dd>{words.hours(sayNumber(retentionHours))}</dd>
            </div>
          </dl>
          <div class="row">
            <a class="button" href="/usage">
              {words.toUsage}
            </a>
            {role === 'ADMIN' && (
              <a class="button" href="/admin">
                {words.toAdmin}
              </a>
            )}
            <Act
              label={words.signOut}
              done={words.signedOut}
              does={async () => {
                await auth('sign-out')
                await reload()
              }}
            />
          </div>
          <Keys />
          <Sessions key={current.data?.session.id} own={current.data?.session.id} />
          {current.data && <TwoFactors current={current.data} onChange={current.reload} />}
          <ChangePassword />
          <Closing onClosed={reload} />
        </Page>
      )}
    </Shown>
  )
}
