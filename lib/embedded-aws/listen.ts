import { once } from 'node:events'
import type { Server } from 'node:http'

/**
 * Starts listening and returns the port; 0 chooses a free one.
 * @throws if the port is in use; the message names the setting that chose the port
 */
export async function listen(
  server: Server,
  port: number,
  host = '127.0.0.1',
  setting = 'PORT',
): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const isPortTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isPortTaken) throw error
    throw new Error(
      `Port ${port} on ${host} is in use. Stop the program that uses it, or set another ${setting}.`,
      { cause: error },
    )
  }
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the server is not listening on a TCP port')
  return address.port
}

export async function closeServer(server: Server): Promise<void> {
  const closedEvent = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closedEvent
}
