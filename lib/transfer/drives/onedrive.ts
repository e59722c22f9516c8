import { json } from 'node:stream/consumers'
import * as z from 'zod'
import { RemoteError } from '../remote-error.ts'
import type { OutgoingFile } from '../transfer.ts'
import type { Drive, DriveItem, DriveRequest, DriveSend, DriveUpload } from './drive.ts'
import { uploadInChunks } from './upload-chunks.ts'

/** OneDrive API of Microsoft Graph: https://learn.microsoft.com/en-us/onedrive/developer/rest-api/ */

const Item = z.object({
  id: z.string(),
  name: z.string(),
  size: z.number().optional(),
  lastModifiedDateTime: z.string().optional(),
  file: z.object({ mimeType: z.string().optional() }).optional(),
  folder: z.object({}).optional(),
  parentReference: z.object({ path: z.string().optional() }).optional(),
})
const fields = 'id,name,size,lastModifiedDateTime,file,folder,parentReference'
const Children = z.object({ value: z.array(Item), '@odata.nextLink': z.url().optional() })
const Person = z.object({
  displayName: z.string().nullable(),
  mail: z.string().nullish(),
  userPrincipalName: z.string().nullish(),
})

/** Returns the path of a file. The path of its parent has the form `/drive/root:/folder`. */
const getPath = ({ name, parentReference }: z.infer<typeof Item>): string | null => {
  const [, parent] = parentReference?.path?.split('root:') ?? []
  return parent === undefined ? null : `${decodeURIComponent(parent)}/${name}`
}

const toDriveItem = (foundItem: z.infer<typeof Item>): DriveItem => ({
  id: foundItem.id,
  name: foundItem.name,
  isFolder: foundItem.folder !== undefined,
  path: getPath(foundItem),
  mimeType: foundItem.file?.mimeType ?? null,
  size: foundItem.size ?? null,
  thumbnailUrl: null,
  modifiedAt: foundItem.lastModifiedDateTime ?? null,
})

const getItemPath = (id: string) =>
  id === 'root' ? '/me/drive/root' : `/me/drive/items/${encodeURIComponent(id)}`

const UploadSession = z.object({ uploadUrl: z.url() })
const Progress = z.object({ nextExpectedRanges: z.array(z.string()).min(1) })
const StoredFile = z.object({ webUrl: z.string(), size: z.number().optional() })
/** Size of a chunk in bytes: a multiple of 320 KiB, below the maximum of 60 MiB. */
const chunkBytes = 160 * 320 * 1024
/** Timeout for cancelling an upload session. */
const cancelTimeoutMs = 5000
/** OneDrive: "If a file already exists, choose a new name." */
const renameOnConflict = { '@microsoft.graph.conflictBehavior': 'rename' }

/** Returns the path of a new file in a folder. The replaced characters are not allowed in OneDrive's names. */
const getNewFilePath = (folder: string, name: string) =>
  `${getItemPath(folder)}:/${encodeURIComponent(name.replace(/["*:<>?/\\|]/g, '-'))}`

async function findByPath(request: DriveRequest, path: string) {
  try {
    return StoredFile.parse(await request(path, { query: { $select: 'webUrl,size' } }))
  } catch (error) {
    if (error instanceof RemoteError && error.reason === 'not-found') return undefined
    throw error
  }
}

/** Uploads an empty file in a single request, because upload sessions refuse empty files. */
async function uploadEmptyFile({ request, send, uploadUrl, folder }: DriveUpload, file: OutgoingFile) {
  const query = new URLSearchParams(renameOnConflict)
  const url = `${uploadUrl}${getNewFilePath(folder, file.path)}:/content?${query}`
  const headers = { ...request.headers, 'content-type': file.mimeType, 'content-length': '0' }
  return StoredFile.parse(await json((await send(url, { method: 'PUT', headers })).body))
}

/** Returns the requests of an upload session. The URL is a credential, so the token is not sent with it. */
const createChunkSession = (sessionUrl: string, send: DriveSend, { size }: OutgoingFile) => ({
  chunkBytes,
  send: async (
    { start, end }: { readonly start: number; readonly end: number },
    body: NonNullable<Parameters<DriveSend>[1]['body']>,
  ) => {
    const headers = {
      'content-length': String(end - start),
      'content-range': `bytes ${start}-${end - 1}/${size}`,
    }
    const response = await send(sessionUrl, { method: 'PUT', headers, body })
    const reply = await json(response.body)
    return response.status === 202 ? undefined : StoredFile.parse(reply)
  },
  findOffset: async () => {
    const response = await send(sessionUrl, {}, (status) => status < 300 || status === 404)
    const reply = await json(response.body)
    // Status 404 means that the session has ended: the last byte has arrived, and only the reply was lost.
    if (response.status === 404) return size
    return Number.parseInt(Progress.parse(reply).nextExpectedRanges[0] ?? '0', 10)
  },
})

export const oneDrive: Drive = {
  id: 'onedrive',
  title: 'OneDrive',
  endpoints: {
    authorize: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    api: 'https://graph.microsoft.com/v1.0',
    upload: 'https://graph.microsoft.com/v1.0',
  },
  scopes: {
    read: 'offline_access User.Read Files.Read',
    write: 'offline_access User.Read Files.ReadWrite',
  },
  authorizationParameters: {},

  isFull: (status, body) => status === 507 || body.includes('quotaLimitReached'),

  account: async (request) => {
    const { displayName, mail, userPrincipalName } = Person.parse(await request('/me'))
    return { name: displayName, email: mail ?? userPrincipalName ?? null }
  },

  list: async (request, { folderId, q, cursor, limit }) => {
    // OData string literals double their apostrophes.
    const encodedQuery = q === undefined ? undefined : encodeURIComponent(q.replaceAll("'", "''"))
    const path = `${getItemPath(folderId)}/${encodedQuery === undefined ? 'children' : `search(q='${encodedQuery}')`}`
    const page = Children.parse(
      await request(path, { query: { $top: limit, $select: fields, $skiptoken: cursor } }),
    )
    const nextLink = page['@odata.nextLink']
    return {
      items: page.value.map(toDriveItem),
      // Only the paging token is taken from the URL. Requesting the URL itself could send the access token to another
      // host.
      nextCursor: nextLink === undefined ? null : new URL(nextLink).searchParams.get('$skiptoken'),
    }
  },

  link: async (request, fileId) => {
    const foundItem = Item.parse(await request(getItemPath(fileId), { query: { $select: fields } }))
    if (foundItem.folder) throw new RemoteError('not-found', `"${foundItem.name}" is a folder.`)
    // The URL redirects to another host, which does not receive the token.
    return {
      url: `${request.api}${getItemPath(fileId)}/content`,
      headers: request.headers,
      filename: foundItem.name,
    }
  },

  findFolder: async (request, folderId) => {
    if (folderId === 'root') return folderId
    const foundItem = Item.parse(await request(getItemPath(folderId), { query: { $select: fields } }))
    if (!foundItem.folder) throw new RemoteError('not-found', `"${foundItem.name}" is not a folder.`)
    return folderId
  },

  upload: async (upload, file) => {
    if (file.size === 0) return (await uploadEmptyFile(upload, file)).webUrl
    const { request, send, folder, signal } = upload
    const path = getNewFilePath(folder, file.path)
    const isNameTaken = (await findByPath(request, path)) !== undefined
    const { uploadUrl: sessionUrl } = UploadSession.parse(
      await request(`${path}:/createUploadSession`, { post: { item: renameOnConflict } }),
    )
    try {
      const uploadedFile = await uploadInChunks(file, createChunkSession(sessionUrl, send, file), upload)
      // If the last reply was lost, the file is looked up by its name. If that name was already taken, this is
      // impossible, because OneDrive chose a new name that is unknown here.
      const storedFile = uploadedFile ?? (isNameTaken ? undefined : await findByPath(request, path))
      if (storedFile && (uploadedFile || storedFile.size === file.size)) return storedFile.webUrl
      throw new RemoteError(
        'incomplete',
        `OneDrive ended the upload of "${file.path}" without saying whether the file is stored.`,
        // Not transient, because another attempt could store a second copy.
        { isTransient: false },
      )
    } catch (error) {
      // If cancelling fails, the session expires after some days.
      await send(sessionUrl, { method: 'DELETE', signal: AbortSignal.timeout(cancelTimeoutMs) }).then(
        ({ body }) => body.destroy(),
        () => {},
      )
      signal.throwIfAborted()
      throw error
    }
  },
}
