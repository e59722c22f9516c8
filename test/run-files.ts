import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endHungFiles } from './end-hung.ts'
import { selectShortFiles } from './long-files.ts'

/**
 * Runs test files in parallel (`node test/run-files.ts [--all] [options of node --test] files`). A glob leaves long
 * files out, except with `--all`. Failed files run once more, one at a time, and the second result counts: three files
 * on two cores slow each other down, on a slow machine beyond the timeouts of page tests. Files that only passed alone
 * are listed at the end. If many fail, they are not run again.
 */
const maxParallelFiles = 3
const maxRetriedFiles = 8
/** Time limit of a test; a test that exceeds it is reported by name. The longest test takes a tenth of it. */
const testTimeoutMs = 600_000
/**
 * Time limit of a file that hangs outside of tests; the longest file takes less than half of it. FILE_S sets another,
 * in s.
 */
const fileMs = Number(process.env['FILE_S'] ?? 1500) * 1000

interface Outcome {
  readonly code: number
  readonly ran: number
  readonly failed: readonly string[]
}

const resolvePath = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const reporter = resolvePath('failed-files-reporter.ts')

async function run(args: readonly string[], concurrency: number): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'test-run-'))
  const outcome = join(folder, 'outcome.json')
  try {
    const code = await waitForExitCode([
      '--import',
      resolvePath('end-leaking-files.ts'),
      '--test',
      `--test-concurrency=${concurrency}`,
      `--test-timeout=${testTimeoutMs}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${reporter}`,
      `--test-reporter-destination=${outcome}`,
      ...args,
    ])
    const outcomeJson = await readFile(outcome, 'utf8').catch(() => '')
    return { code, ...(outcomeJson ? JSON.parse(outcomeJson) : { ran: 0, failed: [] }) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the exit code of the test runner. If a signal ends the test runner, this process exits as well. */
function waitForExitCode(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: 'inherit' })
  const stopWatching = endHungFiles(Number(child.pid), { fileMs, everyMs: 10_000 })
  const passSignal = (signal: NodeJS.Signals) => void child.kill(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
  for (const signal of signals) process.on(signal, passSignal)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      stopWatching()
      for (const name of signals) process.off(name, passSignal)
      // After a signal, no file runs again.
      if (signal) process.exit(128 + constants.signals[signal])
      resolve(code ?? 1)
    })
  })
}

const args = process.argv.slice(2)
const runsAllTests = args.includes('--all')
const options = args.filter((arg) => arg.startsWith('-') && arg !== '--all')
const names = args.filter((arg) => !arg.startsWith('-'))
const isPattern = (name: string) => name.includes('*')
const matchedFiles = globSync(names.filter(isPattern)).sort()
const selectedFiles = runsAllTests ? matchedFiles : selectShortFiles(matchedFiles)
if (selectedFiles.length < matchedFiles.length)
  console.log(
    `${matchedFiles.length - selectedFiles.length} long test files run only with "npm test -- --all".\n`,
  )
const files = [...names.filter((name) => !isPattern(name)), ...selectedFiles]
const firstRun = await run([...options, ...files], maxParallelFiles)
const shouldRetry =
  firstRun.failed.length > 0 && firstRun.failed.length <= maxRetriedFiles && firstRun.ran > 1
if (!shouldRetry) process.exit(firstRun.code)

console.log(
  `\n${firstRun.failed.length} of ${firstRun.ran} files failed beside the others. They run again alone.\n`,
)
const stillFailing: string[] = []
for (const file of firstRun.failed) {
  const { code } = await run([...options, file], 1)
  if (code !== 0) stillFailing.push(file)
}
const passedFiles = firstRun.failed.filter((file) => !stillFailing.includes(file))
if (passedFiles.length > 0) console.log(`\nPassed only alone:\n  ${passedFiles.join('\n  ')}`)
if (stillFailing.length > 0) console.log(`\nFailed twice:\n  ${stillFailing.join('\n  ')}`)
process.exit(stillFailing.length > 0 ? 1 : 0)
