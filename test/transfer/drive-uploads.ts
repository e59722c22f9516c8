// The uploads of the fake drives, as strict as their documentation: resumable sessions, chunk sizes, offsets, names.
import { randomUUID } from 'node:crypto'

export interface UploadRequest {
  readonly path: string
  readonly query: URLSearchParams
  readonly method: string
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Buffer
  /** Whether the request has the current access token. */
  readonly hasToken: boolean
  readonly mayWrite: boolean
}

export interface UploadReply {
  readonly status?: number
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Ends the connection without a reply. */
  readonly drops?: boolean
}

interface Session {
  readonly drive: string
  readonly name: string
  readonly parent: string
  readonly size: number
  bytes: Buffer
}

export interface StoredUpload {
  readonly drive: string
  readonly parent: string
  readonly name: string
  readonly bytes: Buffer
}

/** "Each request … must be a multiple of 320 KiB". */
const oneDriveChunkUnitBytes = 320 * 1024
const maxOneDriveChunkBytes = 60 * 1024 ** 2
const maxDropboxChunkBytes = 150 * 1024 ** 2

export function createUploads(url: string) {
  const files: StoredUpload[] = []
  const sessions = new Map<string, Session>()
  /** `interruptions` is the number of chunks of which only half will arrive before the connection ends. */
  const state = { interruptions: 0, isFull: false, losesLastReply: false, chunks: 0, files, sessions }

  const open = (session: Omit<Session, 'bytes'>) => {
    const id = randomUUID()
    sessions.set(id, { ...session, bytes: Buffer.alloc(0) })
    return id
  }
  /** @returns whether the connection ends after half of the chunk. */
  const receive = (session: Session, body: Buffer): boolean => {
    const isInterrupted = body.length > 1 && state.interruptions > 0
    if (isInterrupted) state.interruptions--
    state.chunks++
    session.bytes = Buffer.concat([session.bytes, isInterrupted ? body.subarray(0, body.length >> 1) : body])
    return isInterrupted
  }
  const store = (id: string | undefined, file: StoredUpload, renames: boolean) => {
    if (id) sessions.delete(id)
    const isTaken = (name: string) =>
      files.some((one) => one.drive === file.drive && one.parent === file.parent && one.name === name)
    const name = renames && isTaken(file.name) ? file.name.replace(/(\.\w+)$/, ' (1)$1') : file.name
    files.push({ ...file, name })
    return name
  }

  const handleGoogle = ({ path, method, headers, query, body }: UploadRequest): UploadReply => {
    if (path !== '/google-drive/files' || method !== 'POST' || query.get('uploadType') !== 'resumable')
      return { status: 404 }
    if (state.isFull)
      return { status: 403, json: { error: { errors: [{ reason: 'storageQuotaExceeded' }] } } }
    const { name, parents } = JSON.parse(body.toString())
    const size = Number(headers['x-upload-content-length'])
    const id = open({ drive: 'google-drive', name, parent: parents[0], size })
    return { headers: { location: `${url}/session/google-drive/${id}` } }
  }
  const finishGoogle = (id: string, session: Session): UploadReply => {
    const { bytes, size, drive, parent, name } = session
    if (bytes.length < size)
      return { status: 308, headers: bytes.length > 0 ? { range: `bytes=0-${bytes.length - 1}` } : {} }
    store(id, { drive, parent, name, bytes }, false)
    return { json: { size: String(size), webViewLink: `https://drive.google.com/file/d/${id}/view` } }
  }
  const continueGoogle = (
    id: string,
    session: Session,
    { method, headers, body }: UploadRequest,
  ): UploadReply => {
    if (method === 'DELETE') return { status: sessions.delete(id) ? 499 : 404 }
    const range = /^bytes (?:\*|(\d+)-(\d+))\/(\d+)$/.exec(String(headers['content-range']))
    if (!range || Number(range[3]) !== session.size) return { status: 400 }
    if (range[1] !== undefined) {
      if (Number(range[1]) !== session.bytes.length) return { status: 416 }
      if (receive(session, body)) return { drops: true }
    }
    return finishGoogle(id, session)
  }

  const finishDropbox = (
    id: string,
    { bytes }: Session,
    {
      path,
      mode,
      autorename,
    }: { readonly path: string; readonly mode: string; readonly autorename: boolean },
  ): UploadReply => {
    const [, parent, name] = /^((?:\/[^/]+)*)\/([^/]+)$/.exec(path) ?? []
    if (state.isFull) return { status: 409, json: { error_summary: 'path/insufficient_space/..' } }
    if (parent === undefined || name === undefined || mode !== 'add' || !autorename) return { status: 400 }
    const storedName = store(id, { drive: 'dropbox', parent, name, bytes }, true)
    return { json: { id: 'id:new', name: storedName, path_display: `${parent}/${storedName}` } }
  }
  const handleDropbox = ({ path, method, headers, body }: UploadRequest): UploadReply => {
    const argument = String(headers['dropbox-api-arg'])
    if (method !== 'POST' || headers['content-type'] !== 'application/octet-stream') return { status: 400 }
    if (!/^[ -~]+$/.test(argument) || body.length > maxDropboxChunkBytes) return { status: 400 }
    const { cursor, commit } = JSON.parse(argument)
    if (path === '/dropbox/files/upload_session/start')
      return { json: { session_id: open({ drive: 'dropbox', name: '', parent: '', size: 0 }) } }
    const session = sessions.get(cursor.session_id)
    if (!session) return { status: 409, json: { error_summary: 'not_found/..' } }
    if (cursor.offset !== session.bytes.length) {
      const error = { '.tag': 'incorrect_offset', correct_offset: session.bytes.length }
      return { status: 409, json: { error_summary: 'incorrect_offset/..', error } }
    }
    if (path === '/dropbox/files/upload_session/append_v2')
      return receive(session, body) ? { drops: true } : { json: null }
    return path === '/dropbox/files/upload_session/finish'
      ? finishDropbox(cursor.session_id, session, commit)
      : { status: 404 }
  }

  const handleOneDrive = ({ path, method, query, body }: UploadRequest): UploadReply => {
    const [, parent = '', name, action] =
      /^\/onedrive\/me\/drive\/(root|items\/[^/]+):\/([^/:]+):\/(\w+)$/.exec(path) ?? []
    if (name === undefined) return { status: 404 }
    const file = { drive: 'onedrive', parent: parent.replace('items/', ''), name: decodeURIComponent(name) }
    if (/["*:<>?/\\|]/.test(file.name)) return { status: 400 }
    if (state.isFull) return { status: 507, json: { error: { code: 'quotaLimitReached' } } }
    if (
      action === 'content' &&
      method === 'PUT' &&
      query.get('@microsoft.graph.conflictBehavior') === 'rename'
    )
      return {
        status: 201,
        json: { webUrl: `https://onedrive.live.com/${store(undefined, { ...file, bytes: body }, true)}` },
      }
    if (action !== 'createUploadSession' || method !== 'POST') return { status: 400 }
    if (JSON.parse(body.toString()).item['@microsoft.graph.conflictBehavior'] !== 'rename')
      return { status: 400 }
    // The upload URL has another host, which must not get the token.
    const uploadUrl = `${url.replace('127.0.0.1', 'localhost')}/session/onedrive/${open({ ...file, size: -1 })}`
    return { json: { uploadUrl } }
  }
  const continueOneDrive = (
    id: string,
    session: Session,
    { method, headers, body }: UploadRequest,
  ): UploadReply => {
    if (method === 'DELETE') return { status: sessions.delete(id) ? 204 : 404 }
    const progress = () => ({ nextExpectedRanges: [`${session.bytes.length}-`] })
    if (method === 'GET') return { json: progress() }
    const [, start, , size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? []
    if (Number(start) !== session.bytes.length) return { status: 416, json: {} }
    const isLast = Number(start) + body.length === Number(size)
    if (body.length > maxOneDriveChunkBytes || (!isLast && body.length % oneDriveChunkUnitBytes !== 0))
      return { status: 400, json: {} }
    if (receive(session, body)) return { drops: true }
    if (!isLast) return { status: 202, json: progress() }
    const { drive, parent, name, bytes } = session
    const json = { webUrl: `https://onedrive.live.com/${store(id, { drive, parent, name, bytes }, true)}` }
    return state.losesLastReply ? { drops: true } : { status: 201, json }
  }
  const findOneDriveItem = ({ path }: UploadRequest): UploadReply | undefined => {
    const [, parent = '', name] = /^\/onedrive\/me\/drive\/(root|items\/[^/]+):\/([^/:]+)$/.exec(path) ?? []
    if (name === undefined) return undefined
    const item = files.find(
      (one) => one.parent === parent.replace('items/', '') && one.name === decodeURIComponent(name),
    )
    if (!item) return { status: 404, json: { error: { code: 'itemNotFound' } } }
    return { json: { webUrl: `https://onedrive.live.com/${item.name}`, size: item.bytes.length } }
  }

  function handleSession(request: UploadRequest): UploadReply {
    const [, , drive, id = ''] = request.path.split('/')
    const session = sessions.get(id)
    if (!session) return { status: 404, json: {} }
    // The URL alone gives access, so a token must not be sent.
    if (request.headers['authorization']) return { status: 400, json: {} }
    return (drive === 'onedrive' ? continueOneDrive : continueGoogle)(id, session, request)
  }

  /** Handles an upload, or a lookup of an uploaded file. Returns undefined for other requests. */
  function handle(request: UploadRequest): UploadReply | undefined {
    if (request.path.startsWith('/session/')) return handleSession(request)
    const isUpload = request.path.startsWith('/upload/') || request.path.endsWith(':/createUploadSession')
    if (!isUpload) return request.method === 'GET' && request.hasToken ? findOneDriveItem(request) : undefined
    if (!request.hasToken) return { status: 401 }
    if (!request.mayWrite) return { status: 403, json: { error: 'insufficient_scope' } }
    const path = request.path.replace(/^\/upload/, '')
    if (path.startsWith('/google-drive')) return handleGoogle({ ...request, path })
    return (path.startsWith('/dropbox') ? handleDropbox : handleOneDrive)({ ...request, path })
  }
  return { state, handle }
}
