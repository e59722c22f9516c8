import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { areas } from './areas.ts'

/** A test that imports a file through more steps than this is not about that file. */
const maxImportDistance = 5
const maxTestsByImport = 6

function listImports(file: string): string[] {
  if (!existsSync(file)) return []
  const foundImports = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...foundImports].map(([, path = '']) => normalize(join(dirname(file), path)))
}

/** Returns the files that a test imports, directly or not, with the number of import steps. */
function measureImportDistances(test: string): Map<string, number> {
  const distances = new Map([[test, 0]])
  for (const [file, distance] of distances) {
    if (distance === maxImportDistance) continue
    for (const importedFile of listImports(file))
      if (!distances.has(importedFile)) distances.set(importedFile, distance + 1)
  }
  return distances
}

let distancesByTest: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined

/** Returns how many words two paths share: test/engines/pdf/pages.test.ts is close to lib/engines/pdf/. */
function measurePathSimilarity(test: string, file: string): number {
  const splitWords = (path: string) => new Set(path.replace(/\.(test\.)?ts$/, '').split(/[/-]/))
  const fileWords = splitWords(file)
  return [...splitWords(test)].filter((word) => fileWords.has(word)).length
}

const measureNameSimilarity = (test: string, file: string) =>
  measurePathSimilarity(basename(test), basename(file))

/**
 * Returns tests that could detect a fault in the file, the most likely first. Paths are relative to the working
 * directory.
 */
export function findTests(file: string): string[] {
  const area = areas.find(({ files }) => globSync([...files]).includes(file))
  // In areas with a complete list, add only the closest other test.
  const maxByImport = area?.isWhole ? 1 : maxTestsByImport
  distancesByTest ??= new Map(
    globSync('test/**/*.test.ts').map((test) => [test, measureImportDistances(test)]),
  )
  const testsByImport = [...distancesByTest]
    .flatMap(([test, files]) => {
      const distance = files.get(file)
      return distance === undefined ? [] : [{ test, distance, similarity: measurePathSimilarity(test, file) }]
    })
    .toSorted((a, b) => b.similarity - a.similarity || a.distance - b.distance)
    .slice(0, maxByImport)
  // Tests with a similar name first, then in the order of the list, which is fastest first.
  const testsOfArea = (area?.tests ?? []).toSorted(
    (a, b) => measureNameSimilarity(b, file) - measureNameSimilarity(a, file),
  )
  return [...new Set([...testsByImport.map(({ test }) => test), ...testsOfArea])]
}
