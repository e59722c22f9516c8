/** `npm run test:all [-- N/M]`: runs everything that tests the project, or part N of M. */
import { parsePart } from '../conformance/select-pairs.ts'
import { runCommands } from './commands.ts'
import { createUnitCommands, divide, listUnits } from './parts.ts'

const { index, of } = parsePart(process.argv[2]) ?? { index: 1, of: 1 }
process.exit(await runCommands(createUnitCommands(divide(listUnits(), of)[index - 1] ?? [])))
