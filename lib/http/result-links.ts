import { type DailyKey, signQuery } from './signed-download.ts'

/** As much of a job as tells how long its results are there. */
interface FinishedJob {
  readonly id: string
  readonly endedAt?: string | undefined
  readonly expiresAt?: string | undefined
}

/** Address of a result that whoever has it may fetch, as replies and events name it. */
export type ResultLink = (job: FinishedJob, query?: Readonly<Record<string, string>>) => string

const dayMs = 24 * 3600 * 1000

/**
 * It ends 24 hours after the job, or with its files, and is the same until then, so that a reply keeps its ETag; whoever
 * asks later gets one of the next 24 hours.
 */
export function createResultLink(baseUrl: string, keyOf: DailyKey, now: () => number = Date.now): ResultLink {
  return ({ id: jobId, endedAt, expiresAt }, query = {}) => {
    const endMs = endedAt === undefined ? now() : Date.parse(endedAt)
    const at = endMs + Math.max(0, Math.floor((now() - endMs) / dayMs)) * dayMs
    const lastMs = Math.min(at + dayMs, expiresAt === undefined ? Infinity : Date.parse(expiresAt))
    const text = signQuery({ jobId, query, expiresAtS: Math.floor(lastMs / 1000), at }, keyOf)
    return `${baseUrl}/v1/download/${jobId}?${text}`
  }
}

const resultPath = /^\/v1\/download\/(job_\w+)(?:\?(.*))?$/

/** Events name results by a path of this service; whoever reads them gets the whole address. */
export function addResultLinks<T extends { readonly timestamp?: unknown }>(event: T, link: ResultLink): T {
  const { timestamp } = event
  const endedAt = typeof timestamp === 'string' ? timestamp : undefined
  // The tasks of a large job lead to the same result.
  const known = new Map<string, string>()
  const addressOf = (path: string) => {
    const [, id, query] = resultPath.exec(path) ?? []
    return id === undefined
      ? path
      : link({ id, endedAt }, Object.fromEntries(new URLSearchParams(query ?? '')))
  }
  const linked = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') {
      if (name !== 'url') return value
      const address = known.get(value) ?? addressOf(value)
      known.set(value, address)
      return address
    }
    if (Array.isArray(value)) return value.map((one) => linked(one))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, linked(one, key)]))
  }
  return linked(event) as T // the same fields, some texts replaced
}
