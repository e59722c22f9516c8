import { glob } from 'node:fs/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

/**
 * Runs all tests of the embedded servers, including the long ones: `npm run test:aws`, with parts of file names
 * to run some of them (`npm run test:aws -- s3/ kill`). Prints a table with the results of each server at the end.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

const serverPaths = {
  S3: /\/embedded-aws\/s3\//,
  SQS: /\/embedded-aws\/sqs\//,
  'EventBridge, Scheduler': /\/embedded-aws\/events\//,
  DynamoDB: /\/embedded-aws\/dynamodb\//,
  'Gateway, Lambda': /\/(?:local|embedded-aws)\/(gateway|lambda|websocket|workers|queue-mapping)/,
  'all of them': /\/(?:local|embedded-aws)\//,
} as const

interface Tally {
  passed: number
  failed: number
  skipped: number
  seconds: number
  /** Diagnostics of the tests, for example the number of records written and of kills survived. */
  readonly notes: string[]
}

async function selectFiles(nameParts: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for await (const file of glob('test/{local,embedded-aws}/**/*.{test,slow}.ts', { cwd: root }))
    if (nameParts.length === 0 || nameParts.some((namePart) => file.includes(namePart)))
      files.push(`${root}${file}`)
  return files.sort()
}

const getServerName = (file: string) =>
  Object.entries(serverPaths).find(([, path]) => path.test(file))?.[0] ?? file

function formatTable(tallies: ReadonlyMap<string, Tally>): string {
  const rows = [...tallies].map(([group, { passed, failed, skipped, seconds }]) =>
    [group.padEnd(24), passed, failed, skipped, Math.round(seconds)]
      .map((cell) => `${cell}`.padStart(8))
      .join(''),
  )
  const head = `${'server'.padEnd(24)}  passed  failed skipped seconds`
  const notes = [...tallies].flatMap(([group, { notes }]) => notes.map((note) => `${group}: ${note}`))
  return `\n${[head, ...rows, '', ...notes].join('\n')}\n`
}

const files = await selectFiles(process.argv.slice(2))
if (files.length === 0) throw new Error('No file of test/local or test/embedded-aws has such a name.')

const tallies = new Map<string, Tally>()
const getTally = (file = '') => {
  const group = getServerName(file)
  const tally = tallies.get(group) ?? { passed: 0, failed: 0, skipped: 0, seconds: 0, notes: [] }
  tallies.set(group, tally)
  return tally
}

// Two at a time, like `npm test`: the kill tests mostly wait.
const stream = run({ files, concurrency: 2, timeout: 1_200_000, forceExit: true })
stream.on('test:pass', ({ file, nesting, skip, details }) => {
  if (details.type === 'suite') return
  const tally = getTally(file)
  if (skip === undefined) tally.passed++
  else tally.skipped++
  if (nesting === 0) tally.seconds += details.duration_ms / 1000
})
stream.on('test:fail', ({ file, details }) => {
  if (details.type === 'suite') return
  getTally(file).failed++
  process.exitCode = 1
})
stream.on('test:diagnostic', ({ file, message }) => {
  // Skips the summary lines of each file, such as `tests 12`, because the table counts the tests itself.
  if (file !== undefined && !/^[a-z_]+ [\d.]+$/.test(message)) getTally(file).notes.push(message)
})
stream.on('end', () => process.stdout.write(formatTable(tallies)))
stream.compose(new spec()).pipe(process.stdout)
