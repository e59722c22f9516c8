import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { areas } from './areas.ts'

/** A test further away runs so much else that it is not about the file. */
const maxImportDistance = 5
const maxTestsByImport = 6

function importsOf(file: string): string[] {
  if (!existsSync(file)) return []
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...found].map(([, path = '']) => normalize(join(dirname(file), path)))
}

/** Files that a test imports, with the number of imports that lead there. */
function importDistances(test: string): Map<string, number> {
  const distances = new Map([[test, 0]])
  for (const [file, distance] of distances) {
    if (distance === maxImportDistance) continue
    for (const next of importsOf(file)) if (!distances.has(next)) distances.set(next, distance + 1)
  }
  return distances
}

let reachedBy: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined

/** How much of the path two files share: test/engines/pdf-pages.test.ts is nearer to lib/engines/pdf/ than others. */
function pathSimilarity(test: string, file: string): number {
  const words = (path: string) => new Set(path.replace(/\.(test\.)?ts$/, '').split(/[/-]/))
  const wanted = words(file)
  return [...words(test)].filter((word) => wanted.has(word)).length
}

const nameSimilarity = (test: string, file: string) => pathSimilarity(basename(test), basename(file))

/** Tests that may notice a fault of the file, the likeliest first. Paths are relative to the working directory. */
export function testsOf(file: string): string[] {
  const area = areas.find(({ files }) => globSync([...files]).includes(file))
  // Where a list is kept, others are asked only when they are about the very file.
  const maxByImport = area?.isWhole ? 1 : maxTestsByImport
  reachedBy ??= new Map(globSync('test/**/*.test.ts').map((test) => [test, importDistances(test)]))
  const byImport = [...reachedBy]
    .flatMap(([test, files]) => {
      const distance = files.get(file)
      return distance === undefined ? [] : [{ test, distance, likeness: pathSimilarity(test, file) }]
    })
    .toSorted((a, b) => b.likeness - a.likeness || a.distance - b.distance)
    .slice(0, maxByImport)
  // The quickest first, but for those that are called after the file.
  const ofArea = (area?.tests ?? []).toSorted((a, b) => nameSimilarity(b, file) - nameSimilarity(a, file))
  return [...new Set([...byImport.map(({ test }) => test), ...ofArea])]
}
