// Common to `npm run backup` and `npm run restore`.
import { resolve } from 'node:path'
import { ConfigError, processEnvironment, readConfig } from '../../../config.ts'
import { failureText } from '../../runtime/failure-text.ts'
import { BackupError } from './save.ts'

/** Runs one of the two with the file argument and the data folder of the settings, and prints the result. */
export function runBackupCommand(
  usage: string,
  work: (dataDir: string, file: string, signal: AbortSignal) => Promise<string>,
): void {
  // New files are accessible to this user only, like the data folder.
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
    const shownError = reason instanceof BackupError ? reason : error
    process.stderr.write(`${failureText(shownError, BackupError, ConfigError)}\n`)
    process.exitCode = 1
  })
}
