// Summarizes which permissions of the roles were used, from recorded authorization decisions.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AccessRequest } from '../../lib/embedded-aws/authorize.ts'
import { type Grant, listClaims, listGrants } from './policy.ts'

export interface Decision extends AccessRequest {
  readonly role: string
  /** Grants that allowed the request; empty if it was denied. */
  readonly by: readonly Grant[]
}

export const readDecisions = (folder: string): Decision[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap(
      (name) =>
        readFileSync(join(folder, name), 'utf8')
          .split('\n')
          // The last line can be incomplete while a service is still running.
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Decision), // written by start-isolated.ts
    )

export function summarizeUse(decisions: readonly Decision[]) {
  const grantedClaims = new Set(listGrants().flatMap(listClaims))
  const usedPermissions = new Set(decisions.flatMap(({ by }) => by.flatMap(listClaims)))
  const refusedPermissions = new Set(
    decisions
      .filter(({ by }) => by.length === 0)
      .map(
        ({ role, action, resource, conditionKeys }) =>
          `${role}: ${action} on ${resource} ${JSON.stringify(conditionKeys ?? {})}`,
      ),
  )
  return {
    granted: [...grantedClaims].sort(),
    used: [...usedPermissions].sort(),
    refused: [...refusedPermissions].sort(),
  }
}
