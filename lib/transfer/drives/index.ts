import type { DriveId } from '../../component-ids.ts'
import type { Drive } from './drive.ts'
import { dropbox } from './dropbox.ts'
import { googleDrive } from './google-drive.ts'
import { oneDrive } from './onedrive.ts'

/** To add a drive, add its id, its file and a line here. */
const drives: Readonly<Record<DriveId, Drive>> = {
  'google-drive': googleDrive,
  dropbox,
  onedrive: oneDrive,
}

export const getDrive = (id: DriveId): Drive => drives[id]
