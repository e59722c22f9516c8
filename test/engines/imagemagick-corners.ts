import { existsSync } from 'node:fs'
import { sources } from '../../lib/engines/imagemagick/sources.ts'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import { fixture } from './run-engine.ts'

/** The picture of four corners in a format. */
export const corners = (format: FormatId) => fixture(`corners.${formatById(format).extensions[0]}`)

const sourceIds = Object.keys(sources) as (keyof typeof sources)[] // Object.keys forgets the names that the table has.
/** Formats that it is there in; the rarest are left to the sweep over all pairs. */
export const cornersOf = sourceIds.filter((id) => id !== 'gif' && existsSync(corners(id)))
