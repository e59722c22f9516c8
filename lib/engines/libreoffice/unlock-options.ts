import * as z from 'zod'
import { lockableFormats } from '../../formats/locked-office.ts'
import type { Capability } from '../engine.ts'
import { secretOption } from '../options.ts'

/** Engine that removes the password of a document before other engines read it. */
export const unlockEngine = { engine: 'libreoffice', image: 'office' } as const

export const unlockOptionShape = {
  password: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Password of a protected document.')
    .meta(secretOption),
}
export const UnlockOptions = z.object(unlockOptionShape)

export const unlockRows: readonly Capability[] = lockableFormats.map((id) => ({
  operation: 'unlock',
  from: [id],
  to: [id],
  same: true,
  options: UnlockOptions,
  cost: 0.3,
}))
