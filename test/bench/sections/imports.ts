import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writePackages, zipFunctionNames } from '../../../lib/deployment/zip-functions.ts'
import { functions } from '../../../lib/resources/functions.ts'
import { taskFolder, unpackFunction } from '../../packages/unpack.ts'
import { type Measurement, median, runInterleaved } from '../measure.ts'
import type { BenchContext, Section } from '../section.ts'

const run = promisify(execFile)

const rounds = 7

/** Target for the import at a cold start, without the start of Lambda and Node. */
const maxImportMs = 120

/** Returns a script that imports a module and prints the wall time and CPU time in milliseconds. */
const createMeasureScript = (path: string) => `
  const start = performance.now(), before = process.cpuUsage()
  await import(${JSON.stringify(path)})
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify([performance.now() - start, (user + system) / 1000]))
  process.exit()`

const env = { AWS_REGION: 'eu-central-1', LOG_LEVEL: 'silent', SERVICE_SECRET: 'x'.repeat(40) }

async function importOnce(cwd: string, path: string): Promise<readonly number[]> {
  const { stdout } = await run(
    process.execPath,
    ['--input-type=module', '--eval', createMeasureScript(path)],
    {
      cwd,
      env,
    },
  )
  return JSON.parse(stdout)
}

export const imports: Section = {
  name: 'imports',
  about: 'the import of each zip function in a new process, as at a cold start; 2 minutes',
  async run({ report, fixtures }: BenchContext) {
    const folder = await fixtures.folder('imports')
    await writePackages(folder)
    const importEmptyModule = () => importOnce(folder, 'data:text/javascript,')
    const measurements: Record<string, Measurement> = { 'an empty module': importEmptyModule }
    for (const name of zipFunctionNames) {
      await unpackFunction(name, folder, join(folder, name))
      const task = join(folder, name, taskFolder)
      measurements[name] = () =>
        importOnce(task, join(task, functions[name].handler.replace(/\.\w+$/, '.mjs')))
    }
    report.title('Imports at a cold start')
    for (const [name, values] of Object.entries(await runInterleaved(rounds, measurements))) {
      // The values of each run are a pair: wall time and CPU time.
      const wallMs = median(values.filter((_, index) => index % 2 === 0))
      const cpuMs = median(values.filter((_, index) => index % 2 === 1))
      const remark = `${cpuMs.toFixed(0)} ms of a processor`
      report.figure({ what: name, value: wallMs, unit: 'ms', aim: { most: maxImportMs }, remark })
    }
  },
}
