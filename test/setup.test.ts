import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

interface LockEntry {
  optionalDependencies?: Record<string, string>
}

/** Folders in which Node looks for a dependency of the package at `path`, nearest first. */
function* listCandidateFolders(path: string, name: string): Generator<string> {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    yield `${at && `${at}/`}node_modules/${name}`
    if (at === '') return
  }
}

test('the lockfile contains the packages of other platforms, which "npm ci" requires', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const packages: Record<string, LockEntry> = lock.packages
  const missingPackages = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter(
      (name) => ![...listCandidateFolders(path, name)].some((candidateFolder) => candidateFolder in packages),
    ),
  )
  assert.deepEqual(missingPackages, [])
})

test('the lockfiles contain no registry URL', () => {
  for (const name of ['package-lock.json', 'layers/chromium/package-lock.json'])
    assert.doesNotMatch(readFileSync(join(root, name), 'utf8'), /"resolved"/)
})

/** A checkout with one npm package and tools that only record their calls. */
interface Checkout {
  dir: string
  env: NodeJS.ProcessEnv
  calls(): string[]
}

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'mutabor-setup-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

let checkoutCount = 0
function createCheckout(
  tools: Record<string, string>,
  startScript = "console.log('started', process.argv.slice(2))",
): Checkout {
  checkoutCount += 1
  const dir = join(folder, `checkout-${checkoutCount}`)
  const bin = join(dir, 'bin')
  const calls = join(dir, 'calls')
  mkdirSync(bin, { recursive: true })
  for (const name of ['setup.mjs', 'setup', 'node-flags.json', 'node-environment.json']) {
    cpSync(join(root, 'lib/local', name), join(dir, 'lib/local', name), { recursive: true })
  }
  mkdirSync(join(dir, 'layers'))
  mkdirSync(join(dir, 'lib/local/commands'))
  writeFileSync(
    join(dir, 'layers/packages.json'),
    '{"av":["tool-a","tool-b"],"test":["tool-t"],"slow":["tool-s"],"aws":["tool-w"],"images":["tool-i"]}',
  )
  writeFileSync(join(dir, 'package.json'), '{"name":"x","version":"1.0.0","type":"module"}')
  writeFileSync(
    join(dir, 'package-lock.json'),
    JSON.stringify({
      lockfileVersion: 3,
      packages: { '': {}, 'node_modules/node': { version: process.versions.node }, ...otherSystem },
    }),
  )
  writeFileSync(join(dir, 'lib/local/commands/start.ts'), startScript)
  writeFileSync(calls, '')
  for (const [name, script] of Object.entries(tools)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "${name} $*" >> ${calls}\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const { npm_execpath: _, npm_node_execpath: __, npm_lifecycle_event: ___, ...inherited } = process.env
  return {
    dir,
    env: { ...inherited, PATH: `${bin}:${process.env.PATH}` },
    calls: () => readFileSync(calls, 'utf8').split('\n').filter(Boolean),
  }
}

const otherSystem = { 'node_modules/elsewhere': { version: '1.0.0', os: ['win32'], optional: true } }
const list = JSON.stringify({ packages: { 'node_modules/node': { version: process.versions.node } } })

/** Imitates npm as far as the setup needs it: the list of installed packages is written last. */
const npm = `
mkdir -p node_modules/node/bin
echo '{"version":"${process.versions.node}"}' > node_modules/node/package.json
case $1 in
  ci) echo '${list}' > node_modules/.package-lock.json ;;
  rebuild) ln -sf ${process.execPath} node_modules/node/bin/node ;;
esac`
const nothingMissing = 'shift 2; for name; do echo "$name installed"; done'
/** Reports a package as installed after any call of apt-get install. */
const dpkgQuery = '[ -f installed ] || exit 1; shift 2; for name; do echo "$name installed"; done'
const aptGet =
  'case "$*" in *" install "*) echo "dlstatus:1:50.0:Retrieving"; echo "pmstatus:tool-a:100.0:Installed"; touch installed ;; esac'

const setUp = (at: Checkout, ...args: string[]) =>
  spawnSync(process.execPath, ['lib/local/setup.mjs', ...args], {
    cwd: at.dir,
    env: at.env,
    encoding: 'utf8',
  })

test('a first start installs what is missing, and a second start installs nothing', () => {
  const at = createCheckout({ npm, 'dpkg-query': dpkgQuery, 'apt-get': aptGet, dpkg: '', sudo: 'exec "$@"' })
  const firstStart = setUp(at, 'start', 'one', 'two')
  assert.match(firstStart.stdout, /Installing npm packages: done/)
  assert.match(firstStart.stdout, /Installing Node 24: done/)
  assert.match(firstStart.stdout, /Installing 2 Debian packages: done/)
  assert.match(firstStart.stdout, /started \[ 'one', 'two' \]/)
  const calls = at.calls()
  assert.match(
    calls.find((call) => call.startsWith('apt-get') && call.includes('install')) ?? '',
    /tool-a tool-b$/,
  )

  const secondStart = setUp(at, 'start')
  assert.equal(secondStart.stdout, 'started []\n')
  assert.deepEqual(
    at
      .calls()
      .slice(calls.length)
      .map((call) => call.split(' ')[0]),
    ['dpkg-query'],
  )
})

test('the setup starts the service with the variables of node-environment.json, unless the user has set them', () => {
  const at = createCheckout(
    { npm, 'dpkg-query': nothingMissing },
    'console.log(process.env.UV_THREADPOOL_SIZE, process.env.MALLOC_MMAP_THRESHOLD_)',
  )
  setUp(at, 'start')
  assert.equal(setUp(at, 'start').stdout, '12 131072\n')
  assert.equal(setUp({ ...at, env: { ...at.env, UV_THREADPOOL_SIZE: '3' } }, 'start').stdout, '3 131072\n')
  assert.equal(setUp(at, 'run', 'lib/local/commands/start.ts').stdout, 'undefined undefined\n')
})

test('an interrupted installation of npm packages is repeated by the next start', () => {
  const at = createCheckout({ npm, 'dpkg-query': nothingMissing })
  setUp(at, 'start')
  rmSync(join(at.dir, 'node_modules/.package-lock.json'))
  assert.match(setUp(at, 'start').stdout, /Installing npm packages: done/)
  rmSync(join(at.dir, 'node_modules/node/bin/node'))
  writeFileSync(join(at.dir, 'node_modules/node/bin/node'), 'half of it')
  const repairOutput = setUp(at, 'start').stdout
  assert.match(repairOutput, /Installing Node 24: done/)
  assert.match(repairOutput, /started/)
})

test('a package in the lockfile that npm leaves out causes one installation, not one at each start', () => {
  const at = createCheckout({ npm, 'dpkg-query': nothingMissing })
  const path = join(at.dir, 'package-lock.json')
  const lock = JSON.parse(readFileSync(path, 'utf8'))
  lock.packages['node_modules/orphan'] = { version: '1.0.0' }
  writeFileSync(path, JSON.stringify(lock))
  assert.match(setUp(at, 'start').stdout, /Installing npm packages: done/)
  assert.equal(setUp(at, 'start').stdout, 'started []\n')
  lock.packages['node_modules/orphan'].version = '1.0.1'
  writeFileSync(path, JSON.stringify(lock))
  assert.match(setUp(at, 'start').stdout, /Installing npm packages: done/)
})

test('npm packages are reinstalled even if the setup runs on the Node.js inside node_modules', () => {
  const at = createCheckout({
    npm: `[ $1 = ci ] && rm -rf node_modules\n${npm}`,
    'dpkg-query': nothingMissing,
  })
  setUp(at, 'start')
  rmSync(join(at.dir, 'node_modules/.package-lock.json'))
  const ownNode = join(at.dir, 'node_modules/node/bin/node')
  rmSync(ownNode)
  copyFileSync(process.execPath, ownNode)
  const npmScript = join(at.dir, 'npm.cjs')
  writeFileSync(
    npmScript,
    "require('node:child_process').execFileSync('npm', process.argv.slice(2), { stdio: 'inherit' })",
  )
  const PATH = `${join(at.dir, 'node_modules/node/bin')}:${at.env.PATH}`
  const env = { ...at.env, PATH, npm_execpath: npmScript, npm_node_execpath: ownNode }
  const run = spawnSync(ownNode, ['lib/local/setup.mjs', 'start'], { cwd: at.dir, env, encoding: 'utf8' })
  assert.match(run.stdout, /Installing Node 24: done.*started/s, run.stderr)
})

test('if npm fails, the setup prints the output of npm and does not start the service', () => {
  const at = createCheckout({ npm: 'echo "npm error the reason" >&2; exit 7', 'dpkg-query': nothingMissing })
  const run = setUp(at, 'start')
  assert.equal(run.status, 1)
  assert.match(run.stderr, /npm error the reason\nnpm failed with exit code 7/)
  assert.doesNotMatch(run.stdout, /started/)
})

const deniedCommands = { npm, 'dpkg-query': 'exit 1', 'apt-get': 'exit 1', sudo: 'exit 1' }

test('without permission to install Debian packages, npm start prints the apt-get command and starts the service', () => {
  const run = setUp(createCheckout(deniedCommands), 'start')
  assert.match(run.stderr, /apt-get update && apt-get install -y --no-install-recommends tool-a tool-b\n/)
  assert.match(run.stdout, /started/)
})

test('without permission to install Debian packages, npm test prints the apt-get command and fails', () => {
  const run = setUp(createCheckout(deniedCommands), 'test')
  assert.match(run.stderr, /apt-get install -y --no-install-recommends tool-a tool-b tool-t\n/)
  assert.equal(run.status, 1)
})

test('the setup for test:aws also requires the Debian packages of the AWS tools', () => {
  const run = setUp(createCheckout(deniedCommands), 'test:aws')
  assert.match(run.stderr, /apt-get install -y --no-install-recommends tool-a tool-b tool-t tool-w\n/)
  assert.equal(run.status, 1)
})

test('the setup for test:slow also requires the Debian packages of the slow tests', () => {
  const run = setUp(createCheckout(deniedCommands), 'test:slow')
  assert.match(run.stderr, /apt-get install -y --no-install-recommends tool-a tool-b tool-t tool-s\n/)
  assert.equal(run.status, 1)
})

test('npm test with file names runs only these files, and fails only if a file also fails when it runs alone', () => {
  const at = createCheckout({ npm, 'dpkg-query': nothingMissing })
  mkdirSync(join(at.dir, 'test/support'), { recursive: true })
  const runner = [
    'run-files.ts',
    'end-leaking-files.ts',
    'end-leaking.ts',
    'failed-files-reporter.ts',
    'end-hung.ts',
    'support/processes.ts',
    'long-files.ts',
  ]
  for (const name of [...runner, 'long-files.json'])
    copyFileSync(join(root, 'test', name), join(at.dir, 'test', name))
  const body = (name: string, ok: boolean) =>
    `import { test } from 'node:test'\ntest('${name}', () => { if (!${ok}) throw new Error('no') })\n`
  writeFileSync(join(at.dir, 'test/good.test.ts'), body('the good one', true))
  writeFileSync(join(at.dir, 'test/bad.test.ts'), body('the bad one', false))
  delete at.env.NODE_TEST_CONTEXT // otherwise the inner runner takes itself for a test file of the outer one
  const passingTest = setUp(at, 'test', 'test/good.test.ts')
  assert.match(passingTest.stdout, /the good one/)
  assert.doesNotMatch(passingTest.stdout, /the bad one/)
  assert.equal(passingTest.status, 0)
  const allTests = setUp(at, 'test')
  assert.match(allTests.stdout, /the bad one/)
  assert.match(allTests.stdout, /Failed twice:\n.*bad\.test\.ts\n$/)
  assert.equal(allTests.status, 1)
  assert.ok(at.calls().includes('npm run --silent check'))
  // Like a test slowed down by others: it passes the second time.
  const lateBody = `import { existsSync, writeFileSync } from 'node:fs'
    import { test } from 'node:test'
    test('the late one', () => { if (!existsSync('late')) throw writeFileSync('late', '') })`
  writeFileSync(join(at.dir, 'test/bad.test.ts'), lateBody)
  const lateTests = setUp(at, 'test')
  assert.match(lateTests.stdout, /Passed only alone:\n.*bad\.test\.ts\n$/)
  assert.equal(lateTests.status, 0)
  rmSync(join(at.dir, 'late'))
  // Killed after a failure, like a file that takes too long.
  const killedTest = `${body('the killed one', false)}test('it ends', async () => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    process.kill(process.pid, 'SIGKILL')
  })`
  writeFileSync(join(at.dir, 'test/killed.test.ts'), killedTest)
  const finishedSetup = setUp(at, 'test')
  assert.match(finishedSetup.stdout, /Failed twice:\n.*killed\.test\.ts\n$/)
  assert.equal(finishedSetup.status, 1)
})

test('an unknown setup command prints the usage', () => {
  const run = setUp(createCheckout({ npm, 'dpkg-query': nothingMissing }), 'strat')
  assert.equal(run.status, 2)
  assert.match(run.stderr, /^Usage: node lib\/local\/setup\.mjs start/)
})

const service = `
process.on('SIGTERM', () => { console.log('stopping'); process.exit(3) })
setInterval(() => {}, 1000)
console.log(process.pid)`

async function startService(at: Checkout) {
  const child = spawn(process.execPath, ['lib/local/setup.mjs', 'start'], {
    cwd: at.dir,
    env: at.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextLine = async () => String((await lines.next()).value)
  return { child, nextLine, pid: Number(await nextLine()) }
}

test('SIGTERM to the setup stops the service, and the setup exits with the exit code of the service', async () => {
  const at = createCheckout({ npm, 'dpkg-query': nothingMissing }, service)
  setUp(at, 'run', '-p', '0')
  const { child, nextLine } = await startService(at)
  child.kill('SIGTERM')
  assert.equal(await nextLine(), 'stopping')
  assert.deepEqual(await once(child, 'exit'), [3, null])
})

test('the service exits if the setup is killed', async () => {
  const at = createCheckout({ npm, 'dpkg-query': nothingMissing }, service)
  setUp(at, 'run', '-p', '0')
  const { child, nextLine } = await startService(at)
  child.kill('SIGKILL')
  assert.equal(await nextLine(), 'stopping')
})

test('two concurrent setups install the npm packages only once', async () => {
  const at = createCheckout({ npm: `sleep 0.3\n${npm}`, 'dpkg-query': nothingMissing })
  const runs = [1, 2].map(() =>
    spawn(process.execPath, ['lib/local/setup.mjs', 'start'], { cwd: at.dir, env: at.env, stdio: 'ignore' }),
  )
  const codes = await Promise.all(runs.map(async (run) => (await once(run, 'exit'))[0]))
  assert.deepEqual(codes, [0, 0])
  assert.equal(at.calls().filter((call) => call.startsWith('npm ci')).length, 1)
})

test('the setup scripts import only modules of Node.js and files of their own', () => {
  const paths = readdirSync(join(root, 'lib/local/setup')).map((name) => `lib/local/setup/${name}`)
  const text = ['lib/local/setup.mjs', ...paths]
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const importedPaths = [...text.matchAll(/from '([^']+)'/g)].map((match) => match[1] ?? '')
  assert.deepEqual(
    importedPaths.filter((name) => !/^(node:|\.\.?\/)/.test(name)),
    [],
  )
})
