import * as z from 'zod'
import { driveIds } from '../component-ids.ts'
import type { ExportOperation } from './operation.ts'

/** Stores results of other jobs in a folder of a drive: the task of POST /v1/cloud/{drive}/export. */
export const exportDriveOperation = {
  kind: 'export',
  name: 'export/drive',
  summary: 'Save results of jobs to a drive',
  fields: z.strictObject({
    drive: z.enum(driveIds),
    /** Endpoints of the drive, and an access token that is valid for as long as the task may take. */
    api: z.string(),
    upload: z.string(),
    token: z.string(),
    /** As `findFolder` of the drive returns it. */
    folder: z.string(),
    jobIds: z.array(z.string()).min(1),
    tasks: z.array(z.string()).optional(),
    /** Name of the only file. */
    file: z.string().optional(),
  }),
  secrets: ['token'],
  sendsResults: true,
  openStore: async () => (await import('../transfer/drives/drive-store.ts')).openDriveStore,
} as const satisfies ExportOperation
