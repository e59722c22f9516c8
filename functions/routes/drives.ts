import * as z from 'zod'
import { driveIds } from '../../lib/component-ids.ts'
import { contract } from '../../lib/http/contract.ts'
import {
  createPageLinks,
  deprecatedNextField,
  Pagination,
  paginateList,
  wholeListQuery,
} from '../../lib/http/pagination.ts'
import { driveAccess as drivesAccess } from '../../lib/model/principal.ts'
import { consentLifetimeMinutes } from '../../lib/transfer/drives/connections.ts'
import { driveAccessLevels } from '../../lib/transfer/drives/drive.ts'
import { DriveService, minTokenLifetimesMs } from '../../lib/transfer/drives/drive-service.ts'
import { getDrive } from '../../lib/transfer/drives/index.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { component } from '../../lib/validation/component.ts'
import { createJsonSchema } from '../../lib/validation/maxima.ts'
import { connectionErrors, connectionId, driveErrors, Params } from './drive-parameters.ts'
import { exportToDrive } from './export-to-drive.ts'
import { importFromDrive } from './import-from-drive.ts'

const DriveAccountView = component(
  'DriveAccount',
  z.object({ name: z.string().nullable(), email: z.string().nullable() }),
)
const wantsHtml = (headers: Readonly<Record<string, string | undefined>>) =>
  headers['accept']?.includes('text/html') ?? false

export const connectDrive = contract({
  method: 'GET',
  path: '/v1/cloud/:drive/auth',
  access: drivesAccess,
  tag: 'Drives',
  summary: 'Connect a drive',
  description: `Open \`authorizationUrl\` in the browser of the drive's owner. They have ${consentLifetimeMinutes} minutes to agree there, and are redirected to the callback and from there to \`redirectUri\` with \`connectionId\` or \`error\`. The callback must come from the same user, who is recognized by the session or owner cookie. A browser that accepts \`text/html\` is redirected immediately.`,
  params: Params,
  query: z.object({
    redirectUri: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional()
      .describe(
        'URL to return to afterward: a page of this service, or of an origin that the operator added to `DRIVES`',
      ),
    access: z
      .enum(driveAccessLevels)
      .default('read')
      .describe('Whether results may also be saved to the drive (`write`)'),
    state: z.string().max(500).optional().describe('Passed on to `redirectUri` unchanged'),
  }),
  reply: {
    status: 200,
    headers: ['location'],
    otherStatuses: { 302: 'Redirect to the drive' },
    schema: z.object({
      authorizationUrl: z.url(),
      state: z.string().describe('Random value that identifies the callback'),
      expiresAt: z.iso.datetime(),
    }),
  },
  issuesIdentity: true,
  errors: driveErrors,
  handle: async ({ params, query, principal, headers }, services) => {
    const { redirectUri, access, state: clientState } = query
    const authorization = await new DriveService(params.drive, services).startAuthorization(
      principal.ownerId,
      {
        redirectUri,
        clientState,
        access,
      },
    )
    if (!wantsHtml(headers)) return { data: authorization }
    return { data: authorization, status: 302, headers: { location: authorization.authorizationUrl } }
  },
})

const driveCallback = contract({
  method: 'GET',
  path: '/v1/cloud/:drive/callback',
  access: drivesAccess,
  tag: 'Drives',
  summary: 'OAuth callback of a drive',
  description: 'The redirect URL to register with the drive.',
  params: Params,
  query: z
    .object({
      state: z.string().max(200).default(''),
      code: z.string().max(4096).optional(),
      error: z.string().max(200).optional(),
    })
    .catchall(createJsonSchema()),
  reply: {
    status: 200,
    headers: ['location'],
    otherStatuses: { 302: 'Redirect to `redirectUri`, if the request contained one' },
    schema: z.object({ connectionId: z.string(), account: DriveAccountView }),
  },
  errors: [...connectionErrors, 'CONFLICT'],
  handle: async ({ params, query, rawQuery, principal }, services) => {
    const driveService = new DriveService(params.drive, services)
    const { state } = query
    const { redirectUri, clientState, verifier, access } = await driveService.requirePending(
      principal.ownerId,
      state,
    )
    const createRedirectHeaders = (result: Readonly<Record<string, string>>) => {
      const url = new URL(redirectUri ?? '')
      for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value)
      if (clientState !== undefined) url.searchParams.set('state', clientState)
      return { location: url.href }
    }
    const emptyConnection = { connectionId: '', account: { name: null, email: null } }
    if (query.error !== undefined && redirectUri !== undefined)
      return { data: emptyConnection, status: 302, headers: createRedirectHeaders({ error: query.error }) }
    const { id, account } = await driveService.connect(principal.ownerId, rawQuery, {
      verifier,
      state,
      access,
    })
    const data = { connectionId: id, account }
    return redirectUri === undefined
      ? { data }
      : { data, status: 302, headers: createRedirectHeaders({ connectionId: id }) }
  },
})

export const listDrives = contract({
  method: 'GET',
  path: '/v1/cloud',
  access: drivesAccess,
  tag: 'Drives',
  summary: 'List the drives that can be connected',
  description: 'The drives that the operator of the service has set up (`DRIVES`).',
  query: z.object(wholeListQuery),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({
      drives: z.array(z.object({ id: z.enum(driveIds), name: z.string() })),
      pagination: Pagination,
    }),
  },
  errors: ['INVALID_INPUT'],
  handle: async ({ query }, { config }) => {
    const configuredIds = driveIds.filter((id) => config.DRIVES?.[id])
    const { page, pagination } = paginateList(configuredIds, query, (id) => id)
    return {
      data: { drives: page.map((id) => ({ id, name: getDrive(id).title })), pagination },
      ...createPageLinks(`${config.PUBLIC_URL ?? ''}/v1/cloud`, query, pagination),
    }
  },
})

const DriveItemView = component(
  'DriveItem',
  z.object({
    id: z.string(),
    name: z.string(),
    isFolder: z.boolean(),
    mimeType: z.string().nullable(),
    size: z.number().nullable().describe('Size in bytes; null if unknown'),
    modifiedAt: z.string().nullable(),
    thumbnailUrl: z.string().nullable(),
    path: z.string().nullable(),
  }),
)

export const listDriveItems = contract({
  method: 'GET',
  path: '/v1/cloud/:drive/list',
  access: drivesAccess,
  tag: 'Drives',
  summary: 'List files of a drive',
  description:
    'Files and folders of one folder, or those that match `q`. Send `nextCursor` as `cursor` for the next page. Drives can only be listed forward, so `prevCursor` is always null: to go back, send the `cursor` of the earlier page again.',
  params: Params,
  query: z.object({
    connectionId,
    folderId: z.string().min(1).max(500).default('root').describe('Id of a folder from this list'),
    q: z.string().min(1).max(200).optional().describe('Words to search for in file names'),
    cursor: z.string().max(4096).optional().describe('`nextCursor` of the previous page'),
    limit: integer(1, 200).default(50),
  }),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({
      items: z.array(DriveItemView),
      nextCursor: deprecatedNextField,
      account: DriveAccountView,
      pagination: Pagination,
    }),
  },
  errors: connectionErrors,
  handle: async ({ params, query, principal }, services) => {
    const driveService = new DriveService(params.drive, services)
    const { connectionId: id, ...listQuery } = query
    const connection = await driveService.requireConnection(principal.ownerId, id)
    const { items, nextCursor } = await driveService.use(connection, minTokenLifetimesMs.browse, (ask) =>
      driveService.drive.list(ask, listQuery),
    )
    // Drives can only page forward: their cursors are so long that one cursor can't contain those of earlier pages.
    const pagination = { limit: query.limit, hasMore: nextCursor !== null, nextCursor, prevCursor: null }
    return {
      data: { items: [...items], nextCursor, account: connection.account, pagination },
      ...createPageLinks(
        `${services.config.PUBLIC_URL ?? ''}/v1/cloud/${params.drive}/list`,
        query,
        pagination,
      ),
    }
  },
})

const disconnectDrive = contract({
  method: 'DELETE',
  path: '/v1/cloud/:drive/connections/:connectionId',
  access: drivesAccess,
  tag: 'Drives',
  summary: 'Disconnect a drive',
  description:
    'Deletes the stored access tokens. You can also revoke the access in the settings of the drive.',
  params: Params.extend({ connectionId }),
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: connectionErrors,
  handle: async ({ params, principal }, services) => {
    const driveService = new DriveService(params.drive, services)
    await driveService.disconnect(
      await driveService.requireConnection(principal.ownerId, params.connectionId),
    )
    return { data: null }
  },
})

export const drives = [
  listDrives,
  connectDrive,
  driveCallback,
  listDriveItems,
  importFromDrive,
  exportToDrive,
  disconnectDrive,
]
