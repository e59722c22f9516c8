import * as z from 'zod'
import type { Drive, DriveItem } from './drive.ts'

/** https://www.dropbox.com/developers/documentation/http/documentation */

const Entry = z.object({
  '.tag': z.string(),
  id: z.string(),
  name: z.string(),
  path_display: z.string().optional(),
  size: z.int().optional(),
  server_modified: z.string().optional(),
})
const Page = { cursor: z.string().optional(), has_more: z.boolean() }
const Folder = z.object({ entries: z.array(Entry), ...Page })
const Search = z.object({ matches: z.array(z.object({ metadata: z.object({ metadata: Entry }) })), ...Page })
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

/** "Specify the root folder as an empty string rather than as "/"." */
const toPath = (folderId: string) => (folderId === 'root' ? '' : folderId)

const nextCursorOf = ({ cursor, has_more: more }: { cursor?: string | undefined; has_more: boolean }) =>
  more ? (cursor ?? null) : null

export const dropbox: Drive = {
  id: 'dropbox',
  title: 'Dropbox',
  endpoints: {
    authorize: 'https://www.dropbox.com/oauth2/authorize',
    token: 'https://api.dropboxapi.com/oauth2/token',
    api: 'https://api.dropboxapi.com/2',
  },
  scope: 'account_info.read files.metadata.read files.content.read',
  authorizationParameters: { token_access_type: 'offline' },
  // "Endpoint-specific error": 409, with the kind of error at the start of `error_summary`.
  isNotFound: (status, body) => status === 409 && /"error_summary":\s*"path\/(?:not_|restricted)/.test(body),

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
        nextCursor: nextCursorOf(page),
      }
    }
    const page = Folder.parse(
      cursor === undefined
        ? await request('/files/list_folder', { post: { path: toPath(folderId), limit } })
        : await request('/files/list_folder/continue', { post: { cursor } }),
    )
    return { items: page.entries.map(toDriveItem), nextCursor: nextCursorOf(page) }
  },

  link: async (request, fileId) => {
    const temporaryLink = await request('/files/get_temporary_link', { post: { path: fileId } })
    const { link, metadata } = TemporaryLink.parse(temporaryLink)
    // The link is valid for four hours and needs no headers.
    return { url: link, headers: {}, filename: metadata.name }
  },
}
