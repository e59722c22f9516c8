import { type ConfinementLevel, confinementLevels } from '../../component-ids.ts'

export const meetsLevel = (level: ConfinementLevel, required: ConfinementLevel): boolean =>
  confinementLevels.indexOf(level) >= confinementLevels.indexOf(required)

export const isConfinementLevel = (text: string): text is ConfinementLevel =>
  confinementLevels.some((level) => level === text)
