import { globSync } from 'node:fs'
import { imageIds } from '../../lib/component-ids.ts'
import longFiles from '../long-files.json' with { type: 'json' }
import { areas } from '../mutate/areas.ts'
import {
  type Command,
  createImageCommands,
  createSlowCommands,
  mutantsPerArea,
  runScript,
} from './commands.ts'
import { getRunner, getSeconds } from './durations.ts'

/** A piece of the whole test suite that can be assigned to any of the parallel parts. */
export interface Unit {
  readonly kind: 'check' | 'test' | 'slow' | 'mutate' | 'conformance' | 'sweep' | 'image'
  readonly name: string
  readonly seconds: number
}

/** Number of units into which the conversions are divided. */
const conformanceUnitCount = 20
/** Number of units into which the damaged files are divided. */
const sweepUnitCount = 12
/** Number of faults put into each area; fewer are put into the area of a commit. */
const mutantsInFullRun = 60
/** Processor seconds of a test file that is not in the list of long ones. */
const shortFileSeconds = 1
const coreCount = 2

const listSlowFiles = () => globSync('test/**/*.slow.ts').filter((file) => !file.startsWith('test/layers/'))

/** Returns all units of the whole test suite. */
export function listUnits(): Unit[] {
  const createUnit = (kind: Unit['kind'], name: string, key = name, times = 1) => ({
    kind,
    name,
    seconds: (getSeconds(key) ?? 0) * times,
  })
  const createParts = (kind: 'conformance' | 'sweep', of: number) =>
    Array.from({ length: of }, (_, at) => createUnit(kind, `${at + 1}/${of}`, kind))
  const cpuSecondsByFile: Readonly<Record<string, number>> = longFiles
  return [
    createUnit('check', 'check'),
    createUnit('check', 'deploy:check'),
    ...globSync('test/**/*.test.ts').map((name) => ({
      kind: 'test' as const,
      name,
      seconds: (cpuSecondsByFile[name] ?? shortFileSeconds) / coreCount,
    })),
    ...listSlowFiles().map((name) => ({
      kind: 'slow' as const,
      name,
      seconds: (getSeconds(name) ?? 0) / getRunner(name).concurrency,
    })),
    ...areas.map(({ name }) =>
      createUnit('mutate', name, `mutate ${name}`, mutantsInFullRun / mutantsPerArea),
    ),
    ...createParts('conformance', conformanceUnitCount),
    ...createParts('sweep', sweepUnitCount),
    ...[...imageIds, 'all'].map((name) => createUnit('image', name, `image ${name}`)),
  ]
}

/**
 * Divides units into parts that take about equally long: each unit, longest first, is added to the shortest part so
 * far.
 */
export function divide(units: readonly Unit[], count: number): Unit[][] {
  const parts = Array.from({ length: count }, () => ({ units: [] as Unit[], seconds: 0 }))
  const sortedUnits = units.toSorted((a, b) => b.seconds - a.seconds || (a.name < b.name ? -1 : 1))
  for (const unit of sortedUnits) {
    const shortestPart = parts.reduce((shortest, part) => (part.seconds < shortest.seconds ? part : shortest))
    shortestPart.units.push(unit)
    shortestPart.seconds += unit.seconds
  }
  return parts.map((part) => part.units)
}

/** Returns the commands that run the units. */
export function createUnitCommands(units: readonly Unit[]): Command[] {
  const listNames = (kind: Unit['kind']) =>
    units.flatMap((unit) => (unit.kind === kind ? [unit.name] : [])).toSorted()
  const tests = listNames('test')
  const mutatedAreas = listNames('mutate')
  return [
    ...listNames('check').map((script) => runScript(script)),
    ...(tests.length > 0 ? [['test', '--', ...tests]] : []),
    ...createSlowCommands(listNames('slow')),
    ...(mutatedAreas.length > 0
      ? [runScript('mutate', ...mutatedAreas, '--count', `${mutantsInFullRun}`)]
      : []),
    ...listNames('conformance').map((part) => runScript('conformance', '--again', '--part', part)),
    ...listNames('sweep').map((part) => runScript('sweep', '--part', part)),
    ...createImageCommands(listNames('image')),
  ]
}
