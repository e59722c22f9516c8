import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Tools } from '../../../lib/engines/engine.ts'
import { warnAboutDroppedEntries } from '../../../lib/engines/seven-zip/dropped-entries.ts'
import { sevenZip } from '../../../lib/engines/seven-zip.ts'
import type { ErrorCode } from '../../../lib/errors.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import {
  createWithPython,
  getTreeArchive,
  lockedRarSample,
  marker,
  pathInFolder,
  runInTree,
  skipWithoutSample,
} from '../support/archives.ts'
import { readArchive } from '../support/inspect-archive.ts'
import { convert, type RunSettings } from '../support/run-engine.ts'

const assertRefusedArchive = (
  code: ErrorCode,
  path: string,
  { to = 'tar', ...settings }: RunSettings & { to?: FormatId } = {},
) => assertRefused(convert(sevenZip, path, to, settings), code, undefined, path)

describe('archives with a password', { concurrency: 2 }, () => {
  runInTree('7zz', 'a', '-tzip', '-mem=AES256', '-pgeheim wort', pathInFolder('locked.zip'), 'read me.txt')
  runInTree('7zz', 'a', '-mhe=on', '-pgeheim wort', pathInFolder('locked.7z'), 'read me.txt')

  for (const name of ['locked.zip', 'locked.7z']) {
    test(`an archive with a password (${name}) is opened with its password, and the result is not protected`, async () => {
      const { path } = await convert(sevenZip, pathInFolder(name), 'tar', {
        options: { password: 'geheim wort' },
      })
      assert.deepEqual(await readArchive(path, 'tar'), { 'read me.txt': marker })
    })

    test(`the error for an archive with a password (${name}) says whether the password is missing or wrong`, async () => {
      const missingPasswordError = await assertRefusedArchive('INVALID_INPUT', pathInFolder(name))
      assert.deepEqual(missingPasswordError.details, { field: 'password', reason: 'password-needed' })
      const wrongPasswordError = await assertRefusedArchive('INVALID_INPUT', pathInFolder(name), {
        options: { password: 'other' },
      })
      assert.deepEqual(wrongPasswordError.details, { field: 'password', reason: 'wrong-password' })
    })
  }
})

test('a RAR with a password is opened with its password', {
  skip: skipWithoutSample(lockedRarSample),
}, async () => {
  const missingPasswordError = await assertRefusedArchive('INVALID_INPUT', lockedRarSample)
  assert.deepEqual(missingPasswordError.details, { field: 'password', reason: 'password-needed' })
  const wrongPasswordError = await assertRefusedArchive('INVALID_INPUT', lockedRarSample, {
    options: { password: 'other' },
  })
  assert.deepEqual(wrongPasswordError.details, { field: 'password', reason: 'wrong-password' })
  const { path } = await convert(sevenZip, lockedRarSample, 'tar', { options: { password: 'password' } })
  assert.deepEqual(Object.keys(await readArchive(path, 'tar')), ['stest1.txt', 'stest2.txt'])
})

describe('hostile archives', { concurrency: 2 }, () => {
  for (const name of ['../up.txt', '/etc/abs.txt', 'a/../../up.txt', '..\\up.txt', 'C:\\up.txt']) {
    test(`a hostile archive with an entry named ${name} is refused`, async () => {
      const file = `${Buffer.from(name).toString('hex')}.tar`
      const path = createWithPython(
        file,
        `t = tarfile.open(out, 'w'); i = tarfile.TarInfo(${JSON.stringify(name)}); i.size = 2; t.addfile(i, io.BytesIO(b'hi')); t.close()`,
      )
      const { details } = await assertRefusedArchive('INVALID_INPUT', path, { to: 'zip' })
      assert.equal(details?.reason, 'unsafe-name')
      assert.equal(details.name, name)
    })
  }

  test('links and devices of a hostile archive are dropped with a warning, and its other files are kept', async () => {
    mkdirSync(pathInFolder('linked'))
    symlinkSync('/etc/passwd', pathInFolder('linked/link'))
    writeFileSync(pathInFolder('linked/real'), marker)
    const kinds = ['zip', '7z', 'tar']
    for (const kind of kinds) {
      execFileSync(
        '7zz',
        ['a', '-snl', `-t${kind}`, pathInFolder(`linked.${kind}`), pathInFolder('linked/*')],
        {
          stdio: 'ignore',
        },
      )
    }
    const tarWithLinks = createWithPython(
      'odd.tar',
      `t = tarfile.open(out, 'w')
for n, k, l in [('out', tarfile.LNKTYPE, '../../source-1.tar'), ('pipe', tarfile.FIFOTYPE, ''), ('disk', tarfile.BLKTYPE, ''), ('sym', tarfile.SYMTYPE, '..')]:
    i = tarfile.TarInfo(n); i.type = k; i.linkname = l; t.addfile(i)
i = tarfile.TarInfo('real'); i.size = ${marker.length}; t.addfile(i, io.BytesIO(${JSON.stringify(marker)}.encode())); t.close()`,
    )
    for (const path of [...kinds.map((kind) => pathInFolder(`linked.${kind}`)), tarWithLinks]) {
      const { path: result, warnings } = await convert(sevenZip, path, 'tgz')
      assert.deepEqual(await readArchive(result, 'tgz'), { real: marker })
      assert.deepEqual(warnings, ['LINKS_DROPPED'])
    }
  })

  test('a hostile archive causes warnings that name the dropped links and the duplicate names', () => {
    const warnings: string[] = []
    const link = (name: string) => ({ name, size: 0, kind: 'link' }) as const
    const file = (name: string) => ({ name, size: 1, kind: 'file' }) as const
    const tools = {
      warn: (code: string, message: string) => warnings.push(`${code} ${message}`),
    } as unknown as Tools
    warnAboutDroppedEntries(
      [file('a'), file('b'), { ...file('d'), kind: 'folder' }, { ...file('d'), kind: 'folder' }],
      tools,
    )
    assert.deepEqual(warnings, [])
    const links = Array.from({ length: 12 }, (_, at) => link(`link-${at}`))
    warnAboutDroppedEntries([...links, file('a'), file('./a'), file('b'), file('a')], tools)
    assert.match(
      warnings[0] ?? '',
      /^LINKS_DROPPED 12 links .* left out, .*: "link-0", .*"link-9" and 2 more\.$/,
    )
    assert.match(warnings[1] ?? '', /^DUPLICATES_DROPPED Several files .*: "a"\.$/)
    assert.equal(warnings.length, 2)
  })

  test('a hostile archive keeps only the last of several files with the same name, with a warning', async () => {
    const zip = createWithPython(
      'twice.zip',
      `import warnings; warnings.simplefilter('ignore')
z = zipfile.ZipFile(out, 'w'); [z.writestr('a.txt', n) for n in ('first', 'last')]; z.close()`,
    )
    const { path, warnings, details } = await convert(sevenZip, zip, 'tar')
    assert.deepEqual(await readArchive(path, 'tar'), { 'a.txt': 'last' })
    assert.deepEqual(warnings, ['DUPLICATES_DROPPED'])
    assert.deepEqual(details, [{ count: 1, names: ['a.txt'] }])
  })

  test('a hostile archive that is a zip bomb is refused, whether or not it declares its size', async () => {
    const zip = createWithPython(
      'bomb.zip',
      `z = zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED); z.writestr('zeros', bytes(80_000_000)); z.close()`,
    )
    const bz2 = createWithPython(
      'bomb.bz2',
      `import bz2; open(out, 'wb').write(bz2.compress(bytes(80_000_000)))`,
    )
    const txz = createWithPython(
      'bomb.txz',
      `t = tarfile.open(out, 'w:xz', preset=0); i = tarfile.TarInfo('zeros'); i.size = 80_000_000; t.addfile(i, io.BytesIO(bytes(i.size))); t.close()`,
    )
    for (const path of [zip, bz2, txz]) await assertRefusedArchive('FILE_TOO_LARGE', path)
  })

  test('a hostile archive with too many entries or too deeply nested folders is refused', async () => {
    const manyEntries = createWithPython(
      'many.zip',
      `z = zipfile.ZipFile(out, 'w'); [z.writestr(str(n), '') for n in range(10_001)]; z.close()`,
    )
    await assertRefusedArchive('FILE_TOO_LARGE', manyEntries)
    const deepZip = createWithPython(
      'deep.zip',
      `z = zipfile.ZipFile(out, 'w'); z.writestr('d/' * 40 + 'f', ''); z.close()`,
    )
    await assertRefusedArchive('INVALID_INPUT', deepZip)
  })

  test('an archive inside another archive is not unpacked', async () => {
    const nestedArchive = createWithPython(
      'nested.zip',
      `z = zipfile.ZipFile(out, 'w'); z.write(${JSON.stringify(getTreeArchive('zip'))}, 'inner.zip'); z.close()`,
    )
    const { path } = await convert(sevenZip, nestedArchive, 'tar')
    assert.deepEqual(Object.keys(await readArchive(path, 'tar')), ['inner.zip'])
  })

  test('an empty or truncated archive is refused with an error code', async () => {
    await assertRefusedArchive(
      'INVALID_INPUT',
      createWithPython('empty.zip', `zipfile.ZipFile(out, 'w').close()`),
    )
    for (const from of ['7z', 'txz', 'tgz'] as const) {
      const bytes = readFileSync(getTreeArchive(from))
      writeFileSync(pathInFolder(`cut.${from}`), bytes.subarray(0, bytes.length / 2))
      await assertRefusedArchive('CORRUPT_FILE', pathInFolder(`cut.${from}`), { from })
    }
  })
})
