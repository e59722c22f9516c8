import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { engineIds } from '../../lib/component-ids.ts'
import { areas } from '../mutate/areas.ts'
import { listChangedFiles } from './changed-files.ts'
import { createCommands } from './commands.ts'
import { estimateWallSeconds, getSeconds } from './durations.ts'
import { createUnitCommands, divide, listUnits } from './parts.ts'
import { findRow, maxMutationSeconds, maxSlowSeconds, selectChecks } from './select.ts'

test('a commit to the ffmpeg engine selects the tests, mutations, conversions and container image of that engine', () => {
  const commands = createCommands(selectChecks(['lib/engines/ffmpeg/trim.ts', 'README.md']))
  const [slowCommand, mutate, conformance, sweep, ...images] = commands.map((command) => command.join(' '))
  assert.match(slowCommand ?? '', /^run test:slow -- test\/engines\/ffmpeg\/options\.slow\.ts .*video/)
  assert.match(mutate ?? '', /^run mutate -- options --count \d+$/)
  assert.match(conformance ?? '', /^run conformance -- --engine ffmpeg --again --seconds \d+$/)
  assert.match(sweep ?? '', /^run sweep -- --area audio,video --count \d+$/)
  assert.deepEqual(images, ['run images -- av', 'run images:test'])
})

test('a commit that only changes documents selects no slow checks', () => {
  assert.deepEqual(createCommands(selectChecks(['README.md', 'CHANGELOG.md', '.ci/run'])), [])
})

test('a changed file selects the CI checks of its most specific path, and an unlisted file selects those of its folder', () => {
  assert.ok(findRow('lib/embedded-aws/sqs/new.ts')?.paths.includes('lib/embedded-aws/sqs'))
  assert.ok(findRow('lib/embedded-aws/new/new.ts')?.paths.includes('lib/embedded-aws'))
  assert.ok(findRow('lib/new/new.ts')?.paths.includes('lib/async'))
  assert.equal(findRow('lib/engines/ffmpeg.ts'), findRow('lib/engines/ffmpeg/trim.ts'))
  assert.equal(findRow('lib/engines/ffmpegs.ts'), findRow('lib/engines/options.ts'))
  assert.equal(findRow('unknown'), undefined)
})

test('a changed test file selects the CI checks of the lib folder that it mirrors', () => {
  assert.equal(findRow('test/engines/ffmpeg/trim.test.ts'), findRow('lib/engines/ffmpeg.ts'))
  assert.equal(findRow('test/jobs/store.test.ts'), findRow('lib/jobs/store.ts'))
  assert.equal(findRow('test/web/tools.slow.ts'), findRow('functions/web/start.tsx'))
  assert.ok(findRow('test/hooks.ts')?.paths.includes('test'))
  assert.ok(findRow('test/new/new.test.ts')?.paths.includes('test'))
})

test('a changed slow test is selected, but a deleted slow test is not', () => {
  const { slow } = selectChecks([
    'test/live/sockets.slow.ts',
    'test/live/deleted.slow.ts',
    'lib/jobs/store.ts',
  ])
  assert.equal(slow[0], 'test/live/sockets.slow.ts')
  assert.ok(!slow.includes('test/live/deleted.slow.ts'))
})

test('the CI checks of the area with the most changed files run first, and the areas alternate', () => {
  const { slow, image } = selectChecks([
    'lib/engines/pdf.ts',
    'lib/engines/seven-zip/a.ts',
    'lib/engines/seven-zip/b.ts',
  ])
  assert.deepEqual(slow.slice(0, 3), [
    'test/engines/seven-zip/formats.slow.ts',
    'test/engines/pdf/docx-images.slow.ts',
    'test/engines/pdf/stored-zip.slow.ts',
  ])
  assert.equal(image, 'archive')
})

test('the CI checks for a commit that changes everything take at most 45 minutes', () => {
  const allFiles = globSync('{lib,functions,layers,events,test}/**/*.ts')
  const selection = selectChecks([...allFiles, 'package-lock.json'])
  const { slow, areas: selectedAreas, engines, image } = selection
  assert.ok(estimateWallSeconds(slow) <= maxSlowSeconds)
  assert.ok(estimateWallSeconds(slow) > maxSlowSeconds * 0.8, 'the time is not used')
  assert.deepEqual(new Set(engines), new Set(engineIds))
  const requireSeconds = (key: string) => getSeconds(key) ?? assert.fail(`no duration of ${key}`)
  const mutationSeconds = selectedAreas.reduce((sum, area) => sum + requireSeconds(`mutate ${area}`), 0)
  assert.ok(mutationSeconds > 0 && mutationSeconds <= maxMutationSeconds)
  const fixedStepSeconds = [
    'setup',
    'test --all',
    'deploy:check',
    'conformance',
    'sweep',
    `image ${image}`,
  ].map(requireSeconds)
  const total =
    estimateWallSeconds(slow) +
    mutationSeconds +
    fixedStepSeconds.reduce((sum, fixedStep) => sum + fixedStep, 0)
  assert.ok(total <= 45 * 60, `${Math.round(total / 60)} min`)
})

test('the selected CI checks do not depend on the order of the changed files', () => {
  const files = globSync('{lib/jobs,lib/http,test/web}/**/*.ts')
  assert.deepEqual(selectChecks(files.toReversed()), selectChecks(files))
})

test('each slow test and each mutation area is short enough for the CI to select it', () => {
  for (const { seconds, name } of listUnits().filter(({ kind }) => kind === 'slow'))
    assert.ok(seconds > 0 && estimateWallSeconds([name]) <= maxSlowSeconds, name)
  for (const { name } of areas) assert.ok((getSeconds(`mutate ${name}`) ?? 0) <= maxMutationSeconds, name)
})

test('the parallel parts of a full CI run contain each check once and take about equally long', () => {
  const units = listUnits()
  const parts = divide(units, 8)
  assert.deepEqual(new Set(parts.flat()), new Set(units))
  assert.equal(parts.flat().length, units.length)
  const lengths = parts.map((part) => part.reduce((sum, { seconds }) => sum + seconds, 0))
  assert.ok(Math.max(...lengths) < 1.1 * Math.min(...lengths), lengths.join(' '))
  assert.deepEqual(
    divide(units.toReversed(), 8).map((part) => part.length),
    parts.map((part) => part.length),
  )
})

test('the commands of a full CI run include every kind of check and every test file outside test/layers', () => {
  const text = createUnitCommands(listUnits()).map((command) => command.join(' '))
  assert.deepEqual(
    text
      .map((line) => line.split(' ').slice(0, 2).join(' '))
      .filter((line, at, all) => all.indexOf(line) === at),
    [
      ...['run check', 'run deploy:check', 'test --', 'run test:slow', 'run test:aws', 'run mutate'],
      ...['run conformance', 'run sweep', 'run images', 'run images:test'],
    ],
  )
  const files = new Set(text.join(' ').split(' '))
  for (const file of globSync('test/**/*.{test,slow}.ts'))
    assert.ok(files.has(file) || file.startsWith('test/layers/'), file)
})

test('changed files are determined against the first parent of a commit if it was fetched, otherwise all checks run', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'changed-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
      cwd: folder,
    })
  const commit = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    git('add', '-A')
    git('commit', '-q', '-m', path)
  }
  git('init', '-q', '-b', 'main')
  commit('lib/a b.ts', '1\n2\n3\n')
  assert.equal(listChangedFiles(folder), undefined)
  git('mv', 'lib/a b.ts', 'lib/moved.ts')
  commit('test/ä.ts', '')
  assert.deepEqual(listChangedFiles(folder), ['lib/a b.ts', 'lib/moved.ts', 'test/ä.ts'])
  git('checkout', '-q', '-b', 'side', 'HEAD^')
  commit('side.ts', '')
  git('checkout', '-q', 'main')
  git('merge', '-q', '--no-ff', '-m', 'merge', 'side')
  assert.deepEqual(listChangedFiles(folder), ['side.ts'])
  execFileSync('git', ['clone', '-q', '--depth', '1', `file://${folder}`, join(folder, 'shallow')])
  assert.equal(listChangedFiles(join(folder, 'shallow')), undefined)
})
