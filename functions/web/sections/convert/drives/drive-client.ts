import type { connectDrive, listDriveItems, listDrives } from '../../../../routes/drives.ts'
import type { importFromDrive } from '../../../../routes/import-from-drive.ts'
import { callApi, explainError, fetchJobStatus, Problem, type ReplyData } from '../../../api.ts'
import type { ItemOrigin } from '../item.ts'
import { watchJob } from '../watch-job.ts'
import words from './words/en.ts'

/** Accesses drives; this browser remembers the connections. */

export type DriveName = ReplyData<typeof listDrives>['drives'][number]
export type Listing = ReplyData<typeof listDriveItems>
export type Entry = Listing['items'][number]

const getDrivePath = (drive: string) => `/v1/cloud/${encodeURIComponent(drive)}`

let availableDrives: Promise<readonly DriveName[]> | undefined

/** Returns the drives; none if they are not configured or not allowed for this visitor. */
export function listAvailableDrives(): Promise<readonly DriveName[]> {
  availableDrives ??= callApi<ReplyData<typeof listDrives>>('/v1/cloud').then(
    ({ drives }) => drives,
    () => {
      // Forgets the failure, because the next request may succeed.
      availableDrives = undefined
      return []
    },
  )
  return availableDrives
}

/** Saving needs a separate connection, for which the user has granted write access. */
export type DriveAccess = 'read' | 'write'

const getStorageKey = (drive: string, access: DriveAccess) =>
  access === 'write' ? `connection for saving to ${drive}` : `connection of ${drive}`

export function loadConnection(drive: string, access: DriveAccess): string | undefined {
  try {
    return localStorage.getItem(getStorageKey(drive, access)) ?? undefined
  } catch {
    return undefined
  }
}

export function saveConnection(drive: string, access: DriveAccess, id: string | undefined): void {
  try {
    if (id === undefined) localStorage.removeItem(getStorageKey(drive, access))
    else localStorage.setItem(getStorageKey(drive, access), id)
  } catch {
    // Storage is denied, so the visitor must connect again at each visit.
  }
}

/** Returns the path of the page with the file browser of a drive. */
export const getDialogPath = (drive: string, access: DriveAccess) =>
  `/convert?${new URLSearchParams({ drive, ...(access === 'write' && { save: 'true' }) })}`

/** Redirects the browser to the drive, which redirects back to this page. */
export async function connect(drive: string, access: DriveAccess): Promise<void> {
  const returnUrl = new URL(getDialogPath(drive, access), location.href).href
  const query = new URLSearchParams({ redirectUri: returnUrl, access })
  const { authorizationUrl } = await callApi<ReplyData<typeof connectDrive>>(
    `${getDrivePath(drive)}/auth?${query}`,
  )
  location.assign(authorizationUrl)
}

export function listFolder(
  drive: string,
  query: {
    readonly connectionId: string
    readonly folderId?: string
    readonly q?: string
    readonly cursor?: string
  },
): Promise<Listing> {
  // All values of the query are strings.
  return callApi<Listing>(
    `${getDrivePath(drive)}/list?${new URLSearchParams(query as Record<string, string>)}`,
  )
}

export async function disconnect(drive: string, access: DriveAccess, connectionId: string): Promise<void> {
  saveConnection(drive, access, undefined)
  await callApi(`${getDrivePath(drive)}/connections/${encodeURIComponent(connectionId)}`, {
    method: 'DELETE',
  })
}

/** Imports files. @returns them as uploads, once the service has fetched them all */
export async function importFiles(
  drive: string,
  connectionId: string,
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<readonly ItemOrigin[]> {
  const { jobId, items } = await callApi<ReplyData<typeof importFromDrive>>(`${getDrivePath(drive)}/import`, {
    method: 'POST',
    body: { connectionId, fileIds: entries.map(({ id }) => id) },
    signal,
  })
  const { data } = await fetchJobStatus(jobId, signal)
  const finishedJob = await watchJob(data, () => {}, signal)
  if (finishedJob.status !== 'completed')
    throw finishedJob.error
      ? await explainError(finishedJob.error)
      : new Problem('IMPORT_FAILED', words.importFailed)
  return items.flatMap(({ fileId, uploadId }) => {
    const entry = entries.find(({ id }) => id === fileId)
    if (!entry || uploadId === null) return []
    return [{ kind: 'upload' as const, uploadId, name: entry.name, size: entry.size ?? undefined }]
  })
}
