import { createHash } from 'node:crypto'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'
import { type Change, faults, isBeside } from './mutations.ts'

/** A file with one fault in it. */
export type Mutant = {
  /** Path inside the project. */
  file: string
  line: number
  fault: string
  /** The line as it is and as the fault makes it. */
  before: string
  after: string
  /** The whole file with the fault. */
  text: string
}

/** What can be drawn, and how much more often than others. */
type Lot = { mutant: Mutant; weight: number }

/**
 * Weighted drawing without replacement (Efraimidis and Spirakis, 2006). It hangs on the line's own text, so that a
 * change elsewhere in the file draws no others.
 */
function rank(seed: string, mutant: Mutant, weight: number): number {
  const { file, fault, before, after } = mutant
  const digest = createHash('sha256').update([seed, file, fault, before, after].join('\0')).digest()
  return -Math.log((digest.readUInt32BE() + 1) / 2 ** 32) / weight
}

function mutantOf(file: string, text: string, fault: string, change: Change): Mutant {
  const changed = text.slice(0, change.node.getStart()) + change.text + text.slice(change.node.end)
  const before = text.split('\n')
  const after = changed.split('\n')
  // A node may begin lines above the first that differs.
  const at = before.findIndex((line, index) => line !== after[index])
  const lineOf = (lines: readonly string[]) => lines[at]?.trim() ?? ''
  return { file, line: at + 1, fault, before: lineOf(before), after: lineOf(after), text: changed }
}

function lotsOf(source: SourceFile, file: string): Lot[] {
  const lots: Lot[] = []
  const visit = (node: Node): void => {
    if (isBeside(node)) return
    for (const { name, weight, of } of faults)
      for (const change of of(node)) lots.push({ mutant: mutantOf(file, source.text, name, change), weight })
    node.forEachChild(visit)
  }
  source.forEachChild(visit)
  return lots
}

/** All faults of the files. */
export function lotsIn(root: string, files: readonly string[]): Lot[] {
  const api = new API({ cwd: root })
  try {
    const [project] = api.updateSnapshot({ openProject: `${root}/tsconfig.json` }).getProjects()
    return files.flatMap((file) => {
      const source = project?.program.getSourceFile(`${root}/${file}`)
      if (!source) throw new Error(`${file} is no source of this project`)
      return lotsOf(source, file)
    })
  } finally {
    api.close()
  }
}

/** All of them in the order of their drawing, one of a line. */
export function drawFrom(lots: readonly Lot[], seed: string): Mutant[] {
  const ranked = lots.map(({ mutant, weight }) => ({ mutant, rank: rank(seed, mutant, weight) }))
  return oneOfALine(ranked.toSorted((a, b) => a.rank - b.rank).map(({ mutant }) => mutant))
}

function oneOfALine(mutants: readonly Mutant[]): Mutant[] {
  const lines = new Set<string>()
  return mutants.filter(({ file, line }) => {
    const isFirst = !lines.has(`${file}:${line}`)
    lines.add(`${file}:${line}`)
    return isFirst
  })
}
