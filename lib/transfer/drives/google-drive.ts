import * as z from 'zod'
import { uploadToSession } from '../google-upload.ts'
import { RemoteError } from '../remote-error.ts'
import type { Drive, DriveItem } from './drive.ts'

/** Google Drive API: https://developers.google.com/workspace/drive/api/reference/rest/v3 */

const folderMimeType = 'application/vnd.google-apps.folder'
/** Google's own documents cannot be downloaded; they are exported to the closest format. */
const exportFormats: Readonly<Record<string, readonly [type: string, extension: string]>> = {
  'application/vnd.google-apps.document': [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'docx',
  ],
  'application/vnd.google-apps.spreadsheet': [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'xlsx',
  ],
  'application/vnd.google-apps.presentation': [
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'pptx',
  ],
  'application/vnd.google-apps.drawing': ['image/png', 'png'],
}

const File = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  // 64-bit numbers are strings in Google's JSON.
  size: z.coerce.number().optional(),
  modifiedTime: z.string().optional(),
  thumbnailLink: z.string().optional(),
})
const fileFields = 'id,name,mimeType,size,modifiedTime,thumbnailLink'
const Files = z.object({ files: z.array(File), nextPageToken: z.string().optional() })
const StoredFile = z.object({ webViewLink: z.string() })
const About = z.object({ user: z.object({ displayName: z.string(), emailAddress: z.string().optional() }) })

const toDriveItem = ({
  id,
  name,
  mimeType,
  size,
  modifiedTime,
  thumbnailLink,
}: z.infer<typeof File>): DriveItem => ({
  id,
  name,
  mimeType,
  isFolder: mimeType === folderMimeType,
  size: size ?? null,
  path: null,
  modifiedAt: modifiedTime ?? null,
  thumbnailUrl: thumbnailLink ?? null,
})

/** Quotes a text for a query. Google: "Escape single quotes in queries with \', such as 'Valentine\'s Day'." */
const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

const sharedDriveParameters = { supportsAllDrives: 'true' }

export const googleDrive: Drive = {
  id: 'google-drive',
  title: 'Google Drive',
  endpoints: {
    authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    api: 'https://www.googleapis.com/drive/v3',
    upload: 'https://www.googleapis.com/upload/drive/v3',
  },
  // The scope `drive.file` is not enough, because it does not allow storing files in folders that the owner created.
  scopes: {
    read: 'https://www.googleapis.com/auth/drive.readonly',
    write: 'https://www.googleapis.com/auth/drive',
  },
  // The owner is asked for consent each time, because Google issues another refresh token only after a new consent.
  authorizationParameters: { access_type: 'offline', prompt: 'consent' },

  isFull: (status, body) => status === 403 && body.includes('storageQuotaExceeded'),

  account: async (request) => {
    const { user } = About.parse(
      await request('/about', { query: { fields: 'user(displayName,emailAddress)' } }),
    )
    return { name: user.displayName, email: user.emailAddress ?? null }
  },

  list: async (request, { folderId, q, cursor, limit }) => {
    const folderFilter = [`${quote(folderId)} in parents`, 'trashed = false']
    // A search covers the names in the whole drive, like Google's own search.
    const filters = q === undefined ? folderFilter : [`name contains ${quote(q)}`, 'trashed = false']
    const { files, nextPageToken } = Files.parse(
      await request('/files', {
        query: {
          q: filters.join(' and '),
          pageSize: limit,
          pageToken: cursor,
          orderBy: 'folder,name_natural',
          fields: `nextPageToken,files(${fileFields})`,
          includeItemsFromAllDrives: 'true',
          ...sharedDriveParameters,
        },
      }),
    )
    return { items: files.map(toDriveItem), nextCursor: nextPageToken ?? null }
  },

  link: async (request, fileId) => {
    const path = `/files/${encodeURIComponent(fileId)}`
    const { name, mimeType } = File.parse(
      await request(path, { query: { fields: fileFields, ...sharedDriveParameters } }),
    )
    const { headers, api } = request
    const exportFormat = exportFormats[mimeType]
    if (exportFormat) {
      const [type, extension] = exportFormat
      const url = `${api}${path}/export?mimeType=${encodeURIComponent(type)}`
      return { url, headers, filename: `${name}.${extension}` }
    }
    if (mimeType.startsWith('application/vnd.google-apps.'))
      throw new RemoteError('not-found', `"${name}" is not a file that can be downloaded.`)
    return { url: `${api}${path}?alt=media&supportsAllDrives=true`, headers, filename: name }
  },

  findFolder: async (request, folderId) => {
    if (folderId === 'root') return folderId
    const path = `/files/${encodeURIComponent(folderId)}`
    const { name, mimeType } = File.parse(
      await request(path, { query: { fields: fileFields, ...sharedDriveParameters } }),
    )
    if (mimeType !== folderMimeType) throw new RemoteError('not-found', `"${name}" is not a folder.`)
    return folderId
  },

  upload: async ({ request, send, uploadUrl, folder, signal, onSent }, file) => {
    const query = new URLSearchParams({
      uploadType: 'resumable',
      fields: 'size,webViewLink',
      ...sharedDriveParameters,
    })
    const { headers, body } = await send(`${uploadUrl}/files?${query}`, {
      method: 'POST',
      headers: {
        ...request.headers,
        'content-type': 'application/json; charset=UTF-8',
        'x-upload-content-type': file.mimeType,
        'x-upload-content-length': String(file.size),
      },
      body: JSON.stringify({ name: file.path, parents: [folder] }),
    })
    body.destroy()
    // The URL of the session is a credential, so the token is not sent with it.
    const storedFile = await uploadToSession(String(headers.location), file, {
      request: (_, url, options, isSuccess) => send(url, options, isSuccess),
      location: `"${file.path}"`,
      onSent,
      signal,
    })
    return StoredFile.parse(storedFile).webViewLink
  },
}
