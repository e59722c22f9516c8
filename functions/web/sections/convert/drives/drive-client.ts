import type { connectDrive, importFromDrive, listDrive, listDrives } from '../../../../routes/drives.ts'
import { ask, type DataOf, jobStatus, Problem } from '../../../api.ts'
import { watchJob } from '../watch-job.ts'
import type { Origin } from '../item.ts'
import words from './words/en.ts'

/** Drives as this browser knows them: who agreed once is not asked again. */

export type DriveName = DataOf<typeof listDrives>['drives'][number]
export type Listing = DataOf<typeof listDrive>
export type Entry = Listing['items'][number]

const pathOf = (drive: string) => `/v1/cloud/${encodeURIComponent(drive)}`

/** None where they are not set up, or not for this visitor. */
export const listedDrives = async (): Promise<readonly DriveName[]> => {
  try {
    return (await ask<DataOf<typeof listDrives>>('/v1/cloud')).drives
  } catch {
    return []
  }
}

const place = (drive: string) => `connection of ${drive}`

export function connectionTo(drive: string): string | undefined {
  try {
    return localStorage.getItem(place(drive)) ?? undefined
  } catch {
    return undefined
  }
}

export function rememberConnection(drive: string, id: string | undefined): void {
  try {
    if (id === undefined) localStorage.removeItem(place(drive))
    else localStorage.setItem(place(drive), id)
  } catch {
    // Denied: it is asked for at each visit.
  }
}

/** Leads to the drive, which leads back here. */
export async function connect(drive: string): Promise<void> {
  const back = new URL(`/convert?${new URLSearchParams({ drive })}`, location.href).href
  const query = new URLSearchParams({ redirectUri: back })
  const { authorizationUrl } = await ask<DataOf<typeof connectDrive>>(`${pathOf(drive)}/auth?${query}`)
  location.assign(authorizationUrl)
}

export function look(
  drive: string,
  asked: {
    readonly connectionId: string
    readonly folderId?: string
    readonly q?: string
    readonly cursor?: string
  },
): Promise<Listing> {
  return ask<Listing>(`${pathOf(drive)}/list?${new URLSearchParams(asked as Record<string, string>)}`) // all are texts
}

export async function disconnect(drive: string, connectionId: string): Promise<void> {
  rememberConnection(drive, undefined)
  await ask(`${pathOf(drive)}/connections/${encodeURIComponent(connectionId)}`, { method: 'DELETE' })
}

/** @returns them as uploads, once the service has fetched them all. */
export async function fetchFiles(
  drive: string,
  connectionId: string,
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<readonly Origin[]> {
  const { jobId, items } = await ask<DataOf<typeof importFromDrive>>(`${pathOf(drive)}/import`, {
    method: 'POST',
    body: { connectionId, fileIds: entries.map(({ id }) => id) },
    signal,
  })
  const { data } = await jobStatus(jobId, signal)
  const over = await watchJob(data, () => {}, signal)
  if (over.status !== 'completed')
    throw over.error
      ? new Problem(over.error.code, over.error.message)
      : new Problem('IMPORT_FAILED', words.notFetched)
  return items.flatMap(({ fileId, uploadId }) => {
    const entry = entries.find(({ id }) => id === fileId)
    if (!entry || uploadId === null) return []
    return [{ kind: 'upload' as const, uploadId, name: entry.name, size: entry.size ?? undefined }]
  })
}
