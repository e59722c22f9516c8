import { runBackupCommand } from './backup/command.ts'
import { saveDataFolder } from './backup/save.ts'

/** Saves all data of the service, while it runs or not: `npm run backup -- FILE.tar`. */
runBackupCommand('Use: npm run backup -- FILE.tar', async (dataDir, file, signal) => {
  const { databases, files, bytes } = await saveDataFolder(dataDir, file, signal)
  return `Saved ${dataDir}: ${databases} databases and ${files} files, ${Math.ceil(bytes / 1024 ** 2)} MiB, in ${file}.`
})
