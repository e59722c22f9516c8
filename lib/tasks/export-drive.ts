import * as z from 'zod'
import { driveIds } from '../component-ids.ts'
import type { ExportOperation } from './operation.ts'

/** Stores results of other jobs in a folder of a drive. It is the task of POST /v1/cloud/{drive}/export. */
export const exportDriveOperation = {
  kind: 'export',
  name: 'export/drive',
  summary: 'Save results of jobs to a drive',
  fields: z.strictObject({
    drive: z.enum(driveIds),
    /** API endpoint of the drive. The access token in the task is valid for as long as the task may take. */
    api: z.string(),
    upload: z.string(),
    token: z.string(),
    /** The folder, as the drive's `findFolder` returned it. */
    folder: z.string(),
    jobIds: z.array(z.string()).min(1),
    tasks: z.array(z.string()).optional(),
    /** Name of a file, if only this one is exported. */
    file: z.string().optional(),
  }),
  secrets: ['token'],
  sendsResults: true,
  openStore: async () => (await import('../transfer/drives/drive-store.ts')).openDriveStore,
} as const satisfies ExportOperation
