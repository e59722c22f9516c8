import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { formatFailure } from '../../lib/local/runtime/failure-text.ts'
import { Fixtures } from './fixtures.ts'
import { Report } from './report.ts'
import type { BenchContext } from './section.ts'
import { sections } from './sections.ts'

/**
 * Benchmarks of the service with targets: `npm run bench -- [SECTION…] [--gib] [--million] [--check N]`. Times are
 * measured from the first byte of the upload to the last byte of the result, and compared with those of the warm engine
 * alone; service and engine are measured alternately.
 */
const flags = { gib: 'files of 1 GiB for the servers', million: 'a million stored jobs for growth' }
/** Flags that take a number. */
const numericFlags = { check: 'real jobs to compare with the calculation of scale' }

const say = (line: string) => process.stdout.write(`${line}\n`)

function list(): void {
  for (const { name, about } of sections) say(`${name.padEnd(14)} ${about}`)
  for (const [name, about] of Object.entries({ ...flags, ...numericFlags }))
    say(`--${name}`.padEnd(15) + about)
}

async function measure(
  names: readonly string[],
  options: Pick<BenchContext, 'flags' | 'checkedJobs'>,
): Promise<void> {
  const [busy = 0] = loadavg()
  if (busy > 0.5) say(`The machine is busy (load ${busy.toFixed(1)}): the targets assume an idle one.`)
  const report = new Report(say)
  const fixtures = new Fixtures()
  try {
    for (const { name, run } of sections) {
      if (names.length > 0 && !names.includes(name)) continue
      // Continue with the other sections, but fail the run.
      await run({ report, fixtures, ...options }).catch((error: unknown) => {
        process.exitCode = 1
        say(`  ${name} could not be measured: ${formatFailure(error)}`)
      })
    }
  } finally {
    await fixtures.remove()
  }
  report.summary()
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean' },
    gib: { type: 'boolean' },
    million: { type: 'boolean' },
    check: { type: 'string' },
  },
})
const unknownSections = positionals.filter((name) => !sections.some((section) => section.name === name))
if (values.list) list()
else if (unknownSections.length > 0) {
  say(`Unknown section ${unknownSections.join(', ')}. Available sections:`)
  list()
  process.exitCode = 2
} else if (values.check !== undefined && !/^[1-9]\d{0,4}$/.test(values.check)) {
  say(`--check needs a number of jobs from 1 to 99999, not "${values.check}".`)
  process.exitCode = 2
} else {
  const requestedFlags = new Set(Object.keys(flags).filter((name) => name in values))
  const checkedJobs = values.check === undefined ? undefined : Number(values.check)
  await measure(positionals, { flags: requestedFlags, checkedJobs })
}
