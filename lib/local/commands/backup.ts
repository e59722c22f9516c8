import { runBackupOrRestore } from './backup/command.ts'
import { saveDataFolder } from './backup/save.ts'

/** `npm run backup -- FILE.tar` saves all data of the service, whether it is running or not. */
runBackupOrRestore('Usage: npm run backup -- FILE.tar', async (dataDir, file, signal) => {
  const { databases, files, bytes } = await saveDataFolder(dataDir, file, signal)
  return `Saved ${dataDir} to ${file}: ${databases} databases and ${files} files, ${Math.ceil(bytes / 1024 ** 2)} MiB.`
})
