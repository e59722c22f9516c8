import { runBackupCommand } from './backup/command.ts'
import { restoreDataFolder } from './backup/restore.ts'

/** Restores what `npm run backup` saved into an empty data folder: `npm run restore -- FILE.tar`. */
runBackupCommand('Usage: npm run restore -- FILE.tar', async (dataDir, file, signal) => {
  const { createdAt } = await restoreDataFolder(dataDir, file, signal)
  return `Restored ${dataDir} as it was at ${createdAt}.`
})
