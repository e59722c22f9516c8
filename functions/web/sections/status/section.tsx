import type * as z from 'zod'
import type { getHealth } from '../../../routes/get-health.ts'
import type { getReliability } from '../../../routes/usage.ts'
import { callApi, Problem, type ReplyData } from '../../api.ts'
import { Block, Page, QueryView, StatusLabel, Table } from '../../ui/components.tsx'
import { getEngineName } from '../../ui/engine-names.ts'
import { formatDuration, formatPercent } from '../../ui/format-values.ts'
import { useQuery } from '../../ui/use-query.ts'
import words from './words/en.ts'

type Health = z.output<typeof getHealth.reply.schema>
type Reliability = ReplyData<typeof getReliability>

/** The endpoint replies 503 with details if a component does not work. */
async function readHealth(): Promise<Health> {
  const response = await fetch('/health').catch(() => undefined)
  const health: unknown = await response?.json().catch(() => undefined)
  if (typeof health === 'object' && health !== null && 'parts' in health) return health as Health // by its contract
  throw new Problem('UNREACHABLE', words.unreachable)
}

export default function Status() {
  const health = useQuery('health', readHealth)
  return (
    <Page title={words.title} lead={words.lead}>
      <Block title={words.now}>
        <QueryView query={health}>
          {({ status, parts, engines }) => {
            const queues = Object.entries(parts).filter(([name]) => name.startsWith('queue-'))
            const otherParts = Object.entries(parts).filter(([name]) => !name.startsWith('queue-'))
            return (
              <>
                <p role="status">
                  {status === 'ok' ? (
                    <StatusLabel kind="good">{words.allOperational}</StatusLabel>
                  ) : (
                    <StatusLabel kind="bad">{words.someFailing}</StatusLabel>
                  )}
                </p>
                <div class="equal-columns">
                  <Parts caption={words.components} rows={otherParts} />
                  <Parts caption={words.queues} rows={queues} />
                  <Table
                    caption={words.engines}
                    columns={engineColumns}
                    rows={engines}
                    getKey={({ id }) => id}
                    emptyText={words.none}
                  />
                </div>
                <p>
                  <button type="button" class="button" onClick={() => void health.reload()}>
                    {words.refresh}
                  </button>
                </p>
              </>
            )
          }}
        </QueryView>
      </Block>
      {/* Rendered after the first query, because content below a query moves when it finishes. */}
      {(health.data ?? health.problem) && <Recent />}
    </Page>
  )
}

function Recent() {
  const reliability = useQuery('reliability', () => callApi<Reliability>('/v1/reliability'))
  return (
    <Block title={words.recent(reliability.data?.window.days ?? 30)}>
      <QueryView query={reliability}>
        {({ successRate, durationMs }) => (
          <>
            <dl class="figures">
              <div>
                <dt>{words.success}</dt>
                <dd>{formatPercent(successRate)}</dd>
              </div>
              <div>
                <dt>{words.median}</dt>
                <dd>{formatDuration(durationMs.p50)}</dd>
              </div>
              <div>
                <dt>{words.p95}</dt>
                <dd>{formatDuration(durationMs.p95)}</dd>
              </div>
            </dl>
            <p class="meta">{words.note}</p>
          </>
        )}
      </QueryView>
    </Block>
  )
}

type Part = Health['parts'][string]

/** Returns the name of a component, or of a queue such as `queue-av`; its id if a newer service has others. */
function getPartName(part: string): string {
  const id = part.replace(/^queue-/, '')
  return words.names[id] ?? id
}

const Parts = (props: { readonly caption: string; readonly rows: readonly (readonly [string, Part])[] }) => (
  <Table
    caption={props.caption}
    columns={[
      { name: props.caption, cell: ([name]: readonly [string, Part]) => getPartName(name) },
      {
        name: words.state,
        cell: ([, { ok, message }]) =>
          ok ? (
            <StatusLabel kind="good">{words.works}</StatusLabel>
          ) : (
            <StatusLabel kind="bad">{message ?? words.fails}</StatusLabel>
          ),
      },
      { name: words.responseTime, isNumber: true, cell: ([, { ms }]) => formatDuration(ms ?? null) },
    ]}
    rows={props.rows}
    getKey={([name]) => name}
    emptyText={words.none}
  />
)

type Engine = Health['engines'][number]

const engineColumns = [
  { name: words.engines, cell: ({ id }: Engine) => getEngineName(id) },
  {
    name: words.state,
    cell: ({ available }: Engine) =>
      available ? (
        <StatusLabel kind="good">{words.installed}</StatusLabel>
      ) : (
        <StatusLabel kind="off">{words.missing}</StatusLabel>
      ),
  },
  { name: words.queue, cell: ({ image }: Engine) => getPartName(image) },
]
