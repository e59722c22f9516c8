import { runBackupOrRestore } from './backup/command.ts'
import { restoreDataFolder } from './backup/restore.ts'

/** `npm run restore -- FILE.tar` extracts a backup, which `npm run backup` has created, into an empty data folder. */
runBackupOrRestore('Usage: npm run restore -- FILE.tar', async (dataDir, file, signal) => {
  const { createdAt } = await restoreDataFolder(dataDir, file, signal)
  return `Restored ${dataDir} as it was at ${createdAt}.`
})
