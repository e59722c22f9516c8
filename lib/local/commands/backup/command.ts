// Contains what `npm run backup` and `npm run restore` have in common.
import { resolve } from 'node:path'
import { ConfigError, processEnvironment, readConfig } from '../../../config.ts'
import { formatFailure } from '../../runtime/failure-text.ts'
import { BackupError } from './save.ts'

/** Runs `backup` or `restore` with its file argument and the data folder of the settings, and prints the result. */
export function runBackupOrRestore(
  usage: string,
  execute: (dataDir: string, file: string, signal: AbortSignal) => Promise<string>,
): void {
  // New files are accessible to this user only, like the data folder.
  process.umask(0o077)
  const interruptController = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () =>
      interruptController.abort(new BackupError('Interrupted; nothing was changed.')),
    )
  const main = async () => {
    const [file, ...otherArgs] = process.argv.slice(2)
    if (file === undefined || file.startsWith('-') || otherArgs.length > 0) throw new BackupError(usage)
    const dataDir = resolve(readConfig(processEnvironment).DATA_DIR)
    process.stdout.write(`${await execute(dataDir, file, interruptController.signal)}\n`)
  }
  main().catch((error: unknown) => {
    const { reason } = interruptController.signal
    const reportedError = reason instanceof BackupError ? reason : error
    process.stderr.write(`${formatFailure(reportedError, BackupError, ConfigError)}\n`)
    process.exitCode = 1
  })
}
