import { webSocketApi } from '../resources/web-sockets.ts'

/**
 * WebSockets of API Gateway have no paths: the proxy in front of it converts the path to a query.
 * @returns path and query for the gateway; undefined for a path that is not a socket's.
 */
export function getSocketTarget(url: string): string | undefined {
  const [path = '', query = ''] = url.split('?', 2)
  const trimmedPath = path.replace(/\/$/, '')
  if (webSocketApi.paths.some((socketPath) => socketPath === trimmedPath)) return query ? `/?${query}` : '/'
  if (!trimmedPath.startsWith(webSocketApi.jobPath)) return undefined
  const jobId = trimmedPath.slice(webSocketApi.jobPath.length)
  if (jobId === '' || jobId.includes('/')) return undefined
  return `/?jobId=${jobId}${query ? `&${query}` : ''}`
}
