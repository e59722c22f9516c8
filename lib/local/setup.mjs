// Plain JavaScript for Node 20 and nothing else: it runs before anything is installed.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installCommand, installDebianPackages } from './setup/debian-packages.mjs'
import { installNpmPackages, nodeBinary } from './setup/npm-packages.mjs'
import { CommandFailure, capture, handOver } from './setup/process.mjs'
import { phase } from './setup/progress.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [purpose = '', ...args] = process.argv.slice(2)

const usage = `Use: node lib/local/setup.mjs start
     node lib/local/setup.mjs test [files and options of node --test]
     node lib/local/setup.mjs run <file.ts> [arguments]
     node lib/local/setup.mjs images <file.ts> [arguments]
`

/** Parts of layers/packages.json that each purpose needs: engines always, a browser for tests … */
const wantsPart = {
  start: (part) => part !== 'test' && part !== 'images',
  test: (part) => part !== 'images',
  run: (part) => part !== 'test' && part !== 'images',
  images: (part) => part === 'images',
}

const env = { ...process.env, PATH: `${join(root, 'node_modules/node/bin')}:${process.env.PATH}` }
const node = [nodeBinary(root), '--disable-warning=ExperimentalWarning']

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

async function testCommand() {
  const chosen = args.some((arg) => !arg.startsWith('-'))
  // Types and lint of everything come first, except when one file is being worked on.
  if (!chosen) {
    const check = ['npm', 'run', '--silent', 'check']
    await phase('Checking types and style', () => capture(check, { cwd: root, env }))
  }
  return [...node, '--test', '--test-concurrency=2', ...args, ...(chosen ? [] : ['test/**/*.test.ts'])]
}

async function main() {
  if (!(purpose in wantsPart) || ((purpose === 'run' || purpose === 'images') && !args[0])) {
    process.stderr.write(usage)
    process.exit(2)
  }
  await installNpmPackages(root, env)
  await installEngines()
  const command =
    purpose === 'start'
      ? [...node, 'lib/local/start.ts', ...args]
      : purpose === 'test'
        ? await testCommand()
        : [...node, ...args]
  await handOver(command, { cwd: root, env, startedByNpm: 'npm_lifecycle_event' in process.env })
}

try {
  await main()
} catch (error) {
  if (error instanceof CommandFailure) console.error(error.output.trimEnd())
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
