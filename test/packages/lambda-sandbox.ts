// Runs a function like on Lambda: with its package, a /tmp of 512 MB and its environment, but without this checkout.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getMaxConcurrency } from '../../lib/deployment/concurrency.ts'
import { createFunctions } from '../../lib/deployment/functions.ts'
import { parseStage } from '../../lib/deployment/stage.ts'
import { newAccount } from '../../lib/embedded-aws/quotas.ts'
import { findDeclaration, functions } from '../../lib/resources/functions.ts'
import { taskFolder } from './unpack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const workerPath = fileURLToPath(new URL('worker.mjs', import.meta.url))

/** Name of the bucket for secrets. In a deployment, CloudFormation chooses its name. */
export const secretsBucket = 'mutabor-secrets'

/** Whether this machine supports mount namespaces; otherwise the sandbox is only a folder. */
export const canMount = spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0

/** Bind-mounts what is needed below /mnt, hides the checkout, and mounts a small /tmp. */
const enterScript = `set -e
mount -t tmpfs -o size=1m tmpfs /mnt
mkdir /mnt/root; touch /mnt/node /mnt/worker.mjs
mount --bind "$1" /mnt/root; mount --bind "$2" /mnt/node; mount --bind "$3" /mnt/worker.mjs
cd /mnt/root/${taskFolder}
mount -t tmpfs tmpfs "$4"
mount -t tmpfs -o size=512m tmpfs /tmp
exec /mnt/node /mnt/worker.mjs`

/**
 * Returns the command that starts a function. The package and layers of the function are in the folder with its name,
 * below the folder of all packages.
 */
export function createSandboxCommand(name: string, packagesFolder: string): readonly [string, ...string[]] {
  if (!canMount) return [process.execPath, workerPath]
  const givenArgs = [join(packagesFolder, name), process.execPath, workerPath, root]
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', enterScript, 'sh', ...givenArgs]
}

interface DeployedFunction {
  readonly environment: Readonly<Record<string, unknown>>
  readonly reservedConcurrency?: number
}
// Tests need no accounts and use servers on this machine.
const stage = parseStage('dev', {
  profile: 'small',
  facades: 'v2',
  anonymousPlan: 'self-hosted',
  outgoingAllow: '127.0.0.0/8',
})
const deployedFunctions: Readonly<Record<string, DeployedFunction>> = createFunctions(stage)

/** What AWS enforces in the account of this stage. */
export const profileLimits = {
  quotas: { ...newAccount, concurrentExecutions: stage.functionsAtATime },
  getConcurrency: (name: string) => ({
    maximumConcurrency: getMaxConcurrency(name, stage),
    reservedConcurrency: deployedFunctions[name]?.reservedConcurrency,
  }),
}

/** Returns the deployed environment; `knownVariables` contains the values that CloudFormation would fill in. */
export function createEnvironment(
  name: keyof typeof functions,
  knownVariables: Readonly<Record<string, string>>,
  packagesFolder: string,
): Record<string, string> {
  const set = Object.entries(deployedFunctions[name]?.environment ?? {}).flatMap(([variable, value]) => {
    const resolvedValue = typeof value === 'string' ? value : knownVariables[variable]
    return resolvedValue === undefined ? [] : [[variable, resolvedValue]]
  })
  const servers = Object.entries(knownVariables).filter(([variable]) =>
    /^AWS_ENDPOINT_URL_|^S3_PUBLIC/.test(variable),
  )
  const { secrets = [] } = findDeclaration(name) ?? {}
  return {
    ...Object.fromEntries([...servers, ...set]),
    ...(secrets.length > 0 && { SECRETS: `s3://${secretsBucket}/${secrets.join(',')}` }),
    AWS_REGION: knownVariables['AWS_REGION'] ?? '',
    AWS_LAMBDA_FUNCTION_NAME: `mutabor-dev-${name}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(functions[name].memoryMb),
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    LAMBDA_TASK_ROOT: join(canMount ? '/mnt/root' : join(packagesFolder, name), taskFolder),
    _HANDLER: functions[name].handler,
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    PATH: '/usr/local/bin:/usr/bin:/bin:/sbin:/usr/sbin',
  }
}
