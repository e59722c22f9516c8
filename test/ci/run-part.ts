/** `npm run test:all [-- N/M]`: runs everything that tests the project, or part N of M. */
import { parsePart } from '../conformance/select-pairs.ts'
import { runCommands } from './commands.ts'
import { allUnits, commandsForUnits, divide } from './parts.ts'

const { index, of } = parsePart(process.argv[2]) ?? { index: 1, of: 1 }
process.exit(await runCommands(commandsForUnits(divide(allUnits(), of)[index - 1] ?? [])))
