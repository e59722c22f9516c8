import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

interface Manifest {
  readonly mediaType: string
  readonly config: { readonly digest: string }
  readonly layers: readonly { readonly digest: string }[]
}

const formatDigest = (hash: ReturnType<typeof createHash>) => `sha256:${hash.digest('hex')}`

/**
 * Starts a container registry that accepts images but only stores their digests.
 * https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
export async function startRegistry() {
  const blobs = new Set<string>()
  /** Manifests by name and tag. */
  const manifests = new Map<string, { readonly digest: string; readonly manifest: Manifest }>()
  const uploads = new Map<string, ReturnType<typeof createHash>>()
  let requests = 0

  async function receiveBlob(request: IncomingMessage, reply: ServerResponse, url: URL) {
    const id = request.method === 'POST' ? randomUUID() : (url.pathname.split('/').at(-1) ?? '')
    const hash = uploads.get(id) ?? createHash('sha256')
    uploads.set(id, hash)
    for await (const chunk of request) hash.update(chunk)
    const location = request.method === 'POST' ? `${url.pathname}${id}` : url.pathname
    const expectedDigest = url.searchParams.get('digest')
    if (expectedDigest === null) return reply.writeHead(202, { location, range: '0-0' }).end()
    const digest = formatDigest(hash)
    uploads.delete(id)
    if (digest !== expectedDigest) return reply.writeHead(400).end()
    blobs.add(digest)
    return reply.writeHead(201, { location, 'docker-content-digest': digest }).end()
  }

  async function receiveManifest(
    request: IncomingMessage,
    reply: ServerResponse,
    [name = '', tag = '']: string[],
  ) {
    const bytes = await buffer(request)
    const digest = formatDigest(createHash('sha256').update(bytes))
    const manifest = JSON.parse(String(bytes)) as Manifest // sent by our own script
    const hasAllBlobs = [manifest.config, ...manifest.layers].every((descriptor) =>
      blobs.has(descriptor.digest),
    )
    if (!hasAllBlobs) return reply.writeHead(400).end()
    manifests.set(`${name}:${tag}`, { digest, manifest })
    return reply.writeHead(201, { 'docker-content-digest': digest }).end()
  }

  const server = createServer(async (request, reply) => {
    requests++
    const url = new URL(request.url ?? '', 'http://registry.invalid')
    const { method = '' } = request
    if (url.pathname === '/v2/') reply.end('{}')
    else if (url.pathname.includes('/blobs/uploads/')) await receiveBlob(request, reply, url)
    else if (method === 'PUT')
      await receiveManifest(request, reply, url.pathname.slice(4).split('/manifests/'))
    else reply.writeHead(blobs.has(url.pathname.split('/').at(-1) ?? '') ? 200 : 404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server's address is an AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    manifests,
    requests: () => requests,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
