import { parseArgs } from 'node:util'
import { ConfigError, processEnvironment } from '../../config.ts'
import { describeConfinementProblem, getConfinement } from '../../engines/sandbox/isolation.ts'
import { DiskFullError } from '../runtime/data-folder.ts'
import { formatFailure } from '../runtime/failure-text.ts'
import { collectGarbageWhenIdle } from '../runtime/idle-memory.ts'
import { startService } from '../runtime/service.ts'

const usage = `Usage: npm start [-- --accept-loss]

  --accept-loss   starts without damaged files of the data folder, which are renamed, not deleted
`

class UsageError extends Error {}

function readAcceptLossFlag(): boolean {
  try {
    const { values } = parseArgs({ options: { 'accept-loss': { type: 'boolean', default: false } } })
    return values['accept-loss']
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const printLine = (line: string) => process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  const acceptLoss = readAcceptLossFlag()
  // Files created by this process and its children are only accessible to their user.
  process.umask(0o077)
  const service = await startService(
    processEnvironment,
    undefined,
    acceptLoss ? (message) => process.stderr.write(`${message}\n`) : undefined,
  )
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    void service.close().then(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  const availableConfinement = await getConfinement()
  const reason = describeConfinementProblem(availableConfinement)
  printLine(`Mutabor is ready: ${service.url}`)
  printLine(
    reason
      ? `Conversions are disabled: ${reason}.`
      : `Engines are confined by ${availableConfinement.detail}.`,
  )
  if (service.missingEngines.length > 0)
    printLine(`Not installed and therefore not available: ${service.missingEngines.join(', ')}.`)
  collectGarbageWhenIdle()
}

main().catch((error: unknown) => {
  const isMisused = error instanceof UsageError
  process.stderr.write(
    isMisused ? `${error.message}\n\n${usage}` : `${formatFailure(error, ConfigError, DiskFullError)}\n`,
  )
  process.exit(isMisused ? 2 : 1)
})
