import type { getAccount } from '../../../routes/get-account.ts'
import { callApi, type ReplyData } from '../../api.ts'
import type { PageRoute } from '../../shell/router.ts'
import { ActionButton, Page, QueryView } from '../../ui/components.tsx'
import { formatMaxSize, formatNumber } from '../../ui/format-values.ts'
import { useQuery } from '../../ui/use-query.ts'
import shared from '../../ui/words/en.ts'
import { callAuth, requireSession } from './auth.ts'
import { Keys } from './keys.tsx'
import { DeleteAccount, Sessions, TwoFactorSettings } from './security.tsx'
import { ChangePassword, SignedOutPage } from './sign-in-methods.tsx'
import words from './words/en.ts'

type Account = ReplyData<typeof getAccount>

/** Shows the sign-in form to visitors, and the account settings to signed-in users. */
export default function AccountSection({ route }: { readonly route: PageRoute }) {
  const account = useQuery('account', async () => {
    const current = await requireSession()
    return { ...(await callApi<Account>('/v1/account')), current }
  })
  const { reload } = account
  if (account.problem?.code === 'AUTHENTICATION_REQUIRED')
    return <SignedOutPage route={route} onSignedIn={reload} />
  return (
    <QueryView query={account}>
      {({ name, email, plan, role, retentionHours, limits, current }) => (
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
              <dd>{shared.plans[plan] ?? plan}</dd>
            </div>
            <div>
              <dt>{words.largest}</dt>
              <dd>{formatMaxSize(limits.maxFileSize)}</dd>
            </div>
            <div>
              <dt>{words.retention}</dt>
              <dd>{words.hours(formatNumber(retentionHours))}</dd>
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
            <ActionButton
              label={words.signOut}
              doneText={words.signedOut}
              action={async () => {
                await callAuth('sign-out')
                await reload()
              }}
            />
          </div>
          <Keys />
          <Sessions key={current.session.id} currentId={current.session.id} />
          <TwoFactorSettings current={current} onChange={reload} />
          <ChangePassword />
          <DeleteAccount onDeleted={reload} />
        </Page>
      )}
    </QueryView>
  )
}
