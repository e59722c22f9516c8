/** Levels of confinement, from the weakest to the strongest. `confinementLevel` defines their requirements. */
export const confinementLevels = ['none', 'limits', 'filtered', 'namespaces'] as const
export type ConfinementLevel = (typeof confinementLevels)[number]

export const meetsLevel = (level: ConfinementLevel, required: ConfinementLevel): boolean =>
  confinementLevels.indexOf(level) >= confinementLevels.indexOf(required)
