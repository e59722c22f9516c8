import { type GetDailyKey, signQuery } from './signed-download.ts'

/** The fields of a job that determine how long its results are available. */
interface FinishedJob {
  readonly id: string
  readonly endedAt?: string | undefined
  readonly expiresAt?: string | undefined
}

/** Returns the signed URL of a result, for replies and events. Anyone who has the URL may fetch the result. */
export type ResultLink = (job: FinishedJob, query?: Readonly<Record<string, string>>) => string

const dayMs = 24 * 3600 * 1000

/**
 * Creates links that expire 24 hours after the end of the job, or with its files. A link stays the same until then, so
 * that a reply keeps its ETag; later requests get a link for the next 24 hours.
 */
export function createResultLink(
  baseUrl: string,
  getKey: GetDailyKey,
  now: () => number = Date.now,
): ResultLink {
  return ({ id: jobId, endedAt, expiresAt }, query = {}) => {
    const endMs = endedAt === undefined ? now() : Date.parse(endedAt)
    const at = endMs + Math.max(0, Math.floor((now() - endMs) / dayMs)) * dayMs
    const expiresAtMs = Math.min(at + dayMs, expiresAt === undefined ? Infinity : Date.parse(expiresAt))
    const text = signQuery({ jobId, query, expiresAtS: Math.floor(expiresAtMs / 1000), at }, getKey)
    return `${baseUrl}/v1/download/${jobId}?${text}`
  }
}

const resultPathPattern = /^\/v1\/download\/(job_\w+)(?:\?(.*))?$/

/** Replaces the paths of results in an event with signed URLs, which expire at the `expires_at` next to them. */
export function addResultLinks<T extends { readonly timestamp?: unknown }>(event: T, link: ResultLink): T {
  const { timestamp } = event
  const endedAt = typeof timestamp === 'string' ? timestamp : undefined
  // Cache of links, because many tasks of a large job have the same result.
  const linksByPath = new Map<string, string>()
  const getLink = (path: string, expiresAt: string | undefined) => {
    const [, id, query] = resultPathPattern.exec(path) ?? []
    return id === undefined
      ? path
      : link({ id, endedAt, expiresAt }, Object.fromEntries(new URLSearchParams(query ?? '')))
  }
  const linkTo = (path: string, { expires_at: expiry }: { readonly expires_at?: unknown }) => {
    const expiresAt = typeof expiry === 'string' ? expiry : undefined
    const name = `${path} ${expiresAt ?? ''}`
    const signedUrl = linksByPath.get(name) ?? getLink(path, expiresAt)
    linksByPath.set(name, signedUrl)
    return signedUrl
  }
  const addLinks = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(addLinks)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [
        key,
        key === 'url' && typeof child === 'string' ? linkTo(child, value) : addLinks(child),
      ]),
    )
  }
  return addLinks(event) as T // the same fields, some texts replaced
}
