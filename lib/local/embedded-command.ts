import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '../log.ts'
import { lockDataFolder } from './data-lock.ts'
import { embeddedServices, openEmbedded } from './embedded.ts'
import { failureText } from './failure-text.ts'
import { loadSecrets } from './secrets.ts'

/** Starts only the embedded AWS servers, for any AWS tool. */
const usage = `Usage: npm run -s embedded -- [--data DIR] [--port-base N] [--region NAME] [--json]

  --data DIR      data folder, created if it does not exist (default: .data-embedded)
  --port-base N   first of ${embeddedServices.length} ports, for ${embeddedServices.join(', ')} (default: free ports)
  --region NAME   region that requests are signed for (default: eu-central-1)
  --json          prints a JSON object instead of shell commands
`

class UsageError extends Error {}

function readArguments(): { data: string; portBase: number; region: string; json: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        data: { type: 'string', default: '.data-embedded' },
        'port-base': { type: 'string' },
        region: { type: 'string', default: 'eu-central-1' },
        json: { type: 'boolean', default: false },
      },
    })
    if (!/^[a-z0-9-]+$/.test(values.region))
      throw new UsageError(`Expected --region to be a name such as eu-central-1, got "${values.region}".`)
    return { ...values, portBase: readPort(values['port-base']) }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const maxPortBase = 65_536 - embeddedServices.length

/** Returns 0 when no port was set. */
function readPort(text: string | undefined): number {
  if (text === undefined) return 0
  const port = Number(text)
  if (/^\d+$/.test(text) && port > 0 && port <= maxPortBase) return port
  throw new UsageError(`Expected --port-base to be a port from 1 to ${maxPortBase}, got "${text}".`)
}

async function main(): Promise<void> {
  process.umask(0o077)
  const { data, portBase, region, json } = readArguments()
  const dir = resolve(data)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(dir, '--data')
  const secrets = await loadSecrets(dir)
  const embedded = await openEmbedded({
    dir,
    region,
    credentials: secrets,
    ...(portBase > 0 && { portBase }),
    invoke: async (arn) => {
      throw new Error(`cannot invoke ${arn}: functions run only in the whole service`)
    },
    log: createLog({ LOG_LEVEL: 'info', LOG_FILE: join(dir, 'embedded.log') }),
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
  const isMisused = error instanceof UsageError
  process.stderr.write(isMisused ? `${error.message}\n\n${usage}` : `${failureText(error)}\n`)
  process.exit(isMisused ? 2 : 1)
})
