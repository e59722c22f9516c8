// The whole service with each function in a process of its own, whose key may do what its role says. With PACKAGES=<folder>
// those that are deployed as zip packages run from what was unpacked there, each in a box of its own.
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { processEnvironment } from '../../lib/config.ts'
import { zipFunctionNames } from '../../lib/deployment/zip-functions.ts'
import { startService } from '../../lib/local/service.ts'
import { type FunctionDeclaration, secretNames } from '../../lib/resources/function-declaration.ts'
import { type FunctionName, functionNames, functions } from '../../lib/resources/functions.ts'
import { imageIds } from '../../lib/resources/queues.ts'
import { environmentOf, sandboxCommand, secretsBucket } from '../packages/lambda-sandbox.ts'
import { allGrants, findMatchingGrants, type Grant } from './policy.ts'

/** Grants that are taken away, as `role action`, to see that they are missed. */
const removed = (processEnvironment['RIGHTS_REMOVED'] ?? '').split(',')
const grants = allGrants().filter(({ role, action }: Grant) => !removed.includes(`${role} ${action}`))
const roles = [...functionNames, ...imageIds.map((image) => `convert-${image}`)]
const decisions = createWriteStream(join(processEnvironment['RIGHTS_LOG'] ?? '.', `${process.pid}.ndjson`))
const keyOf = (role: string) => ({ accessKeyId: `ROLE${role.toUpperCase()}`, secretAccessKey: `of ${role}` })
const roleOf = new Map(roles.map((role) => [keyOf(role).accessKeyId, role]))
const declared: Readonly<Record<string, FunctionDeclaration>> = functions

const packages = processEnvironment['PACKAGES']
const isPackaged = (name: string): name is FunctionName =>
  packages !== undefined && zipFunctionNames.includes(name as FunctionName)

/** What roles may read there follows from their rows and is no part of `rights`. */
const isSecret = (role: string, resource: string) =>
  packages !== undefined &&
  resource.startsWith(`arn:aws:s3:::${secretsBucket}`) &&
  (declared[role]?.secrets ?? []).length > 0

const service = await startService(processEnvironment, {
  callers: {
    credentials: roles.map(keyOf),
    authorize: (asked) => {
      const role = roleOf.get(asked.accessKeyId) ?? 'nobody'
      const by = findMatchingGrants(grants, role, asked)
      decisions.write(`${JSON.stringify({ ...asked, role, by })}\n`)
      return by.length > 0 || isSecret(role, asked.resource)
    },
  },
  environmentFor: (name, all) => {
    const { accessKeyId, secretAccessKey } = keyOf(name)
    const key = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
    if (isPackaged(name)) return { ...environmentOf(name, all, packages ?? ''), ...key }
    const hidden: readonly string[] = secretNames.filter((one) => !declared[name]?.secrets?.includes(one))
    return {
      ...Object.fromEntries(Object.entries(all).filter(([one]) => !hidden.includes(one))),
      ...key,
    }
  },
  wrapCommand: (name, command) => (isPackaged(name) ? sandboxCommand(name, packages ?? '') : command),
  connectionFor: (name) => ({ credentials: keyOf(name) }),
  retryDelaysS: [0, 0],
})
process.stdout.write(`ready: ${service.url}\n`)
process.once('SIGTERM', () => {
  void service.close().then(() => decisions.end(() => process.exit(0)))
})
