import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A fake of Google Cloud Storage's documented JSON API and its token endpoint, with objects in memory. */

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const credentials = {
  type: 'service_account',
  project_id: 'project-1',
  client_email: 'tests@project-1.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
}
export const gcsToken = 'ya29.token'

interface StoredObject {
  readonly content: Buffer
  readonly generation: number
  /** Metadata from the export. */
  readonly resource: Readonly<Record<string, unknown>>
}

interface Session {
  readonly name: string
  readonly resource: Readonly<Record<string, unknown>>
  /** Buffer of the full size, once it is known. */
  content: Buffer
  size: number
}

/** Hook of a test; returns true if it handled the request instead of the server. */
type RequestHook = (request: IncomingMessage, response: ServerResponse) => boolean

export async function startGcs(host = '127.0.0.1') {
  const objects = new Map<string, StoredObject>()
  const sessions = new Map<string, Session>()
  const state = { interceptRequest: (() => false) as RequestHook, generation: 0, tokens: 0 }

  const put = (name: string, content: string | Buffer, resource = {}) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    objects.set(name, { content: bytes, generation: ++state.generation, resource })
  }
  const toResource = (name: string, { content, generation, resource }: StoredObject) => ({
    name,
    size: String(content.length),
    generation: String(generation),
    ...resource,
  })
  const refuse = (response: ServerResponse, status: number, reason: string) =>
    sendJson(response, status, { error: { code: status, errors: [{ reason }] } })

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request))
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    const signedText = Buffer.from(`${header}.${claims}`)
    const { iss, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
    const key = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }))
    const isValid = verify('sha256', signedText, key, Buffer.from(signature, 'base64url'))
    if (!isValid || iss !== credentials.client_email || Number(exp) < Date.now() / 1000)
      return sendJson(response, 400, { error: 'invalid_grant' })
    state.tokens++
    sendJson(response, 200, { access_token: gcsToken, expires_in: 3600, token_type: 'Bearer' })
  }

  function list(url: URL, response: ServerResponse): void {
    const prefix = url.searchParams.get('prefix') ?? ''
    const names = [...objects.keys()].filter((name) => name.startsWith(prefix)).sort()
    const from = Number(url.searchParams.get('pageToken') || 0)
    // Two items per page, so that lists have several pages.
    const items = names.slice(from, from + 2).flatMap((name) => {
      const object = objects.get(name)
      return object ? [toResource(name, object)] : []
    })
    const nextPage = from + 2 < names.length ? { nextPageToken: String(from + 2) } : {}
    sendJson(response, 200, { items, ...nextPage })
  }

  function get(name: string, url: URL, request: IncomingMessage, response: ServerResponse) {
    const object = objects.get(name)
    if (!object) return refuse(response, 404, 'notFound')
    if (url.searchParams.get('alt') !== 'media') return sendJson(response, 200, toResource(name, object))
    const expectedGeneration = url.searchParams.get('ifGenerationMatch')
    if (expectedGeneration !== null && expectedGeneration !== String(object.generation))
      return refuse(response, 412, 'conditionNotMet')
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const { length } = object.content
    response.writeHead(start > 0 ? 206 : 200, {
      'content-length': length - start,
      ...(start > 0 && { 'content-range': `bytes ${start}-${length - 1}/${length}` }),
    })
    response.end(object.content.subarray(start))
  }

  async function startUpload(url: URL, request: IncomingMessage, response: ServerResponse, base: string) {
    const resource = JSON.parse(await text(request)) as Record<string, unknown>
    const acl = url.searchParams.get('predefinedAcl')
    const id = String(sessions.size + 1)
    const name = url.searchParams.get('name') ?? ''
    sessions.set(id, {
      name,
      resource: { ...resource, ...(acl && { acl }) },
      content: Buffer.alloc(0),
      size: 0,
    })
    response.writeHead(200, { location: `${base}${url.pathname}?upload_id=${id}` }).end()
  }

  async function continueUpload(
    id: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const session = sessions.get(id)
    if (!session) return refuse(response, 404, 'notFound')
    if (request.method === 'DELETE') {
      sessions.delete(id)
      return void response.writeHead(499).end()
    }
    const [, from, total] =
      /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(request.headers['content-range'] ?? '') ?? []
    if (from !== undefined && Number(from) !== session.size) return refuse(response, 400, 'badRange')
    if (session.content.length === 0) session.content = Buffer.allocUnsafeSlow(Number(total))
    // Bytes received before a connection was lost are kept.
    await new Promise<void>((resolve) => {
      request.on('data', (chunk: Buffer) => {
        session.size += chunk.copy(session.content, session.size)
      })
      request.on('close', resolve)
    })
    if (session.size < Number(total)) {
      const range = session.size > 0 ? { range: `bytes=0-${session.size - 1}` } : {}
      return void response.writeHead(308, range).end()
    }
    put(session.name, session.content, session.resource)
    sessions.delete(id)
    sendJson(response, 200, { size: String(session.size) })
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const base = `http://${request.headers.host}`
    const url = new URL(request.url ?? '/', base)
    if (state.interceptRequest(request, response)) return
    if (url.pathname === '/token') return signIn(request, response)
    const [, kind, bucket, name] =
      /^\/(storage|upload\/storage)\/v1\/b\/([^/]+)\/o\/?(.*)$/.exec(url.pathname) ?? []
    if (request.headers.authorization !== `Bearer ${gcsToken}`) return refuse(response, 401, 'authError')
    if (bucket !== 'box') return refuse(response, 404, 'notFound')
    const session = url.searchParams.get('upload_id')
    if (session !== null) return continueUpload(session, request, response)
    if (kind === 'upload/storage') return startUpload(url, request, response, base)
    if (!name) return list(url, response)
    get(decodeURIComponent(name), url, request, response)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    endpoint: `http://${host}:${(server.address() as AddressInfo).port}`,
    objects,
    sessions,
    state,
    put,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
