import * as z from 'zod'
import type { DriveId } from '../../component-ids.ts'
import type { OpenStore, OutgoingFile } from '../transfer.ts'
import { createDriveRequest, createDriveSend } from './drive-request.ts'
import { getDrive } from './index.ts'

/** A folder of a drive and the access to it; see lib/tasks/export-drive.ts. */
interface DriveFolder {
  readonly drive: DriveId
  readonly api: string
  readonly upload: string
  readonly token: string
  readonly folder: string
}

/** Locations of the files stored so far, each with the key that `getKey` returns for the file. */
const StoredLocations = z.array(z.tuple([z.string(), z.string()]))

/**
 * Returns a key that identifies a file. The file name alone is not enough: if a job is deleted between two attempts, a
 * file of another job may get the name of its file.
 */
const getKey = ({ sha256, path }: OutgoingFile) => `${sha256} ${path}`

/**
 * Stores files in a folder of a drive. Drives do not replace existing files, so a repeated export would store copies.
 * To avoid that, each attempt records the files that it has stored, and the next attempt skips them.
 */
export const openDriveStore: OpenStore = async (fields, { guardedHttp, signal, onStarted }) => {
  // The fields were parsed when the task was created.
  const { drive: id, api, upload: uploadUrl, token, folder } = fields as unknown as DriveFolder
  const drive = getDrive(id)
  const request = createDriveRequest(guardedHttp, drive, api, token)
  const send = createDriveSend(guardedHttp, drive, signal)
  let storedLocations = new Map<string, string>()
  return {
    put: async (file, onSent) => {
      const earlierLocation = storedLocations.get(getKey(file))
      if (earlierLocation !== undefined) {
        onSent(file.size)
        return earlierLocation
      }
      const location = await drive.upload({ request, send, uploadUrl, folder, signal, onSent }, file)
      storedLocations.set(getKey(file), location)
      await onStarted?.(JSON.stringify([...storedLocations]))
      return location
    },
    cleanUp: async (state) => {
      storedLocations = new Map(StoredLocations.parse(JSON.parse(state)))
    },
    close: async () => {},
  }
}
