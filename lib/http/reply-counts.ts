/** Number of replies that this process has sent, by method and status, for its metrics. */
const counts = new Map<string, { readonly method: string; readonly status: number; count: number }>()

/** All other methods are counted under one label, because clients can send any method. */
const knownMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']

export function countReply(sentMethod: string, status: number): void {
  const method = knownMethods.includes(sentMethod) ? sentMethod : 'other'
  const key = `${method} ${status}`
  const storedCount = counts.get(key) ?? { method, status, count: 0 }
  storedCount.count += 1
  counts.set(key, storedCount)
}

export const listReplyCounts = () => [...counts.values()]
