import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratchFolder } from '../support/scratch-folder.ts'

/** Runs the commands with fake versions of npm, which records its calls, and of unshare. */
function run(commands: readonly (readonly string[])[], { unshare = 'exit 0' } = {}) {
  const folder = scratchFolder('ci-commands')
  const calls = join(folder, 'calls')
  const script = (name: string, body: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  script('npm', `echo "$*" >> ${calls}\ncase "$*" in *fails*) exit 1; esac`)
  script('unshare', unshare)
  writeFileSync(calls, '')
  const module = new URL('commands.ts', import.meta.url).href
  const program = `import { runCommands } from '${module}'
    process.exit(await runCommands(${JSON.stringify(commands)}))`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
  })
  return { status, stdout, calls: readFileSync(calls, 'utf8').trim().split('\n') }
}

test('all CI commands run even if one fails, and the exit code reports the failure', () => {
  const commands = [
    ['run', 'check'],
    ['run', 'fails'],
    ['run', 'sweep'],
  ]
  const { status, stdout, calls } = run(commands)
  assert.deepEqual(calls, ['run check', 'run fails', 'run sweep'])
  assert.equal(status, 1)
  assert.match(stdout, /passed in \d+ s: npm run check\nFAILED in \d+ s: npm run fails\npassed/)
  assert.equal(run([['run', 'check']]).status, 0)
})

test('CI commands for container images are skipped with a message on a machine without namespaces', () => {
  const commands = [
    ['run', 'images', '--', 'av'],
    ['run', 'images:test'],
    ['run', 'sweep'],
  ]
  const resultWithoutNamespaces = run(commands, { unshare: 'exit 1' })
  assert.deepEqual(resultWithoutNamespaces.calls, ['run sweep'])
  assert.equal(resultWithoutNamespaces.status, 0)
  assert.match(
    resultWithoutNamespaces.stdout,
    /skipped, because this machine gives no namespaces: npm run images -- av/,
  )
  assert.equal(run(commands).calls.length, 3)
})
