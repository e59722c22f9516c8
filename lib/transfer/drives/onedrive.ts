import * as z from 'zod'
import { RemoteError } from '../remote-error.ts'
import type { Drive, DriveItem } from './drive.ts'

/** https://learn.microsoft.com/en-us/onedrive/developer/rest-api/ over Microsoft Graph */

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

/** A parent's path is `/drive/root:/folder`. */
const pathOf = ({ name, parentReference }: z.infer<typeof Item>): string | null => {
  const [, parent] = parentReference?.path?.split('root:') ?? []
  return parent === undefined ? null : `${decodeURIComponent(parent)}/${name}`
}

const toDriveItem = (foundItem: z.infer<typeof Item>): DriveItem => ({
  id: foundItem.id,
  name: foundItem.name,
  isFolder: foundItem.folder !== undefined,
  path: pathOf(foundItem),
  mimeType: foundItem.file?.mimeType ?? null,
  size: foundItem.size ?? null,
  thumbnailUrl: null,
  modifiedAt: foundItem.lastModifiedDateTime ?? null,
})

const itemPath = (id: string) =>
  id === 'root' ? '/me/drive/root' : `/me/drive/items/${encodeURIComponent(id)}`

export const oneDrive: Drive = {
  id: 'onedrive',
  title: 'OneDrive',
  endpoints: {
    authorize: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    api: 'https://graph.microsoft.com/v1.0',
  },
  scope: 'offline_access User.Read Files.Read',
  authorizationParameters: {},

  account: async (request) => {
    const { displayName, mail, userPrincipalName } = Person.parse(await request('/me'))
    return { name: displayName, email: mail ?? userPrincipalName ?? null }
  },

  list: async (request, { folderId, q, cursor, limit }) => {
    // OData string literals double apostrophes.
    const search = q === undefined ? undefined : encodeURIComponent(q.replaceAll("'", "''"))
    const path = `${itemPath(folderId)}/${search === undefined ? 'children' : `search(q='${search}')`}`
    const page = Children.parse(
      await request(path, { query: { $top: limit, $select: fields, $skiptoken: cursor } }),
    )
    const nextLink = page['@odata.nextLink']
    return {
      items: page.value.map(toDriveItem),
      // Only the token of the URL is used: following another URL would send the access token elsewhere.
      nextCursor: nextLink === undefined ? null : new URL(nextLink).searchParams.get('$skiptoken'),
    }
  },

  link: async (request, fileId) => {
    const foundItem = Item.parse(await request(itemPath(fileId), { query: { $select: fields } }))
    if (foundItem.folder) throw new RemoteError('not-found', `"${foundItem.name}" is a folder.`)
    // Redirects to another host, which does not receive the token.
    return {
      url: `${request.api}${itemPath(fileId)}/content`,
      headers: request.headers,
      filename: foundItem.name,
    }
  },
}
