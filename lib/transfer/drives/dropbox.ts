import { Readable } from 'node:stream'
import { json, text } from 'node:stream/consumers'
import * as z from 'zod'
import { RemoteError } from '../remote-error.ts'
import type { Drive, DriveItem, DriveUpload } from './drive.ts'
import { uploadInChunks } from './upload-chunks.ts'

/** Dropbox API: https://www.dropbox.com/developers/documentation/http/documentation */

const Entry = z.object({
  '.tag': z.string(),
  id: z.string(),
  name: z.string(),
  path_display: z.string().optional(),
  size: z.int().optional(),
  server_modified: z.string().optional(),
})
const pageFields = { cursor: z.string().optional(), has_more: z.boolean() }
const Folder = z.object({ entries: z.array(Entry), ...pageFields })
const Search = z.object({
  matches: z.array(z.object({ metadata: z.object({ metadata: Entry }) })),
  ...pageFields,
})
const Person = z.object({ name: z.object({ display_name: z.string() }), email: z.string() })
const TemporaryLink = z.object({ link: z.url(), metadata: z.object({ name: z.string() }) })

const toDriveItem = (entry: z.infer<typeof Entry>): DriveItem => ({
  id: entry.id,
  name: entry.name,
  isFolder: entry['.tag'] === 'folder',
  mimeType: null,
  size: entry.size ?? null,
  modifiedAt: entry.server_modified ?? null,
  thumbnailUrl: null,
  path: entry.path_display ?? null,
})

/** Dropbox: "Specify the root folder as an empty string rather than as "/"." */
const toPath = (folderId: string) => (folderId === 'root' ? '' : folderId)

const getNextCursor = ({ cursor, has_more: hasMore }: { cursor?: string | undefined; has_more: boolean }) =>
  hasMore ? (cursor ?? null) : null

const readScopes = 'account_info.read files.metadata.read files.content.read'

const UploadSession = z.object({ session_id: z.string() })
const StoredFile = z.object({ path_display: z.string() })
/** Size of a chunk in bytes: a multiple of 4 MiB, below the maximum of 150 MB. */
const chunkBytes = 64 * 1024 ** 2

/** Returns JSON for a header, which has to be ASCII. */
const toHeader = (value: object) =>
  JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Creates a function that calls the endpoints of Dropbox that transfer content. */
const createContentCall =
  ({ request, send, uploadUrl }: DriveUpload) =>
  (path: string, argument: object, content = { body: Readable.from([]), length: 0 }, isSuccess = isOk) =>
    send(
      `${uploadUrl}/files${path}`,
      {
        method: 'POST',
        headers: {
          ...request.headers,
          'content-type': 'application/octet-stream',
          'content-length': String(content.length),
          'dropbox-api-arg': toHeader(argument),
        },
        body: content.body,
      },
      isSuccess,
    )

const isOk = (status: number) => status < 300

export const dropbox: Drive = {
  id: 'dropbox',
  title: 'Dropbox',
  endpoints: {
    authorize: 'https://www.dropbox.com/oauth2/authorize',
    token: 'https://api.dropboxapi.com/oauth2/token',
    api: 'https://api.dropboxapi.com/2',
    upload: 'https://content.dropboxapi.com/2',
  },
  scopes: { read: readScopes, write: `${readScopes} files.content.write` },
  authorizationParameters: { token_access_type: 'offline' },
  // An "endpoint-specific error" has status 409, with the kind of error at the start of `error_summary`.
  isNotFound: (status, body) => status === 409 && /"error_summary":\s*"path\/(?:not_|restricted)/.test(body),

  isFull: (status, body) => status === 409 && body.includes('insufficient_space'),

  account: async (request) => {
    const { name, email } = Person.parse(await request('/users/get_current_account', { post: null }))
    return { name: name.display_name, email }
  },

  list: async (request, { folderId, q, cursor, limit }) => {
    if (q !== undefined) {
      const options = { path: toPath(folderId), max_results: limit, filename_only: true }
      const page = Search.parse(
        cursor === undefined
          ? await request('/files/search_v2', { post: { query: q, options } })
          : await request('/files/search/continue_v2', { post: { cursor } }),
      )
      return {
        items: page.matches.map(({ metadata }) => toDriveItem(metadata.metadata)),
        nextCursor: getNextCursor(page),
      }
    }
    const page = Folder.parse(
      cursor === undefined
        ? await request('/files/list_folder', { post: { path: toPath(folderId), limit } })
        : await request('/files/list_folder/continue', { post: { cursor } }),
    )
    return { items: page.entries.map(toDriveItem), nextCursor: getNextCursor(page) }
  },

  link: async (request, fileId) => {
    const temporaryLink = await request('/files/get_temporary_link', { post: { path: fileId } })
    const { link, metadata } = TemporaryLink.parse(temporaryLink)
    // The link is valid for four hours and needs no headers.
    return { url: link, headers: {}, filename: metadata.name }
  },

  findFolder: async (request, folderId) => {
    if (folderId === 'root') return ''
    const entry = Entry.parse(await request('/files/get_metadata', { post: { path: folderId } }))
    if (entry['.tag'] !== 'folder') throw new RemoteError('not-found', `"${entry.name}" is not a folder.`)
    return entry.path_display ?? folderId
  },

  upload: async (upload, file) => {
    const call = createContentCall(upload)
    const startReply = await call('/upload_session/start', { close: false })
    const { session_id } = UploadSession.parse(await json(startReply.body))
    const createCursor = (offset: number) => ({ session_id, offset })
    const append = (offset: number, content?: { body: Readable; length: number }, isSuccess = isOk) =>
      call('/upload_session/append_v2', { cursor: createCursor(offset), close: false }, content, isSuccess)
    await uploadInChunks(
      file,
      {
        chunkBytes,
        send: async ({ start, end }, body) => {
          const response = await append(start, { body, length: end - start })
          response.body.destroy()
          return undefined
        },
        // Dropbox reports the correct offset only in response to a wrong one, so this appends an empty chunk at `at`
        // and reads the offset from the error.
        findOffset: async (at) => {
          const response = await append(at, undefined, (status) => isOk(status) || status === 409)
          const offset = /"correct_offset":\s*(\d+)/.exec(await text(response.body))?.[1]
          return offset === undefined ? at : Number(offset)
        },
      },
      upload,
    )
    const commit = { path: `${upload.folder}/${file.path}`, mode: 'add', autorename: true }
    const { body } = await call('/upload_session/finish', { cursor: createCursor(file.size), commit })
    return `dropbox://${StoredFile.parse(await json(body)).path_display}`
  },
}
