// Starts the whole service with each function in a separate process, whose credentials have the permissions of its
// role. With PACKAGES=<folder>, functions with zip packages run from the packages extracted there, each in its own
// sandbox.
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { imageIds } from '../../lib/component-ids.ts'
import { processEnvironment } from '../../lib/config.ts'
import { deriveKeys } from '../../lib/crypto/derived-keys.ts'
import { zipFunctionNames } from '../../lib/deployment/zip-functions.ts'
import { startService } from '../../lib/local/runtime/service.ts'
import { type FunctionDeclaration, secretNames } from '../../lib/resources/function-declaration.ts'
import { type FunctionName, functionNames, functions } from '../../lib/resources/functions.ts'
import {
  createEnvironment,
  createSandboxCommand,
  profileLimits,
  secretsBucket,
} from '../packages/lambda-sandbox.ts'
import { findMatchingGrants, type Grant, listGrants } from './policy.ts'

/** Permissions to remove, as `role action`, to check that this causes failures. */
const removedPermissions = (processEnvironment['RIGHTS_REMOVED'] ?? '').split(',')
const grants = listGrants().filter(
  ({ role, action }: Grant) => !removedPermissions.includes(`${role} ${action}`),
)
const roles = [...functionNames, ...imageIds.map((image) => `convert-${image}`)]
const decisionStream = createWriteStream(
  join(processEnvironment['RIGHTS_LOG'] ?? '.', `${process.pid}.ndjson`),
)
const createRoleKey = (role: string) => ({
  accessKeyId: `ROLE${role.toUpperCase()}`,
  secretAccessKey: `of ${role}`,
})
const rolesByKeyId = new Map(roles.map((role) => [createRoleKey(role).accessKeyId, role]))
const functionDeclarations: Readonly<Record<string, FunctionDeclaration>> = functions

const packagesFolder = processEnvironment['PACKAGES']
const isPackaged = (name: string): name is FunctionName =>
  packagesFolder !== undefined && zipFunctionNames.includes(name as FunctionName)

/** Permissions for secrets follow from `secrets` in the row of a function, not from `rights`. */
const isSecret = (role: string, resource: string) =>
  packagesFolder !== undefined &&
  resource.startsWith(`arn:aws:s3:::${secretsBucket}`) &&
  (functionDeclarations[role]?.secrets ?? []).length > 0

const service = await startService(processEnvironment, {
  callers: {
    credentials: roles.map(createRoleKey),
    authorize: (accessRequest) => {
      const role = rolesByKeyId.get(accessRequest.accessKeyId) ?? 'unknown'
      const by = findMatchingGrants(grants, role, accessRequest)
      decisionStream.write(`${JSON.stringify({ ...accessRequest, role, by })}\n`)
      return by.length > 0 || isSecret(role, accessRequest.resource)
    },
  },
  createEnvironment: (name, allVariables) => {
    const { accessKeyId, secretAccessKey } = createRoleKey(name)
    const key = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
    if (isPackaged(name)) return { ...createEnvironment(name, allVariables, packagesFolder ?? ''), ...key }
    const hiddenSecrets: readonly string[] = secretNames.filter(
      (secretName) => !functionDeclarations[name]?.secrets?.includes(secretName),
    )
    const variablesWithKeys = { ...allVariables, ...deriveKeys(allVariables['SERVICE_SECRET'] ?? '') }
    return {
      ...Object.fromEntries(
        Object.entries(variablesWithKeys).filter(([one]) => !hiddenSecrets.includes(one)),
      ),
      ...key,
    }
  },
  wrapCommand: (name, command) =>
    isPackaged(name) ? createSandboxCommand(name, packagesFolder ?? '') : command,
  createConnection: (name) => ({ credentials: createRoleKey(name) }),
  retryDelaysS: [0, 0],
  ...profileLimits,
})
process.stdout.write(`ready: ${service.url}\n`)
process.once('SIGTERM', () => {
  void service.close().then(() => decisionStream.end(() => process.exit(0)))
})
