import type { Change } from '../aws/table-expressions.ts'

/** A number that arrives, with what it brings. */
export const dependencyUpdate = (number: number, isDone: boolean, isLost: boolean): Change => ({
  exclude: { open: new Set([number]) },
  ...((isDone || isLost) && { include: { [isLost ? 'lost' : 'got']: new Set([number]) } }),
})
