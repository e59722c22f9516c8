// The whole service with each function in a process of its own, whose key may do what its role says.
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { processEnvironment } from '../../lib/config.ts'
import { startService } from '../../lib/local/service.ts'
import {
  type FunctionDeclaration,
  functionNames,
  functions,
  imageIds,
  secretNames,
} from '../../lib/resources.ts'
import { allGrants, allowing, type Grant } from './policy.ts'

/** Grants that are taken away, as `role action`, to see that they are missed. */
const removed = (processEnvironment['RIGHTS_REMOVED'] ?? '').split(',')
const grants = allGrants().filter(({ role, action }: Grant) => !removed.includes(`${role} ${action}`))
const roles = [...functionNames, ...imageIds.map((image) => `convert-${image}`)]
const decisions = createWriteStream(join(processEnvironment['RIGHTS_LOG'] ?? '.', `${process.pid}.ndjson`))
const keyOf = (role: string) => ({ accessKeyId: `ROLE${role.toUpperCase()}`, secretAccessKey: `of ${role}` })
const roleOf = new Map(roles.map((role) => [keyOf(role).accessKeyId, role]))
const declared: Readonly<Record<string, FunctionDeclaration>> = functions

const service = await startService(processEnvironment, {
  callers: {
    credentials: roles.map(keyOf),
    may: (asked) => {
      const role = roleOf.get(asked.accessKeyId) ?? 'nobody'
      const by = allowing(grants, role, asked)
      decisions.write(`${JSON.stringify({ ...asked, role, by })}\n`)
      return by.length > 0
    },
  },
  environmentOf: (name, all) => {
    const { accessKeyId, secretAccessKey } = keyOf(name)
    const hidden: readonly string[] = secretNames.filter((one) => !declared[name]?.secrets?.includes(one))
    return {
      ...Object.fromEntries(Object.entries(all).filter(([one]) => !hidden.includes(one))),
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    }
  },
  connectionOf: (name) => ({ credentials: keyOf(name) }),
  delaysS: [0, 0],
})
process.stdout.write(`ready: ${service.url}\n`)
process.once('SIGTERM', () => {
  void service.close().then(() => decisions.end(() => process.exit(0)))
})
