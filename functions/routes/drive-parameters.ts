import * as z from 'zod'
import { driveIds } from '../../lib/component-ids.ts'

/** Parameters and errors that the drive endpoints share. */

export const Params = z.object({ drive: z.enum(driveIds) })
export const connectionId = z.string().max(64).describe('`connectionId` from the callback, `conn_…`')

export const driveErrors = [
  'DRIVE_NOT_CONFIGURED',
  'INVALID_INPUT',
  'IMPORT_FAILED',
  'URL_NOT_ALLOWED',
] as const
export const connectionErrors = [...driveErrors, 'DRIVE_NOT_CONNECTED'] as const
