import { ConfigError, processEnvironment } from '../config.ts'
import { protection } from '../engines/sandbox.ts'
import { startService } from './service.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  const service = await startService(processEnvironment)
  const { detail } = await protection()
  say(`Mutabor is ready: ${service.url}`)
  say(`Engines are confined by ${detail}.`)
  if (service.missingEngines.length > 0)
    say(`Not installed, so not offered: ${service.missingEngines.join(', ')}.`)
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
  // A setting, a port or a folder: the sentence is all that helps. Anything else is a bug and shown whole.
  const expected = error instanceof ConfigError || (error instanceof Error && error.cause !== undefined)
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
})
