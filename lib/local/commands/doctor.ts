/**
 * `npm run doctor` reports which engines work on this machine, for people or, with `--json`, for programs. It installs
 * nothing; with `--missing`, setup.mjs tells it which Debian packages are missing.
 */
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import packages from '../../../layers/packages.json' with { type: 'json' }
import type { ImageId } from '../../component-ids.ts'
import { imageIds } from '../../component-ids.ts'
import { engines } from '../../engines/index.ts'
import { describeConfinementProblem, getConfinement } from '../../engines/sandbox/isolation.ts'
import { engineVersion } from '../../engines/version.ts'
import { findInstalledEngines } from '../runtime/installed-engines.ts'
import { createReport, formatReport, isHealthy } from './doctor-report.ts'

const workerFile = fileURLToPath(new URL('../runtime/worker.ts', import.meta.url))

/**
 * Finds container images that have a running worker. The environment variables of the processes that this user may
 * inspect show this.
 */
async function findWarmImages(): Promise<ImageId[]> {
  const processIds = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const readProcessFile = (id: string, file: string) =>
    readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '')
  const foundImages = await Promise.all(
    processIds.map(async (id) => {
      if (!(await readProcessFile(id, 'cmdline')).split('\0').includes(workerFile)) return undefined
      const entry = (await readProcessFile(id, 'environ'))
        .split('\0')
        .find((variable) => variable.startsWith('IMAGE_ID='))
      return imageIds.find((image) => entry === `IMAGE_ID=${image}`)
    }),
  )
  return foundImages.filter((image) => image !== undefined)
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, missing: { type: 'string', default: '' } },
  })
  const installedEngines = await findInstalledEngines(engines)
  const versions = await Promise.all(
    installedEngines.map(
      async (engine) => [engine.id, await engineVersion(engine).catch(() => undefined)] as const,
    ),
  )
  const report = createReport({
    engines,
    installedEngines,
    versions: Object.fromEntries(
      versions.flatMap(([id, version]) => (version === undefined ? [] : [[id, version]])),
    ),
    warmImages: await findWarmImages(),
    packages,
    missingPackages: values.missing.split(',').filter((name) => name !== ''),
    protection: await getConfinement(),
    refusal: describeConfinementProblem(await getConfinement()),
  })
  process.stdout.write(`${values.json ? JSON.stringify(report, undefined, 2) : formatReport(report)}\n`)
  process.exitCode = isHealthy(report) ? 0 : 1
}

await main()
