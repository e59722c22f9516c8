import { useState } from 'preact/hooks'
import type { getSlo } from '../../../routes/usage.ts'
import { ask, type DataOf } from '../../api.ts'
import { DaysField } from '../../ui/days-field.tsx'
import { Block, Page, Shown } from '../../ui/components.tsx'
import { useLoaded } from '../../ui/use-query.ts'
import { Audit, Users } from './users.tsx'
import { Reliability } from './reliability.tsx'
import words from './words/en.ts'

type Slo = DataOf<typeof getSlo>

const spans = [1, 7, 30, 90] as const

export default function Admin() {
  const [days, setDays] = useState<number>(30)
  const slo = useLoaded(`slo ${days}`, () =>
    ask<Slo>(`/v1/admin/slo?days=${days}&bucket=${days > 30 ? 'week' : 'day'}`),
  )
  return (
    <Page title={words.title}>
      <Block title={words.reliability}>
        <DaysField
          label={words.span}
          choices={spans}
          days={days}
          lastDays={words.lastDays}
          onChange={setDays}
        />
        <Shown of={slo}>{(data) => <Reliability slo={data} />}</Shown>
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
