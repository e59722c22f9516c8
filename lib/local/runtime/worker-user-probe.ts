// Runs as the workers' user: fails if this user lacks access that workers need, and prints how the user can confine
// engines.
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { readConfig } from '../../config.ts'
import { getConfinement } from '../../engines/sandbox/isolation.ts'

const config = readConfig()
try {
  for (const folder of [config.WORK_DIR, tmpdir()])
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  process.stdout.write(`${(await getConfinement()).level}\n`)
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
