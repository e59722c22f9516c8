import { createHash } from 'node:crypto'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'
import { faults, isIgnored, type SourceChange } from './mutations.ts'

/** A file with one fault. */
export type Mutant = {
  /** Path relative to the project. */
  file: string
  line: number
  fault: string
  /** The line without and with the fault. */
  before: string
  after: string
  /** The whole file with the fault. */
  text: string
}

/** A mutant with its relative probability of being sampled. */
type WeightedMutant = { mutant: Mutant; weight: number }

/**
 * Weighted sampling without replacement (Efraimidis and Spirakis, 2006). The rank depends on the text of the line, so
 * that the same mutants are selected after a change elsewhere in the file.
 */
function rankMutant(seed: string, mutant: Mutant, weight: number): number {
  const { file, fault, before, after } = mutant
  const digest = createHash('sha256').update([seed, file, fault, before, after].join('\0')).digest()
  return -Math.log((digest.readUInt32BE() + 1) / 2 ** 32) / weight
}

function createMutant(file: string, text: string, fault: string, change: SourceChange): Mutant {
  const changedText = text.slice(0, change.node.getStart()) + change.text + text.slice(change.node.end)
  const linesBefore = text.split('\n')
  const linesAfter = changedText.split('\n')
  // A node can start several lines above the first changed line.
  const at = linesBefore.findIndex((line, index) => line !== linesAfter[index])
  const getLine = (lines: readonly string[]) => lines[at]?.trim() ?? ''
  return {
    file,
    line: at + 1,
    fault,
    before: getLine(linesBefore),
    after: getLine(linesAfter),
    text: changedText,
  }
}

function findMutantsInSource(source: SourceFile, file: string): WeightedMutant[] {
  const weightedMutants: WeightedMutant[] = []
  const visit = (node: Node): void => {
    if (isIgnored(node)) return
    for (const { name, weight, of } of faults)
      for (const change of of(node))
        weightedMutants.push({ mutant: createMutant(file, source.text, name, change), weight })
    node.forEachChild(visit)
  }
  source.forEachChild(visit)
  return weightedMutants
}

/** Returns all mutants of the files. */
export function findMutants(root: string, files: readonly string[]): WeightedMutant[] {
  const api = new API({ cwd: root })
  try {
    const [project] = api.updateSnapshot({ openProject: `${root}/tsconfig.json` }).getProjects()
    return files.flatMap((file) => {
      const source = project?.program.getSourceFile(`${root}/${file}`)
      if (!source) throw new Error(`${file} is not a source file of this project`)
      return findMutantsInSource(source, file)
    })
  } finally {
    api.close()
  }
}

/** Returns the mutants in random order, at most one per line. */
export function sampleMutants(weightedMutants: readonly WeightedMutant[], seed: string): Mutant[] {
  const rankedMutants = weightedMutants.map(({ mutant, weight }) => ({
    mutant,
    rank: rankMutant(seed, mutant, weight),
  }))
  return selectOnePerLine(rankedMutants.toSorted((a, b) => a.rank - b.rank).map(({ mutant }) => mutant))
}

function selectOnePerLine(mutants: readonly Mutant[]): Mutant[] {
  const lines = new Set<string>()
  return mutants.filter(({ file, line }) => {
    const isFirst = !lines.has(`${file}:${line}`)
    lines.add(`${file}:${line}`)
    return isFirst
  })
}
