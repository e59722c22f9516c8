// A fake server for those parts of the documented APIs of three drives that the service uses: OAuth with PKCE, lists,
// searches, files. It is as strict as the documentation.
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createUploads } from './drive-uploads.ts'

export const clientId = 'mutabor'
export const clientSecret = 'a secret & more'

interface DriveRequest {
  readonly path: string
  readonly query: URLSearchParams
  readonly method: string
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly body: string
}
interface DriveReply {
  readonly status?: number
  readonly json?: unknown
  readonly bytes?: string
  readonly location?: string
}

const files = [
  { id: 'f1', name: 'Notes.txt', bytes: 'hello from a drive', parent: 'root' },
  { id: 'f2', name: "It's late.txt", bytes: 'late', parent: 'root' },
  { id: 'f3', name: 'Inner.txt', bytes: 'inner', parent: 'dir' },
]
const folder = { id: 'dir', name: 'Folder', parent: 'root' }
const modifiedAt = '2026-01-02T03:04:05Z'

/** The files of a folder. */
const listFolder = (id: string) => files.filter(({ parent }) => parent === id)
const findFilesByName = (words: string) => files.filter(({ name }) => name.includes(words))
const findFile = (id: string | undefined) => files.find((file) => file.id === id)

/** Pages with one item each; `next` is the cursor of the next page. */
function selectPage<T>(all: readonly T[], at: number) {
  return { here: all.slice(at, at + 1), next: at + 1 < all.length ? String(at + 1) : undefined }
}

const google = {
  file: ({ id, name, bytes }: (typeof files)[number]) => ({
    id,
    name,
    mimeType: 'text/plain',
    size: String(bytes.length),
    modifiedTime: modifiedAt,
  }),
  files(query: URLSearchParams): DriveReply {
    const q = query.get('q') ?? ''
    const parent = /^'(\w+)' in parents and trashed = false$/.exec(q)?.[1]
    const words = /^name contains '((?:[^'\\]|\\.)*)' and trashed = false$/.exec(q)?.[1]
    if (parent === undefined && words === undefined) return { status: 400 }
    const foundItems =
      parent === undefined
        ? findFilesByName(words?.replace(/\\(.)/g, '$1') ?? '').map(google.file)
        : [
            ...(parent === 'root'
              ? [{ id: 'dir', name: folder.name, mimeType: 'application/vnd.google-apps.folder' }]
              : []),
            ...listFolder(parent).map(google.file),
          ]
    const { here, next } = selectPage(foundItems, Number(query.get('pageToken') ?? 0))
    return { json: { files: here, ...(next && { nextPageToken: next }) } }
  },
  handle({ path, query, method }: DriveRequest): DriveReply {
    if (method !== 'GET') return { status: 405 }
    if (path === '/about')
      // "fields: required for this method"
      return query.has('fields')
        ? { json: { user: { displayName: 'Ada', emailAddress: 'ada@example.com' } } }
        : { status: 400 }
    if (path === '/files') return google.files(query)
    const [, id, exported] = /^\/files\/([^/]+)(\/export)?$/.exec(path) ?? []
    if (id === 'doc') {
      const json = { id, name: 'Essay', mimeType: 'application/vnd.google-apps.document' }
      return exported ? { bytes: `exported as ${query.get('mimeType')}` } : { json }
    }
    if (id === folder.id)
      return { json: { id, name: folder.name, mimeType: 'application/vnd.google-apps.folder' } }
    const file = findFile(id)
    if (!file) return { status: 404, json: { error: { code: 404 } } }
    return query.get('alt') === 'media' ? { bytes: file.bytes } : { json: google.file(file) }
  },
}

const dropbox = {
  entry: ({ id, name, bytes }: (typeof files)[number]) => ({
    '.tag': 'file',
    id: `id:${id}`,
    name,
    path_display: `/${name}`,
    size: bytes.length,
    server_modified: modifiedAt,
  }),
  handle({ path, method, contentType, body }: DriveRequest, url: string): DriveReply {
    // "RPC endpoints … Content-Type: application/json", also for those whose only argument is null.
    if (method !== 'POST' || contentType !== 'application/json') return { status: 400 }
    const receivedBody = JSON.parse(body)
    switch (path) {
      case '/users/get_current_account':
        return { json: { name: { display_name: 'Ada' }, email: 'ada@example.com' } }
      case '/files/list_folder':
      case '/files/list_folder/continue': {
        const [parent, at] = receivedBody.cursor?.split(' ') ?? [receivedBody.path, '0']
        // "pattern: (/(.|[\r\n])*)?|id:.*|(ns:[0-9]+(/.*)?)"
        if (parent === 'root') return { status: 400 }
        const all = [
          ...(parent === '' ? [{ '.tag': 'folder', id: 'id:dir', name: folder.name }] : []),
          ...listFolder(parent === '' ? 'root' : parent.slice(3)).map(dropbox.entry),
        ]
        const { here, next } = selectPage(all, Number(at))
        return { json: { entries: here, cursor: `${parent} ${next}`, has_more: next !== undefined } }
      }
      case '/files/search_v2': {
        const matches = findFilesByName(receivedBody.query).map((file) => ({
          metadata: { '.tag': 'metadata', metadata: dropbox.entry(file) },
        }))
        return { json: { matches, has_more: false } }
      }
      case '/files/get_metadata': {
        if (receivedBody.path === 'id:dir')
          return { json: { '.tag': 'folder', id: 'id:dir', name: folder.name, path_display: '/Folder' } }
        const file = findFile(receivedBody.path.slice(3))
        return file
          ? { json: dropbox.entry(file) }
          : { status: 409, json: { error_summary: 'path/not_found/..', error: {} } }
      }
      case '/files/get_temporary_link': {
        const file = findFile(receivedBody.path.slice(3))
        if (!file) return { status: 409, json: { error_summary: 'path/not_found/..', error: {} } }
        return { json: { metadata: { name: file.name }, link: `${url}/bytes/${file.id}` } }
      }
      default:
        return { status: 404 }
    }
  },
}

const oneDrive = {
  item: ({ id, name, bytes }: (typeof files)[number]) => ({
    id,
    name,
    size: bytes.length,
    lastModifiedDateTime: modifiedAt,
    file: { mimeType: 'text/plain' },
    parentReference: { path: '/drive/root:/My%20files' },
  }),
  handle({ path, query, method }: DriveRequest, url: string): DriveReply {
    if (method !== 'GET') return { status: 405 }
    if (path === '/me')
      return { json: { displayName: 'Ada', mail: null, userPrincipalName: 'ada@example.com' } }
    const [, parent, action] = /^\/me\/drive\/(root|items\/[^/]+)(?:\/(.+))?$/.exec(path) ?? []
    const id = parent?.replace('items/', '') ?? ''
    const words = /^search\(q='(.*)'\)$/.exec(decodeURIComponent(action ?? ''))?.[1]
    if (action === 'children' || words !== undefined) {
      const all =
        words === undefined
          ? [
              ...(id === 'root' ? [{ id: 'dir', name: folder.name, folder: {} }] : []),
              ...listFolder(id).map(oneDrive.item),
            ]
          : findFilesByName(words.replaceAll("''", "'")).map(oneDrive.item)
      const { here, next } = selectPage(all, Number(query.get('$skiptoken') ?? 0))
      const link = `${url}/onedrive${path}?$top=1&$skiptoken=${next}`
      return { json: { value: here, ...(next && { '@odata.nextLink': link }) } }
    }
    if (id === folder.id) return { json: { id, name: folder.name, folder: {} } }
    const file = findFile(id)
    if (!file) return { status: 404, json: { error: { code: 'itemNotFound' } } }
    // "302 Found … a pre-authenticated download URL", on another host.
    if (action === 'content') return { location: `${url.replace('127.0.0.1', 'localhost')}/bytes/${id}` }
    return { json: oneDrive.item(file) }
  },
}

interface Grant {
  readonly challenge: string
  readonly redirectUri: string
  readonly scope: string
}

export async function openDriveServer() {
  const codes = new Map<string, Grant>()
  const state = {
    access: '',
    refresh: '',
    refreshes: 0,
    lifetimeS: 3600 as number,
    scope: '',
    /** Whether requests for tokens get no reply. */
    dropsTokenRequests: false,
  }
  const refusedReply = { status: 400, json: { error: 'invalid_grant' } }

  function token(body: string): DriveReply {
    const form = new URLSearchParams(body)
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret)
      return { status: 401, json: { error: 'invalid_client' } }
    if (form.get('grant_type') === 'refresh_token') {
      if (form.get('refresh_token') !== state.refresh) return refusedReply
      state.refreshes++
    } else {
      const code = form.get('code') ?? ''
      const grant = codes.get(code)
      codes.delete(code)
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri'))
        return refusedReply
      state.refresh = `refresh-${randomUUID()}`
      state.scope = grant.scope
    }
    state.access = `access-${randomUUID()}`
    const { access, refresh, lifetimeS } = state
    return {
      json: { access_token: access, token_type: 'bearer', expires_in: lifetimeS, refresh_token: refresh },
    }
  }

  /** Acts like a person who consents immediately. */
  function authorize(query: URLSearchParams): DriveReply {
    const redirectUri = query.get('redirect_uri') ?? ''
    const challenge = query.get('code_challenge') ?? ''
    if (query.get('client_id') !== clientId || query.get('response_type') !== 'code') return { status: 400 }
    if (query.get('code_challenge_method') !== 'S256' || !query.get('scope')) return { status: 400 }
    const code = randomUUID()
    codes.set(code, { challenge, redirectUri, scope: query.get('scope') ?? '' })
    const back = new URL(redirectUri)
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state') ?? '')
    return { location: back.href }
  }

  function handle(driveRequest: DriveRequest): DriveReply {
    const { path, query, authorization } = driveRequest
    if (path === '/authorize') return authorize(query)
    if (path === '/token') return token(driveRequest.body)
    const [, bytes] = /^\/bytes\/(\w+)$/.exec(path) ?? []
    // The URL alone gives access to the file, so a token must not be sent.
    if (bytes) return authorization ? { status: 400 } : { bytes: findFile(bytes)?.bytes ?? '' }
    if (authorization !== `Bearer ${state.access}`) return { status: 401 }
    const [, drive, subpath = ''] = /^\/([\w-]+)(\/.*)$/.exec(path) ?? []
    const requestInside = { ...driveRequest, path: subpath }
    if (drive === 'google-drive') return google.handle(requestInside)
    return drive === 'dropbox' ? dropbox.handle(requestInside, url) : oneDrive.handle(requestInside, url)
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost')
    const { authorization, 'content-type': contentType } = request.headers
    const receivedRequest = { path, query, method: request.method ?? '', authorization, contentType }
    const body = await buffer(request)
    if (path === '/token' && state.dropsTokenRequests) return void request.socket.destroy()
    const upload = uploads.handle({
      ...receivedRequest,
      headers: request.headers,
      body,
      hasToken: authorization === `Bearer ${state.access}`,
      mayWrite: /\/drive$|\.write|ReadWrite/.test(state.scope),
    })
    if (upload?.drops) return void request.socket.destroy()
    const reply: DriveReply = upload ?? handle({ ...receivedRequest, body: body.toString() })
    const { status, json, bytes, location } = reply
    response.writeHead(status ?? (location ? 302 : 200), {
      ...upload?.headers,
      'content-type': json === undefined ? 'text/plain' : 'application/json',
      ...(location && { location }),
    })
    response.end(json === undefined ? (bytes ?? '') : JSON.stringify(json))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server's address is an AddressInfo
  const uploads = createUploads(url)
  const settings = (id: string) => ({
    clientId,
    clientSecret,
    endpoints: {
      authorize: `${url}/authorize`,
      token: `${url}/token`,
      api: `${url}/${id}`,
      upload: `${url}/upload/${id}`,
    },
  })
  return {
    url,
    state,
    uploads: uploads.state,
    /** Value of the setting `DRIVES`. */
    settings: {
      'google-drive': settings('google-drive'),
      dropbox: settings('dropbox'),
      onedrive: settings('onedrive'),
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
