import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { embeddedServices, openEmbedded } from '../../embedded-aws/embedded.ts'
import { lockDataFolder } from '../../io/data-lock.ts'
import { createLog } from '../../log.ts'
import { checkDataFolder } from '../runtime/damaged-data.ts'
import { formatFailure } from '../runtime/failure-text.ts'
import { loadSecrets } from '../runtime/secrets.ts'

/** Starts only the embedded AWS servers, for use with any AWS tool. */
const usage = `Usage: npm run -s embedded -- [--data DIR] [--port-base N] [--region NAME] [--json] [--accept-loss]

  --data DIR      data folder, created if it does not exist (default: .data-embedded)
  --port-base N   first of ${embeddedServices.length} ports, for ${embeddedServices.join(', ')} (default: free ports)
  --region NAME   region that requests are signed for (default: eu-central-1)
  --json          prints a JSON object instead of shell commands
  --accept-loss   starts without damaged files of the data folder, which are renamed, not deleted
`

class UsageError extends Error {}

interface EmbeddedArguments {
  readonly data: string
  readonly portBase: number
  readonly region: string
  readonly json: boolean
  readonly acceptLoss: boolean
}

function readArguments(): EmbeddedArguments {
  try {
    const { values } = parseArgs({
      options: {
        data: { type: 'string', default: '.data-embedded' },
        'port-base': { type: 'string' },
        region: { type: 'string', default: 'eu-central-1' },
        json: { type: 'boolean', default: false },
        'accept-loss': { type: 'boolean', default: false },
      },
    })
    if (!/^[a-z0-9-]+$/.test(values.region))
      throw new UsageError(`Expected --region to be a name such as eu-central-1, got "${values.region}".`)
    return { ...values, portBase: readPort(values['port-base']), acceptLoss: values['accept-loss'] }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const maxPortBase = 65_536 - embeddedServices.length

/** Parses the value of `--port-base`; returns 0 if it was not set. */
function readPort(text: string | undefined): number {
  if (text === undefined) return 0
  const port = Number(text)
  if (/^\d+$/.test(text) && port > 0 && port <= maxPortBase) return port
  throw new UsageError(`Expected --port-base to be a port from 1 to ${maxPortBase}, got "${text}".`)
}

async function main(): Promise<void> {
  process.umask(0o077)
  const { data, portBase, region, json, acceptLoss } = readArguments()
  const dataDir = resolve(data)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(dataDir, '--data')
  const log = createLog({ LOG_LEVEL: 'info', LOG_FILE: join(dataDir, 'embedded.log') })
  await checkDataFolder(dataDir, {
    command: 'npm run -s embedded',
    ...(acceptLoss && { onAcceptedLoss: (message) => process.stderr.write(`${message}\n`) }),
    log,
  })
  const secrets = await loadSecrets(dataDir)
  const embedded = await openEmbedded({
    dir: dataDir,
    region,
    credentials: secrets,
    ...(portBase > 0 && { portBase }),
    invoke: async (arn) => {
      throw new Error(`cannot invoke ${arn}: functions run only in the whole service`)
    },
    log,
  })
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      void embedded.close().then(() => {
        lock.release()
        process.exit(0)
      })
    })

  const variables = {
    ...Object.fromEntries(
      Object.entries(embedded.urls).map(([service, url]) => [`AWS_ENDPOINT_URL_${service}`, url]),
    ),
    AWS_ACCESS_KEY_ID: secrets.accessKeyId,
    AWS_SECRET_ACCESS_KEY: secrets.secretAccessKey,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
  }
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`)
  process.stdout.write(json ? `${JSON.stringify(variables)}\n` : lines.join(''))
}

main().catch((error: unknown) => {
  const isUsageError = error instanceof UsageError
  process.stderr.write(isUsageError ? `${error.message}\n\n${usage}` : `${formatFailure(error)}\n`)
  process.exit(isUsageError ? 2 : 1)
})
