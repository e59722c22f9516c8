import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'mutabor-commit-hook-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

const copiedPaths = [
  ...['.githooks', 'CONTRIBUTING.md', 'package.json', 'package-lock.json', 'lib/local/setup.mjs'],
  ...['lib/local/setup', 'lib/local/node-flags.json', 'lib/local/node-environment.json'],
]

/** The environment without the user's git settings and without the repository of a hook that runs this test. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
}

/** Creates a copy of this project that starts a program without any engines. */
function createCopy(name: string) {
  const dir = join(folder, name)
  for (const path of copiedPaths) cpSync(join(root, path), join(dir, path), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  mkdirSync(join(dir, 'layers'))
  mkdirSync(join(dir, 'lib/local/commands'))
  writeFileSync(join(dir, 'layers/packages.json'), '{}')
  writeFileSync(join(dir, 'lib/local/commands/start.ts'), "console.log('started')")
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, { cwd: dir, env, encoding: 'utf8' })
  return {
    dir,
    git: (...args: string[]) => run('git', ...args),
    start: () => run(process.execPath, 'lib/local/setup.mjs', 'start'),
    hooksPath: () => run('git', 'config', 'core.hooksPath').stdout.trim(),
  }
}

test('running npm start in a git checkout installs the commit hook, which rejects a subject without an area', () => {
  const { git, start, hooksPath } = createCopy('checkout')
  git('init', '--quiet')
  for (const _ of [1, 2]) {
    assert.equal(start().stdout, 'started\n')
    assert.equal(hooksPath(), '.githooks')
  }
  const commit = (subject: string) => git('commit', '--quiet', '--allow-empty', '--message', subject)
  const refusedSubjects: readonly (readonly [string, RegExp])[] = [
    ['Fix the upload', /Write the subject as "area: imperative sentence"/],
    ['everything: fix the upload', /"everything" is no area\. Choose one of: access, api/],
    ['uploads: keep the file name.', /Drop the period/],
    [`uploads: ${'x'.repeat(63)}`, /it has 72 characters, at most 71 fit/],
  ]
  for (const [subject, message] of refusedSubjects) {
    const { status, stderr } = commit(subject)
    assert.equal(status, 1, subject)
    assert.match(stderr, message)
  }
  for (const subject of ['uploads: keep the file name', 'Revert "uploads: keep the file name"']) {
    const { status, stderr } = commit(subject)
    assert.equal(status, 0, stderr)
  }
})

test('running npm start keeps existing git hooks and a configured hooks folder', () => {
  const configuredCopy = createCopy('configured')
  configuredCopy.git('init', '--quiet')
  configuredCopy.git('config', 'core.hooksPath', 'hooks-of-the-team')
  assert.equal(configuredCopy.start().stdout, 'started\n')
  assert.equal(configuredCopy.hooksPath(), 'hooks-of-the-team')

  const copyWithHooks = createCopy('used')
  copyWithHooks.git('init', '--quiet', '--template=')
  mkdirSync(join(copyWithHooks.dir, '.git/hooks'))
  writeFileSync(join(copyWithHooks.dir, '.git/hooks/pre-commit'), '#!/bin/sh\n')
  chmodSync(join(copyWithHooks.dir, '.git/hooks/pre-commit'), 0o755)
  assert.equal(copyWithHooks.start().stdout, 'started\n')
  assert.equal(copyWithHooks.hooksPath(), '')
})

test('running npm start outside of a git checkout works without the commit hook', () => {
  const { start, hooksPath } = createCopy('archive')
  const { status, stdout, stderr } = start()
  assert.deepEqual([status, stdout, stderr], [0, 'started\n', ''])
  assert.equal(hooksPath(), '')
})
