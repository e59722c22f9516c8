import { webSocketApi } from '../resources/web-sockets.ts'

/**
 * Converts the path of a WebSocket to a query, because WebSocket APIs of API Gateway have no paths.
 * @returns path and query for the gateway; undefined if the path is not that of a socket.
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
