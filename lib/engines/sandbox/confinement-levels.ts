import { type ConfinementLevel, confinementLevels } from '../../component-ids.ts'

export const meetsLevel = (level: ConfinementLevel, required: ConfinementLevel): boolean =>
  confinementLevels.indexOf(level) >= confinementLevels.indexOf(required)
