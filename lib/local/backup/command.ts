// What `npm run backup` and `npm run restore` have in common.
import { resolve } from 'node:path'
import { ConfigError, processEnvironment, readConfig } from '../../config.ts'
import { failureText } from '../failure-text.ts'
import { BackupError } from './save.ts'

/** Runs one of the two on the file that was named and the data folder that is set; says what came of it. */
export function runBackupCommand(
  usage: string,
  work: (dataDir: string, file: string, signal: AbortSignal) => Promise<string>,
): void {
  // What is made is for this user alone, as the data folder is.
  process.umask(0o077)
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new BackupError('Interrupted; nothing was changed.')))
  const main = async () => {
    const [file, ...more] = process.argv.slice(2)
    if (file === undefined || file.startsWith('-') || more.length > 0) throw new BackupError(usage)
    const dataDir = resolve(readConfig(processEnvironment).DATA_DIR)
    process.stdout.write(`${await work(dataDir, file, interrupted.signal)}\n`)
  }
  main().catch((error: unknown) => {
    const { reason } = interrupted.signal
    const shown = reason instanceof BackupError ? reason : error
    process.stderr.write(`${failureText(shown, BackupError, ConfigError)}\n`)
    process.exitCode = 1
  })
}
