import { webSocketApi } from '../resources/web-sockets.ts'

/**
 * WebSockets of API Gateway have no paths: the proxy in front of it converts the path to a query.
 * @returns path and query for the gateway; undefined for a path that is not a socket's.
 */
export function socketTarget(url: string): string | undefined {
  const [path = '', query = ''] = url.split('?', 2)
  const trimmed = path.replace(/\/$/, '')
  if (webSocketApi.paths.some((known) => known === trimmed)) return query ? `/?${query}` : '/'
  if (!trimmed.startsWith(webSocketApi.jobPath)) return undefined
  const jobId = trimmed.slice(webSocketApi.jobPath.length)
  if (jobId === '' || jobId.includes('/')) return undefined
  return `/?jobId=${jobId}${query ? `&${query}` : ''}`
}
