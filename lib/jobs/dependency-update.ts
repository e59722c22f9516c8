import type { Change } from '../aws/table-expressions.ts'

/** Change of a waiting record when the dependency with this number is over. */
export const dependencyUpdate = (number: number, isDone: boolean, isLost: boolean): Change => ({
  exclude: { open: new Set([number]) },
  ...((isDone || isLost) && { include: { [isLost ? 'lost' : 'got']: new Set([number]) } }),
})
