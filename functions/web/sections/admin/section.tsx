import { useState } from 'preact/hooks'
import type { getSlo } from '../../../routes/usage.ts'
import { callApi, type ReplyData } from '../../api.ts'
import { Block, Page, QueryView } from '../../ui/components.tsx'
import { DaysField } from '../../ui/days-field.tsx'
import { useQuery } from '../../ui/use-query.ts'
import { requireSession } from '../account/auth.ts'
import { Reliability } from './reliability.tsx'
import { Audit, Users } from './users.tsx'
import words from './words/en.ts'

type Slo = ReplyData<typeof getSlo>

const periodDays = [1, 7, 30, 90] as const

export default function Admin() {
  const [days, setDays] = useState<number>(30)
  const slo = useQuery(`slo ${days}`, async () => {
    await requireSession()
    return callApi<Slo>(`/v1/admin/slo?days=${days}&bucket=${days > 30 ? 'week' : 'day'}`)
  })
  return (
    <Page title={words.title}>
      <Block title={words.reliability}>
        {slo.problem?.code !== 'AUTHENTICATION_REQUIRED' && (
          <DaysField
            label={words.span}
            choices={periodDays}
            days={days}
            lastDays={words.lastDays}
            onChange={setDays}
          />
        )}
        <QueryView query={slo}>{(data) => <Reliability slo={data} />}</QueryView>
      </Block>
      {slo.data && (
        <>
          <p>
            <a href="/status">{words.toStatus}</a>
          </p>
          <Users />
          <Audit />
        </>
      )}
    </Page>
  )
}
