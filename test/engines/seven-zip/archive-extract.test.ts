import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { sevenZip } from '../../../lib/engines/seven-zip.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { detectFile } from '../../formats/detect-file.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import {
  createWithPython,
  getSingleFile,
  getTreeArchive,
  lockedRarSample,
  marker,
  pathInFolder,
  rarSample,
  runInTree,
  skipWithoutSample,
} from '../support/archives.ts'
import { readArchive } from '../support/inspect-archive.ts'
import { convert, type Run, type RunSettings } from '../support/run-engine.ts'

function writeFixture(name: string, content: string | Buffer): string {
  writeFileSync(pathInFolder(name), content)
  return pathInFolder(name)
}

const text = writeFixture('text.txt', marker)

const archive = (to: FormatId, names: readonly string[], settings: RunSettings = {}) =>
  convert(sevenZip, text, to, {
    operation: 'archive',
    names,
    more: names.slice(1).map(() => text),
    ...settings,
  })

describe('archive operation', { concurrency: 2 }, () => {
  for (const to of ['zip', '7z', 'tar', 'tgz', 'tbz2', 'txz', 'tzst'] as const) {
    test(`the archive operation packs several files into a ${to}`, async () => {
      const { path, progress } = await archive(to, ['grüße.txt', '日本.txt', '-x.txt'])
      const contents = await readArchive(path, to)
      assert.deepEqual(contents, { 'grüße.txt': marker, '日本.txt': marker, '-x.txt': marker })
      assert.equal(progress.at(-1), 1)
      assert.equal(await detectFile(`x.${to}`, readFileSync(path)), to)
    })
  }

  test('the archive operation packs a ZIP, DOCX, MP4 or WOFF2 into a ZIP in a single step, without unpacking a ZIP', async () => {
    for (const from of ['zip', 'docx', 'mp4', 'woff2'] as const) {
      const { steps } = planRoute({ from, to: 'zip', operation: 'archive' })
      assert.deepEqual(
        steps.map(({ engine, to }) => [engine, to]),
        [['7zip', 'zip']],
      )
    }
    const { path } = await convert(sevenZip, getTreeArchive('zip'), 'zip', {
      operation: 'archive',
      names: ['tree.zip'],
    })
    assert.equal(members(path), 'tree.zip')
  })

  test('the archive operation numbers duplicate names, even if only their case differs', async () => {
    const { path } = await archive('zip', ['a.tar.gz', 'A.tar.gz', 'a (2).tar.gz', 'a.tar.gz', 'b', 'b'])
    assert.deepEqual(Object.keys(await readArchive(path, 'zip')).sort(), [
      'A (2).tar.gz',
      'a (2) (2).tar.gz',
      'a (3).tar.gz',
      'a.tar.gz',
      'b',
      'b (2)',
    ])
  })

  test('the archive operation sanitizes names that contain path traversal or look like a command-line option', async () => {
    const hostile = [
      ...[
        '../../etc/passwd',
        '/etc/shadow',
        '..\\..\\boot.ini',
        'C:\\x\\win.ini',
        '..',
        '.',
        '',
        '@list',
        '-rf',
      ],
      ...[
        '--help',
        '*',
        'a\nb\0c\u202etxt.exe',
        'CON',
        `${'長'.repeat(300)}.txt`,
        'x\ud800y',
        'tab\there',
        '-C',
      ],
    ]
    for (const to of ['zip', 'tar', '7z'] as const) {
      const { path } = await archive(to, hostile)
      const names = Object.keys(await readArchive(path, to))
      assert.equal(names.length, hostile.length)
      for (const name of names) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must be removed.
        assert.doesNotMatch(name, /[/\\\0-\x1f:*\u202e]|^\.*$/)
        assert.ok(Buffer.byteLength(name) <= 255, name)
      }
      assert.ok(names.some((name) => /^長+\.txt$/.test(name)))
    }
  })

  test('the archive operation accepts a thousand files', async () => {
    const names = Array.from({ length: 1000 }, () => 'same.txt')
    const { path, result } = await archive('zip', names)
    assert.equal(members(path).split('\n').length, 1000)
    assert.deepEqual(result.details, { files: 1000, bytes: 1000 * marker.length })
    assert.ok(members(path).split('\n').includes('same (1000).txt'))
  })

  test('the archive operation stores already compressed files in a ZIP unchanged and compresses all other files', async () => {
    const noise = writeFixture('noise.png', randomBytes(20_000))
    const zeros = writeFixture('zeros.txt', Buffer.alloc(20_000))
    const { path } = await convert(sevenZip, zeros, 'zip', {
      operation: 'archive',
      more: [noise],
      names: ['zeros.txt', 'noise.png'],
    })
    const list = execFileSync('unzip', ['-v', path], { encoding: 'utf8' })
    assert.match(list, /Stored .* noise\.png/)
    assert.match(list, /Defl:\w .* zeros\.txt/)
  })

  test('a ZIP or 7z made with a password can be opened only with that password', async () => {
    for (const [to, isShown] of [
      ['zip', true],
      ['7z', false],
    ] as const) {
      const { path } = await archive(to, ['secret.txt', 'b.png'], { options: { password: 'ge "heim" $1' } })
      const extractWithPassword = (password: string) =>
        execFileSync('7zz', ['t', `-p${password}`, path], { stdio: 'pipe', encoding: 'utf8' })
      assert.match(extractWithPassword('ge "heim" $1'), /Everything is Ok/)
      assert.throws(() => extractWithPassword('other'))
      assert.equal(readFileSync(path).includes('secret.txt'), isShown)
      const { result } = await extract(path, { options: { password: 'ge "heim" $1' } })
      assert.deepEqual(getNames(result), ['b.png', 'secret.txt'])
    }
  })
})

const members = (path: string) => execFileSync('unzip', ['-Z1', path], { encoding: 'utf8' }).trimEnd()

/** In the plan, the target of an extraction is the archive's own format. */
const extract = (path: string, settings: RunSettings & { from?: FormatId } = {}) => {
  const from = settings.from ?? getFormat(path)
  return convert(sevenZip, path, from, { operation: 'extract', from, ...settings })
}
// The file extensions of these archives are format ids.
const getFormat = (path: string) => path.slice(path.lastIndexOf('.') + 1) as FormatId

const getNames = ({ files: all }: Run['result']) => all.map(({ filename }) => filename)
const readContents = ({ files: all }: Run['result']) =>
  Object.fromEntries(all.map(({ filename, path }) => [filename, readFileSync(path, 'utf8')]))

describe('extract operation', { concurrency: 2 }, () => {
  for (const id of ['zip', '7z', 'tar', 'tgz', 'txz', 'cpio', 'iso'] as const) {
    test(`the extract operation returns the files of a ${id} archive without their folders`, async () => {
      const { result, workDir } = await extract(getTreeArchive(id))
      assert.deepEqual(readContents(result), {
        'read me.txt': marker,
        '日本.txt': 'deep\n',
        '.hidden': 'dot\n',
      })
      for (const { path, format } of result.files) {
        assert.ok(path.startsWith(`${workDir}/out/`))
        assert.equal(format, undefined)
      }
      assert.equal(planRoute({ from: id, to: id, operation: 'extract' }).steps.length, 1)
    })
  }

  test('the extract operation returns the files of a RAR archive', {
    skip: skipWithoutSample(rarSample),
  }, async () => {
    const { result } = await extract(rarSample, { from: 'rar' })
    assert.equal(result.files.length, 4)
    if (!existsSync(lockedRarSample)) return
    const lockedRarRun = await extract(lockedRarSample, { from: 'rar', options: { password: 'password' } })
    assert.deepEqual(getNames(lockedRarRun.result), ['stest1.txt', 'stest2.txt'])
  })

  test('the extract operation returns the file inside a compressed file', async () => {
    const { result } = await extract(getSingleFile('gz'), { from: 'gz' })
    assert.deepEqual(Object.values(readContents(result)), [marker])
  })

  test('the extract operation numbers files with the same name from different folders', async () => {
    const path = createWithPython(
      'same.zip',
      `z = zipfile.ZipFile(out, 'w'); [z.writestr(n, n) for n in ('a/x.txt', 'b/x.txt', 'c/X.TXT', 'x (2).txt')]; z.close()`,
    )
    const { result } = await extract(path)
    assert.equal(new Set(getNames(result).map((name) => name?.toLowerCase())).size, 4)
    assert.deepEqual(getNames(result).slice(0, 2), ['x.txt', 'x (2).txt'])
  })

  test('the extract operation returns only the requested files', async () => {
    const path = createWithPython(
      'choice.zip',
      `z = zipfile.ZipFile(out, 'w'); [z.writestr(n, n) for n in ('docs/a.pdf', 'docs/b.txt', 'docs/old/c.pdf', 'a[1].txt', 'gru\\u0308n.txt')]; z.close()`,
    )
    for (const [paths, expectedFiles] of [
      [['docs/b.txt'], ['b.txt']],
      ['c.pdf', ['c.pdf']],
      [['*.pdf'], ['a.pdf', 'c.pdf']],
      [
        ['docs/*', 'a[1].txt'],
        ['a[1].txt', 'a.pdf', 'b.txt', 'c.pdf'],
      ],
      [['./docs/?.pdf'], ['a.pdf']],
      [['grün.*'], ['grün.txt']],
    ] as const) {
      const { result } = await extract(path, { options: { paths } })
      assert.deepEqual(
        getNames(result).map((name) => name?.normalize('NFC')),
        expectedFiles,
      )
    }
    const error = await assertRefused(
      extract(path, { options: { paths: ['nothing*', `${'*a'.repeat(400)}b`] } }),
      'INVALID_INPUT',
      /no file in the archive matches\. The archive contains "a\[1\]\.txt", .* and "[^"]*"\.$/,
    )
    assert.deepEqual(error.details, { field: 'paths', reason: 'no-match', files: 5 })
  })

  test('if no file of an archive matches the requested paths, the error names at most five files', async () => {
    for (const [count, content] of [
      [1, '"0.txt"'],
      [2, '"0.txt" and "1.txt"'],
      [12, '12 files, including "0.txt", "1.txt", "2.txt", "3.txt" and "4.txt"'],
    ] as const) {
      const path = createWithPython(
        `${count}-names.zip`,
        `z = zipfile.ZipFile(out, 'w'); [z.writestr(f'{n}.txt', 'x') for n in range(${count})]; z.close()`,
      )
      const call = extract(path, { options: { paths: 'nothing' } })
      await assertRefused(call, 'INVALID_INPUT', new RegExp(`The archive contains ${content}\\.$`))
    }
  })

  test('the extract operation refuses to return more than a thousand files', async () => {
    const createArchive = (count: number) =>
      createWithPython(
        `${count}.zip`,
        `z = zipfile.ZipFile(out, 'w'); [z.writestr(f'{n % 7}/{n}.txt', 'x') for n in range(${count})]; z.close()`,
      )
    assert.equal((await extract(createArchive(1000))).result.files.length, 1000)
    const { details } = await assertRefused(
      extract(createArchive(1001)),
      'FILE_TOO_LARGE',
      /1001 .* at most 1000 .* paths/,
    )
    assert.equal(details?.limit, 1000)
    const someFiles = await extract(createArchive(1001), { options: { paths: ['3/*'] } })
    assert.equal(someFiles.result.files.length, 143)
  })

  test('the extract operation opens a protected archive only with its password', async () => {
    runInTree('7zz', 'a', '-tzip', '-mem=AES256', '-pgeheim', pathInFolder('shut.zip'), 'read me.txt')
    const missingPasswordError = await assertRefused(extract(pathInFolder('shut.zip')), 'INVALID_INPUT')
    assert.equal(missingPasswordError.details?.reason, 'password-needed')
    const { result } = await extract(pathInFolder('shut.zip'), { options: { password: 'geheim' } })
    assert.deepEqual(readContents(result), { 'read me.txt': marker })
  })

  test('the extract operation refuses an archive that is empty or has only folders', async () => {
    const emptyZip = createWithPython('empty.zip', `zipfile.ZipFile(out, 'w').close()`)
    const folders = createWithPython(
      'folders.zip',
      `z = zipfile.ZipFile(out, 'w'); z.writestr('a/', ''); z.close()`,
    )
    for (const path of [emptyZip, folders]) {
      const { details } = await assertRefused(extract(path), 'INVALID_INPUT', /no files/)
      assert.equal(details?.reason, 'empty')
    }
  })

  test('the extract operation refuses path traversal, zip bombs and damaged archives', async () => {
    const out = createWithPython(
      'out.tar',
      `t = tarfile.open(out, 'w'); i = tarfile.TarInfo('../up.txt'); i.size = 2; t.addfile(i, io.BytesIO(b'hi')); t.close()`,
    )
    await assertRefused(extract(out), 'INVALID_INPUT', /unsafe path/)
    const bomb = createWithPython(
      'bomb.zip',
      `z = zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED); z.writestr('zeros', bytes(80_000_000)); z.close()`,
    )
    await assertRefused(extract(bomb, { options: { paths: ['nothing'] } }), 'FILE_TOO_LARGE')
    await assertRefused(
      extract(writeFixture('cut.zip', readFileSync(getTreeArchive('zip')).subarray(0, 90))),
      'CORRUPT_FILE',
    )
  })

  test('the extract operation leaves out links and devices, with a warning', async () => {
    mkdirSync(pathInFolder('linked'))
    symlinkSync('/etc/passwd', pathInFolder('linked/link'))
    writeFileSync(pathInFolder('linked/real'), marker)
    execFileSync('bsdtar', ['-cf', pathInFolder('linked.tar'), '-C', pathInFolder('linked'), '.'])
    const { result, warnings } = await extract(pathInFolder('linked.tar'))
    assert.deepEqual(readContents(result), { real: marker })
    assert.deepEqual(warnings, ['LINKS_DROPPED'])
    symlinkSync('real', pathInFolder('linked/other'))
    execFileSync(
      '7zz',
      ['a', '-snl', pathInFolder('links.zip'), pathInFolder('linked/link'), pathInFolder('linked/other')],
      {
        stdio: 'ignore',
      },
    )
    await assertRefused(extract(pathInFolder('links.zip')), 'INVALID_INPUT', /no files/)
  })

  test('the extract operation returns file names that are valid on every operating system', async () => {
    const zipWithOddNames = createWithPython(
      'odd.zip',
      `z = zipfile.ZipFile(out, 'w'); [z.writestr(n, 'x') for n in ('d/CON', 'd/a\\x01b.txt', 'd/-rf', 'd/' + 'l' * 250 + '.txt', 'd/a:b?.txt')]; z.close()`,
    )
    const { result } = await extract(zipWithOddNames)
    assert.equal(result.files.length, 5)
    for (const name of getNames(result)) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must be removed.
      assert.match(name ?? '', /^[^/\\\0-\x1f:?]{1,244}$/)
      assert.notEqual(name, 'CON')
    }
  })

  test('the extract operation returns the files that the archive operation packed', async () => {
    const { path } = await archive('txz', ['one.txt', 'two.txt'])
    assert.deepEqual(readContents((await extract(path, { from: 'txz' })).result), {
      'one.txt': marker,
      'two.txt': marker,
    })
  })
})
