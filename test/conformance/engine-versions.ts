import { mkdir, writeFile } from 'node:fs/promises'
import type { Engine } from '../../lib/engines/engine.ts'
import { engineVersion } from '../../lib/engines/version.ts'
import { resultsFolder } from './results.ts'

/** Writes the versions of the engines next to the results. */
export async function saveVersions(engines: readonly Engine[]): Promise<void> {
  const requestedVersions = engines.map(
    async (engine) => [engine.id, await engineVersion(engine).catch(() => 'missing')] as const,
  )
  const versions = Object.fromEntries(
    (await Promise.all(requestedVersions)).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  const date = new Date().toISOString().slice(0, 10)
  await mkdir(resultsFolder, { recursive: true })
  await writeFile(
    `${resultsFolder}/versions.json`,
    `${JSON.stringify({ date, engines: versions }, undefined, 2)}\n`,
  )
}
