import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { EmbeddedApp } from './embedded-app.ts'

/** Serves the app over HTTP, for clients with their own HTTP stack; bodies are forms or JSON. */
export async function serveApp(app: EmbeddedApp) {
  let currentApp = app
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const body = await text(request)
    const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
    const reply = await currentApp.send(request.method ?? 'GET', pathname, {
      headers,
      query: Object.fromEntries(searchParams),
      ...(body && { body: isForm ? new URLSearchParams(body) : JSON.parse(body) }),
    })
    response.writeHead(reply.status, reply.headers).end(reply.text)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server's address is an AddressInfo
  currentApp = app.with({ config: { ...app.services.config, PUBLIC_URL: url } })
  return {
    url,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
