/** `npm run test:affected`: runs the slow checks that belong to the files changed by the current commit. */
import { listChangedFiles } from './changed-files.ts'
import { createCommands, runCommands } from './commands.ts'
import { selectChecks } from './select.ts'

const changedPaths = listChangedFiles()
if (changedPaths) {
  const commands = createCommands(selectChecks(changedPaths))
  console.log(`${changedPaths.length} changed files, ${commands.length} commands`)
  process.exit(await runCommands(commands))
}
console.log('The parent of this commit is not fetched, so that no slow checks belong to it.')
