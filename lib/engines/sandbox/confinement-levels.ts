/** How far engines can be confined, the least first; what each takes, `levelOf` says. */
export const confinementLevels = ['none', 'limits', 'filtered', 'namespaces'] as const
export type ConfinementLevel = (typeof confinementLevels)[number]

export const meetsLevel = (level: ConfinementLevel, required: ConfinementLevel): boolean =>
  confinementLevels.indexOf(level) >= confinementLevels.indexOf(required)
