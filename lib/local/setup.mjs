// Plain JavaScript for Node 20 and nothing else: it runs before anything is installed.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { installCommand, installDebianPackages, missingDebianPackages } from './setup/debian-packages.mjs'
import { installNpmPackages, nodeBinary } from './setup/npm-packages.mjs'
import { CommandFailure, capture, handOver } from './setup/process.mjs'
import { phase } from './setup/progress.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [purpose = '', ...args] = process.argv.slice(2)

const usage = `Use: node lib/local/setup.mjs start
     node lib/local/setup.mjs test [files and options of node --test]
     node lib/local/setup.mjs test:slow [files and options of node --test]
     node lib/local/setup.mjs test:aws [parts of file names]
     node lib/local/setup.mjs run <file.ts> [arguments]
     node lib/local/setup.mjs images [av image office pdf document archive font browser all]
     node lib/local/setup.mjs images:test
     node lib/local/setup.mjs images:push [names of images]
     node lib/local/setup.mjs images:sbom [names of images]
     node lib/local/setup.mjs images:lock [names of images]
     node lib/local/setup.mjs doctor [--json]
`

const dockerRuns = () => spawnSync('docker', ['info'], { timeout: 10_000 }).status === 0

/**
 * Parts of layers/packages.json: engines for what converts, tools of tests, another browser for slow ones, a client of
 * AWS, tools that build images.
 */
const isEngine = (part) => !['test', 'slow', 'aws', 'images'].includes(part)
const isTested = (part) => isEngine(part) || part === 'test'
const wantsPart = {
  start: isEngine,
  run: isEngine,
  test: isTested,
  'test:slow': (part) => isTested(part) || part === 'slow',
  'test:aws': (part) => isTested(part) || part === 'aws',
  // A Docker engine builds by itself, on any system.
  images: (part) => part === 'images' && !dockerRuns(),
  'images:test': (part) => isEngine(part) || part === 'images',
  'images:push': (part) => part === 'images' && !dockerRuns(),
  'images:sbom': (part) => part === 'images' && !dockerRuns(),
  'images:lock': (part) => part === 'images' && !dockerRuns(),
  // It looks and tells, and changes nothing.
  doctor: () => false,
}

const env = {
  // Tests of engines run on machines that give them less, too; what needs more skips itself and says so.
  // Their judges read and write names of files in every script, which some do not do where no language is set.
  ...(purpose.startsWith('test') && { MIN_CONFINEMENT: 'limits', LC_ALL: 'C.UTF-8' }),
  ...process.env,
  PATH: `${join(root, 'node_modules/node/bin')}:${process.env.PATH}`,
  // Types are stripped and code is compiled once, not in each process: a start takes a quarter less work.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node'),
}
const readSettings = (name) => JSON.parse(readFileSync(join(root, 'lib/local', name), 'utf8'))
// A heap that stays small: V8 sizes it by the machine's memory otherwise, and most of its life the service waits.
const serviceFlags = readSettings('node-flags.json')
// Tests never wait: they go without what trades time for memory.
const nodeFlags = purpose.startsWith('test')
  ? serviceFlags.filter((flag) => flag.startsWith('--disable-warning'))
  : serviceFlags

async function installEngines() {
  const missing = await installDebianPackages(root, wantsPart[purpose], env)
  if (missing.length === 0) return
  console.error(
    `${missing.length} Debian packages are missing, and this user may not install them. As root, run:\n\n` +
      `  ${installCommand(missing)}\n`,
  )
  if (purpose === 'start' || purpose === 'run') {
    console.error('Going on without them: conversions that need a missing engine are refused.\n')
  } else {
    console.error(`"${purpose}" needs all of them.`)
    process.exit(1)
  }
}

const namesFiles = args.some((arg) => !arg.startsWith('-'))

/** @param {readonly string[]} files what is run when no files are named */
const testing = (files) => ['test/run-files.ts', ...args, ...(namesFiles ? [] : files)]

async function testCommand() {
  // Types and lint of everything come first, except when one file is being worked on.
  if (!namesFiles) {
    const check = ['npm', 'run', '--silent', 'check']
    await phase('Checking types and style', () => capture(check, { cwd: root, env }))
  }
  return testing(['test/**/*.test.ts'])
}

/** What runs when everything is there. */
const commandOf = {
  start: () => ['lib/local/start.ts', ...args],
  run: () => args,
  test: testCommand,
  'test:slow': () =>
    testing([
      'test/{access,capture,client,engines,functions,jobs,live,permissions,transfer,web,webhooks}/**/*.slow.ts',
    ]),
  'test:aws': () => ['test/aws.ts', ...args],
  images: () => ['layers/build-images.ts', ...args],
  'images:test': () => ['--test', '--test-concurrency=1', 'test/layers/{images,hard-ends,push}.slow.ts'],
  'images:push': () => ['layers/push-images.ts', ...args],
  'images:sbom': () => ['layers/list-parts.ts', ...args],
  'images:lock': () => ['layers/lock-images.ts', ...args],
  doctor: () => [
    'lib/local/doctor.ts',
    ...args,
    `--missing=${missingDebianPackages(root, isEngine).join(',')}`,
  ],
}

async function main() {
  if (!(purpose in wantsPart) || (purpose === 'run' && !args[0])) {
    process.stderr.write(usage)
    process.exit(2)
  }
  await installNpmPackages(root, process.env)
  await installEngines()
  const command = [nodeBinary(root), ...nodeFlags, ...(await commandOf[purpose]())]
  // Read before any code of the service runs: a thread for each sync of a file and some more, and a C library that
  // gives back what it has no use for. What the user sets goes first.
  const own = purpose === 'start' ? readSettings('node-environment.json') : {}
  await handOver(command, {
    cwd: root,
    env: { ...own, ...env },
    startedByNpm: 'npm_lifecycle_event' in process.env,
  })
}

try {
  await main()
} catch (error) {
  if (error instanceof CommandFailure) {
    // Some tools color what they say even where it goes into a log.
    const plain = process.stderr.isTTY ? error.output : stripVTControlCharacters(error.output)
    console.error(plain.trimEnd())
  }
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
