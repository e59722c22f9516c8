import { ConfigError, processEnvironment } from '../config.ts'
import { confinement, confinementProblem } from '../engines/sandbox/isolation.ts'
import { DiskIsFull } from './data-folder.ts'
import { failureText } from './failure-text.ts'
import { watchIdleMemory } from './idle-memory.ts'
import { startService } from './service.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  // Whatever this process or one of its children makes is its user's alone.
  process.umask(0o077)
  const service = await startService(processEnvironment)
  const found = await confinement()
  const reason = confinementProblem(found)
  say(`Mutabor is ready: ${service.url}`)
  say(reason ? `No engine is used: ${reason}.` : `Engines are confined by ${found.detail}.`)
  if (service.missingEngines.length > 0)
    say(`Not installed, so not offered: ${service.missingEngines.join(', ')}.`)
  watchIdleMemory()
  let ending = false
  const end = (): void => {
    if (ending) return
    ending = true
    void service.close().then(() => process.exit(0))
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

main().catch((error: unknown) => {
  process.stderr.write(`${failureText(error, ConfigError, DiskIsFull)}\n`)
  process.exit(1)
})
