// What was used of what the roles allow, from the decisions that were written down.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AccessRequest } from '../../lib/local/authorize.ts'
import { allGrants, claimsOf, type Grant } from './policy.ts'

export interface Decision extends AccessRequest {
  readonly role: string
  /** The grants by which it was allowed. */
  readonly by: readonly Grant[]
}

export const decisionsIn = (folder: string): Decision[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap(
      (name) =>
        readFileSync(join(folder, name), 'utf8')
          .split('\n')
          // After the last end of a line a service that still runs may have written half of the next.
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Decision), // of start-isolated.ts
    )

export function summarizeUse(decisions: readonly Decision[]) {
  const granted = new Set(allGrants().flatMap(claimsOf))
  const used = new Set(decisions.flatMap(({ by }) => by.flatMap(claimsOf)))
  const refused = new Set(
    decisions
      .filter(({ by }) => by.length === 0)
      .map(
        ({ role, action, resource, conditionKeys }) =>
          `${role}: ${action} on ${resource} ${JSON.stringify(conditionKeys ?? {})}`,
      ),
  )
  return { granted: [...granted].sort(), used: [...used].sort(), refused: [...refused].sort() }
}
