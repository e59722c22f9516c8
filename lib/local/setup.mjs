// This is plain JavaScript that needs only Node 20, because it runs before anything is installed.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import {
  createInstallCommand,
  findMissingDebianPackages,
  installDebianPackages,
} from './setup/debian-packages.mjs'
import { installGitHooks } from './setup/git-hooks.mjs'
import { getNodeBinary, installNpmPackages } from './setup/npm-packages.mjs'
import { CommandError, runInForeground, runQuietly } from './setup/process.mjs'
import { showPhase } from './setup/progress.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [subcommand = '', ...args] = process.argv.slice(2)

const usage = `Usage: node lib/local/setup.mjs start
       node lib/local/setup.mjs test [files and options of node --test]
       node lib/local/setup.mjs test:slow [files and options of node --test]
       node lib/local/setup.mjs test:aws [parts of file names]
       node lib/local/setup.mjs run <file.ts> [arguments]
       node lib/local/setup.mjs images [av image office pdf document archive font browser all]
       node lib/local/setup.mjs images:test
       node lib/local/setup.mjs images:push [image names]
       node lib/local/setup.mjs images:sbom [image names]
       node lib/local/setup.mjs images:lock [image names]
       node lib/local/setup.mjs doctor [--json]
`

const dockerRuns = () => spawnSync('docker', ['info'], { timeout: 10_000 }).status === 0

/**
 * Whether a section of layers/packages.json lists engines. The other sections list tools for tests, other browsers for
 * slow tests, an AWS client, and tools that build images.
 */
const isEngine = (section) => !['test', 'slow', 'aws', 'images'].includes(section)
const isNeededByTests = (section) => isEngine(section) || section === 'test'
const includesSection = {
  start: isEngine,
  run: isEngine,
  test: isNeededByTests,
  'test:slow': (section) => isNeededByTests(section) || section === 'slow',
  'test:aws': (section) => isNeededByTests(section) || section === 'aws',
  // If a Docker engine runs, no further tools are needed, on any system.
  images: (section) => section === 'images' && !dockerRuns(),
  'images:test': (section) => isEngine(section) || section === 'images',
  'images:push': (section) => section === 'images' && !dockerRuns(),
  'images:sbom': (section) => section === 'images' && !dockerRuns(),
  'images:lock': (section) => section === 'images' && !dockerRuns(),
  // The doctor only reports and installs nothing.
  doctor: () => false,
}

const env = {
  // Tests of engines also run on machines with less confinement; tests that need more are reported as skipped. Some
  // tools that check results only handle filenames of all writing systems if a locale is set.
  ...(subcommand.startsWith('test') && { MIN_CONFINEMENT: 'limits', LC_ALL: 'C.UTF-8' }),
  ...process.env,
  PATH: `${join(root, 'node_modules/node/bin')}:${process.env.PATH}`,
  // Types are stripped and code is compiled once, not in each process, which saves a quarter of the work of a start.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node'),
}
const readSettings = (name) => JSON.parse(readFileSync(join(root, 'lib/local', name), 'utf8'))
// Flags that keep the heap small: otherwise, V8 sizes it by the machine's memory, although the service is idle most of
// the time.
const serviceFlags = readSettings('node-flags.json')
// Tests are never idle, so they run without the flags that trade time for memory.
const nodeFlags = subcommand.startsWith('test')
  ? serviceFlags.filter((flag) => flag.startsWith('--disable-warning'))
  : serviceFlags

async function installEngines() {
  const missingPackages = await installDebianPackages(root, includesSection[subcommand], env)
  if (missingPackages.length === 0) return
  console.error(
    `${missingPackages.length} Debian packages are missing, and this user may not install them. Run as root:\n\n` +
      `  ${createInstallCommand(missingPackages)}\n`,
  )
  if (subcommand === 'start' || subcommand === 'run') {
    console.error('Continuing without them: conversions that need a missing engine are refused.\n')
  } else {
    console.error(`"${subcommand}" needs all of these packages.`)
    process.exit(1)
  }
}

const namesFiles = args.some((arg) => !arg.startsWith('-'))

/** Returns the arguments of a test run. @param {readonly string[]} files files to run if the arguments name none */
const createTestArgs = (files) => ['test/run-files.ts', ...args, ...(namesFiles ? [] : files)]

async function testCommand() {
  // Types and style are checked first, unless single files are tested.
  if (!namesFiles) {
    const check = ['npm', 'run', '--silent', 'check']
    await showPhase('Checking types and style', () => runQuietly(check, { cwd: root, env }))
  }
  return createTestArgs(['test/**/*.test.ts'])
}

/** Functions by subcommand that return the file to run once everything is installed, and its arguments. */
const argGettersBySubcommand = {
  start: () => ['lib/local/commands/start.ts', ...args],
  run: () => args,
  test: testCommand,
  'test:slow': () =>
    createTestArgs([
      'test/{access,capture,client,engines,functions,jobs,live,permissions,transfer,web,webhooks}/**/*.slow.ts',
    ]),
  'test:aws': () => ['test/aws.ts', ...args],
  images: () => ['layers/build-images.ts', ...args],
  'images:test': () => ['--test', '--test-concurrency=1', 'test/layers/*.slow.ts'],
  'images:push': () => ['layers/push-images.ts', ...args],
  'images:sbom': () => ['layers/write-sbom.ts', ...args],
  'images:lock': () => ['layers/lock-packages.ts', ...args],
  doctor: () => [
    'lib/local/commands/doctor.ts',
    ...args,
    `--missing=${findMissingDebianPackages(root, isEngine).join(',')}`,
  ],
}

async function main() {
  if (!(subcommand in includesSection) || (subcommand === 'run' && !args[0])) {
    process.stderr.write(usage)
    process.exit(2)
  }
  await installNpmPackages(root, process.env)
  await installEngines()
  if (subcommand === 'start' || subcommand === 'test') installGitHooks(root)
  const command = [getNodeBinary(root), ...nodeFlags, ...(await argGettersBySubcommand[subcommand]())]
  // Variables that Node and libc read at startup: enough threads for file syncs, and an allocator that returns unused
  // memory. Values set by the user take precedence.
  const startupVariables = subcommand === 'start' ? readSettings('node-environment.json') : {}
  await runInForeground(command, {
    cwd: root,
    env: { ...startupVariables, ...env },
    startedByNpm: 'npm_lifecycle_event' in process.env,
  })
}

try {
  await main()
} catch (error) {
  if (error instanceof CommandError) {
    // Some tools color their output even if it goes to a log.
    const plainOutput = process.stderr.isTTY ? error.output : stripVTControlCharacters(error.output)
    console.error(plainOutput.trimEnd())
  }
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
