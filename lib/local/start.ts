import { ConfigError, processEnvironment } from '../config.ts'
import { confinement, confinementProblem } from '../engines/sandbox/isolation.ts'
import { DiskFullError } from './data-folder.ts'
import { failureText } from './failure-text.ts'
import { collectGarbageWhenIdle } from './idle-memory.ts'
import { startService } from './service.ts'

const printLine = (line: string) => process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  // Files created by this process and its children are accessible to its user only.
  process.umask(0o077)
  const service = await startService(processEnvironment)
  const confinementFound = await confinement()
  const reason = confinementProblem(confinementFound)
  printLine(`Mutabor is ready: ${service.url}`)
  printLine(
    reason ? `No engines are used: ${reason}.` : `Engines are confined by ${confinementFound.detail}.`,
  )
  if (service.missingEngines.length > 0)
    printLine(`Not installed and therefore not available: ${service.missingEngines.join(', ')}.`)
  collectGarbageWhenIdle()
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    void service.close().then(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

main().catch((error: unknown) => {
  process.stderr.write(`${failureText(error, ConfigError, DiskFullError)}\n`)
  process.exit(1)
})
