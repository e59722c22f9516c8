import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { zstdCompressSync } from 'node:zlib'
import { createTools } from '../../lib/engines/exec.ts'
import { sevenZip } from '../../lib/engines/seven-zip.ts'
import { AppError, type ErrorCode } from '../../lib/errors.ts'
import { detectFormat } from '../../lib/formats/detect.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { archiveContents } from './archive-judge.ts'
import { conformance } from './conformance.ts'
import { convert, type RunSettings, removeRuns } from './run-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'archives-'))
/** Nothing that we may use makes RAR; this one stands beside the project, not in it. */
const rar = fileURLToPath(new URL('../../../shared/samples/archive/s5.rar', import.meta.url))
const lockedRar = fileURLToPath(new URL('../../../shared/samples/archive/s5psw.rar', import.meta.url))
const withoutRar = existsSync(rar) ? false : 'there is no RAR sample beside the project (../shared/samples)'
const at = (name: string) => join(folder, name)
const tree = at('tree')
const marker = 'the quick marker\n'
const files = { 'read me.txt': marker, 'ünï/日本.txt': 'deep\n', '.hidden': 'dot\n' }
const long = at('long.zip')
const changed = new Date('2020-02-02T02:02:02Z')

function command(bin: string, ...args: string[]): void {
  execFileSync(bin, args, { cwd: tree, stdio: 'ignore' })
}

/** A script that has `out` and writes an archive that no tool would make. */
function python(name: string, script: string): string {
  execFileSync('python3', ['-c', `import io, sys, tarfile, zipfile\nout = sys.argv[1]\n${script}`, at(name)])
  return at(name)
}

mkdirSync(join(tree, 'ünï'), { recursive: true })
for (const [name, text] of Object.entries(files)) {
  writeFileSync(join(tree, name), text)
  utimesSync(join(tree, name), changed, changed)
}
const whole = ['.hidden', 'read me.txt', 'ünï']
for (const kind of ['zip', '7z']) command('7zz', 'a', `-t${kind}`, at(`tree.${kind}`), ...whole)
command('7zz', 'a', '-tzip', at('tree.jar'), ...whole)
command('bsdtar', '-cf', at('tree.tar'), ...whole)
command('bsdtar', '-czf', at('tree.tgz'), ...whole)
command('bsdtar', '-cjf', at('tree.tbz2'), ...whole)
command('bsdtar', '-cJf', at('tree.txz'), ...whole)
command('bsdtar', '-c', '--format', 'newc', '-f', at('tree.cpio'), ...whole)
command('bsdtar', '-c', '--format', 'iso9660', '-f', at('tree.iso'), ...whole)
writeFileSync(at('tree.tzst'), zstdCompressSync(readFileSync(at('tree.tar'))))
for (const kind of ['gzip', 'bzip2', 'xz', 'zstd', 'lz4', 'lzma', 'lzip', 'lzop', 'compress'] as const) {
  const name = {
    gzip: 'gz',
    bzip2: 'bz2',
    xz: 'xz',
    zstd: 'zst',
    lz4: 'lz4',
    lzma: 'lzma',
    lzip: 'lz',
    lzop: 'lzo',
    compress: 'z',
  }[kind]
  command('bsdtar', '-c', '--format', 'raw', `--${kind}`, '-f', at(`one.${name}`), 'read me.txt')
}
writeFileSync(at('noise'), randomBytes(24_000_000))
execFileSync('7zz', ['a', '-mx=0', long, at('noise')], { stdio: 'ignore' })

for (const [name, ...args] of [
  ['tlz', '--lzma'],
  ['tar.lz', '--lzip'],
  ['tar.lz4', '--lz4'],
  ['tar.lzo', '--lzop'],
  ['tar.z', '--compress'],
  ['xar', '--format', 'xar'],
] as const)
  command('bsdtar', '-c', ...args, '-f', at(`tree.${name}`), ...whole)

const trees = [
  'zip',
  'jar',
  '7z',
  'tar',
  'tgz',
  'tbz2',
  'txz',
  'tzst',
  'tlz',
  'tar.lz',
  'tar.lz4',
  'tar.lzo',
  'tar.z',
  'cpio',
  'iso',
  'xar',
] as const
const ones = ['gz', 'bz2', 'xz', 'zst', 'lz4', 'lzma', 'lz', 'lzo', 'z'] as const
const targets = [
  'zip',
  'jar',
  'cbz',
  '7z',
  'tar',
  'tgz',
  'tbz2',
  'txz',
  'tzst',
  'tlz',
  'tar.lz',
  'tar.lz4',
  'tar.lzo',
  'tar.z',
  'cpio',
  'iso',
  'wim',
  'squashfs',
] as const

after(async () => {
  await removeRuns()
  rmSync(folder, { recursive: true })
})

async function refused(code: ErrorCode, path: string, settings: RunSettings & { to?: FormatId } = {}) {
  const error = await convert(sevenZip, path, settings.to ?? 'tar', settings).then(
    () => assert.fail(`${path} was converted`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.code, code, error.message)
  return error
}

conformance(sevenZip, {
  fixtures: { zip: at('tree.zip'), ...(existsSync(rar) && { rar }) },
  only: (_, to) => to === 'txz' || to === '7z',
  long: { source: long, to: 'xz', options: { compressionLevel: 9 } },
})

describe('an archive', { concurrency: 2 }, () => {
  for (const from of trees) {
    test(`of ${from} gives all its files to a tar`, async () => {
      const { path } = await convert(sevenZip, at(`tree.${from}`), from === 'tar' ? 'tgz' : 'tar', { from })
      assert.deepEqual(await archiveContents(path, 'tar'), files)
    })
  }

  for (const to of targets) {
    test(`of several files becomes a whole ${to}`, async () => {
      const from = to === 'zip' ? '7z' : 'zip'
      const { path, format } = await convert(sevenZip, at(`tree.${from}`), to)
      assert.equal(format, to)
      assert.deepEqual(await archiveContents(path, to), files)
    })
  }

  test('of RAR is read too', { skip: withoutRar }, async () => {
    const { path } = await convert(sevenZip, rar, 'zip')
    const contents = await archiveContents(path, 'zip')
    assert.deepEqual(contents['sub/dir1/file1.txt'], 'file1\n')
    assert.equal(Object.keys(contents).length, 4)
  })

  test('keeps the times of its files', async () => {
    const { path } = await convert(sevenZip, at('tree.7z'), 'tar')
    mkdirSync(at('times'))
    execFileSync('tar', ['-xf', path, '-C', at('times')])
    assert.equal(statSync(at('times/read me.txt')).mtimeMs, changed.getTime())
  })

  test('with names from before Unicode gets them in Unicode', async () => {
    const tar = python(
      'old.tar',
      `t = tarfile.open(out, 'w', format=tarfile.GNU_FORMAT, encoding='latin1'); i = tarfile.TarInfo('gr\u00fc\u00dfe'); i.size = 2; t.addfile(i, io.BytesIO(b'hi')); t.close()`,
    )
    const zip = python(
      'old.zip',
      `z = zipfile.ZipFile(out, 'w'); z.writestr('grXXe', 'hi'); z.close()
b = open(out, 'rb').read().replace(b'grXXe', b'gr\\x81\\xe1e'); open(out, 'wb').write(b)`,
    )
    for (const path of [tar, zip]) {
      const { path: result } = await convert(sevenZip, path, 'tgz')
      assert.deepEqual(await archiveContents(result, 'tgz'), { grüße: 'hi' })
    }
  })

  test('is smaller at a higher level', async () => {
    const [fast, small] = await Promise.all(
      [0, 9].map(async (compressionLevel) => {
        const { path } = await convert(sevenZip, at('tree.tar'), 'tgz', { options: { compressionLevel } })
        return statSync(path).size
      }),
    )
    assert.ok(Number(small) < Number(fast), `${small} and ${fast}`)
  })
})

describe('a compressed file', { concurrency: 2 }, () => {
  for (const from of ones) {
    test(`of ${from} gives its one file, named after the upload`, async () => {
      const { path } = await convert(sevenZip, at(`one.${from}`), 'zip', { from })
      assert.deepEqual(await archiveContents(path, 'zip'), { in: marker })
    })
  }

  for (const to of ones) {
    test(`of ${to} is made of a single file as it is`, async () => {
      const { path, format } = await convert(sevenZip, at(to === 'lz4' ? 'one.gz' : 'one.lz4'), to)
      assert.equal(format, to)
      assert.deepEqual(await archiveContents(path, to), { '': marker })
    })

    test(`of ${to} is a tape archive when there are several files`, async () => {
      const { path, format } = await convert(sevenZip, at('tree.zip'), to)
      assert.equal(
        format,
        {
          gz: 'tgz',
          bz2: 'tbz2',
          xz: 'txz',
          zst: 'tzst',
          lzma: 'tlz',
          lz: 'tar.lz',
          lz4: 'tar.lz4',
          lzo: 'tar.lzo',
          z: 'tar.z',
        }[to],
      )
      assert.deepEqual(await archiveContents(path, format), files)
    })
  }

  test('of gz keeps the name that it has inside', async () => {
    const source = python(
      'named.gz',
      `import gzip; g = gzip.GzipFile('gr\u00fcn.txt', 'wb', fileobj=open(out, 'wb')); g.write(b'hi'); g.close()`,
    )
    const { path } = await convert(sevenZip, source, 'zip')
    assert.deepEqual(await archiveContents(path, 'zip'), { 'grün.txt': 'hi' })
  })

  test('of gz that holds a tape archive gives its files', async () => {
    const { path } = await convert(sevenZip, at('tree.tgz'), 'zip', { from: 'gz' })
    assert.deepEqual(await archiveContents(path, 'zip'), files)
  })
})

describe('an archive with a password', { concurrency: 2 }, () => {
  command('7zz', 'a', '-tzip', '-mem=AES256', '-pgeheim wort', at('locked.zip'), 'read me.txt')
  command('7zz', 'a', '-mhe=on', '-pgeheim wort', at('locked.7z'), 'read me.txt')

  for (const name of ['locked.zip', 'locked.7z']) {
    test(`opens with it (${name}), and the result has none`, async () => {
      const { path } = await convert(sevenZip, at(name), 'tar', { options: { password: 'geheim wort' } })
      assert.deepEqual(await archiveContents(path, 'tar'), { 'read me.txt': marker })
    })

    test(`says which of none and wrong it was (${name})`, async () => {
      const none = await refused('INVALID_INPUT', at(name))
      assert.deepEqual(none.details, { field: 'password', reason: 'password-needed' })
      const wrong = await refused('INVALID_INPUT', at(name), { options: { password: 'other' } })
      assert.deepEqual(wrong.details, { field: 'password', reason: 'wrong-password' })
    })
  }
})

test('a RAR with a password opens with it', {
  skip: existsSync(lockedRar) ? false : withoutRar,
}, async () => {
  const none = await refused('INVALID_INPUT', lockedRar)
  assert.deepEqual(none.details, { field: 'password', reason: 'password-needed' })
  const wrong = await refused('INVALID_INPUT', lockedRar, { options: { password: 'other' } })
  assert.deepEqual(wrong.details, { field: 'password', reason: 'wrong-password' })
  const { path } = await convert(sevenZip, lockedRar, 'tar', { options: { password: 'password' } })
  assert.deepEqual(Object.keys(await archiveContents(path, 'tar')), ['stest1.txt', 'stest2.txt'])
})

test('an archive without folders has the files of all of them, with a warning', async () => {
  const { path, warnings } = await convert(sevenZip, at('tree.zip'), 'ar')
  assert.deepEqual(warnings, ['FOLDERS_DROPPED'])
  assert.deepEqual(Object.values(await archiveContents(path, 'ar')).sort(), Object.values(files).sort())
})

describe('a hostile archive', { concurrency: 2 }, () => {
  for (const name of ['../up.txt', '/etc/abs.txt', 'a/../../up.txt', '..\\up.txt', 'C:\\up.txt']) {
    test(`with the name ${name} is refused`, async () => {
      const file = `${Buffer.from(name).toString('hex')}.tar`
      const path = python(
        file,
        `t = tarfile.open(out, 'w'); i = tarfile.TarInfo(${JSON.stringify(name)}); i.size = 2; t.addfile(i, io.BytesIO(b'hi')); t.close()`,
      )
      const { details } = await refused('INVALID_INPUT', path, { to: 'zip' })
      assert.equal(details?.reason, 'unsafe-name')
    })
  }

  test('loses its links and devices, with a warning, and keeps the rest', async () => {
    mkdirSync(at('linked'))
    symlinkSync('/etc/passwd', at('linked/link'))
    writeFileSync(at('linked/real'), marker)
    const kinds = ['zip', '7z', 'tar']
    for (const kind of kinds) {
      execFileSync('7zz', ['a', '-snl', `-t${kind}`, at(`linked.${kind}`), at('linked/*')], {
        stdio: 'ignore',
      })
    }
    const odd = python(
      'odd.tar',
      `t = tarfile.open(out, 'w')
for n, k, l in [('out', tarfile.LNKTYPE, '../../input-0.tar'), ('pipe', tarfile.FIFOTYPE, ''), ('disk', tarfile.BLKTYPE, ''), ('sym', tarfile.SYMTYPE, '..')]:
    i = tarfile.TarInfo(n); i.type = k; i.linkname = l; t.addfile(i)
i = tarfile.TarInfo('real'); i.size = ${marker.length}; t.addfile(i, io.BytesIO(${JSON.stringify(marker)}.encode())); t.close()`,
    )
    for (const path of [...kinds.map((kind) => at(`linked.${kind}`)), odd]) {
      const { path: result, warnings } = await convert(sevenZip, path, 'tgz')
      assert.deepEqual(await archiveContents(result, 'tgz'), { real: marker })
      assert.deepEqual(warnings, ['LINKS_DROPPED'])
    }
  })

  test('that is a bomb is refused, whether or not it says how large it is', async () => {
    const zip = python(
      'bomb.zip',
      `z = zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED); z.writestr('zeros', bytes(80_000_000)); z.close()`,
    )
    const bz2 = python('bomb.bz2', `import bz2; open(out, 'wb').write(bz2.compress(bytes(80_000_000)))`)
    const txz = python(
      'bomb.txz',
      `t = tarfile.open(out, 'w:xz', preset=0); i = tarfile.TarInfo('zeros'); i.size = 80_000_000; t.addfile(i, io.BytesIO(bytes(i.size))); t.close()`,
    )
    for (const path of [zip, bz2, txz]) await refused('FILE_TOO_LARGE', path)
  })

  test('of too many entries or too deep folders is refused', async () => {
    const many = python(
      'many.zip',
      `z = zipfile.ZipFile(out, 'w'); [z.writestr(str(n), '') for n in range(10_001)]; z.close()`,
    )
    await refused('FILE_TOO_LARGE', many)
    const deep = python(
      'deep.zip',
      `z = zipfile.ZipFile(out, 'w'); z.writestr('d/' * 40 + 'f', ''); z.close()`,
    )
    await refused('INVALID_INPUT', deep)
  })

  test('inside another stays closed', async () => {
    const nested = python(
      'nested.zip',
      `z = zipfile.ZipFile(out, 'w'); z.write(${JSON.stringify(at('tree.zip'))}, 'inner.zip'); z.close()`,
    )
    const { path } = await convert(sevenZip, nested, 'tar')
    assert.deepEqual(Object.keys(await archiveContents(path, 'tar')), ['inner.zip'])
  })

  test('that is empty or cut off is a coded error', async () => {
    await refused('INVALID_INPUT', python('empty.zip', `zipfile.ZipFile(out, 'w').close()`))
    for (const from of ['7z', 'txz', 'tgz'] as const) {
      const bytes = readFileSync(at(`tree.${from}`))
      writeFileSync(at(`cut.${from}`), bytes.subarray(0, bytes.length / 2))
      await refused('CORRUPT_FILE', at(`cut.${from}`), { from })
    }
  })
})

test('the format of an archive is told by its bytes, tape or not by its name', async () => {
  const detected = async (path: string, name: string) => {
    const bytes = readFileSync(path)
    const read = async (start: number, end: number) => bytes.subarray(start, end)
    return (await detectFormat({ filename: name, size: bytes.length, read })).format
  }
  for (const id of trees) assert.equal(await detected(at(`tree.${id}`), `x.${id}`), id)
  for (const id of ones) assert.equal(await detected(at(`one.${id}`), 'upload'), id)
  for (const id of ['7z', 'tar', 'cpio', 'iso'] as const)
    assert.equal(await detected(at(`tree.${id}`), 'upload'), id)
  if (existsSync(rar)) assert.equal(await detected(rar, 'upload'), 'rar')
  assert.equal(await detected(at('tree.tgz'), 'files.tar.gz'), 'tgz')
})

test('a program ends when the signal that it was given says so', async () => {
  const workDir = mkdtempSync(join(folder, 'work-'))
  const tools = createTools({ workDir, signal: new AbortController().signal, limits: sevenZip.limits })
  const stop = new AbortController()
  const running = tools.exec('sh', ['-c', 'echo started; sleep 60'], {
    signal: stop.signal,
    onLine: () => stop.abort(new Error('enough was unpacked')),
  })
  await assert.rejects(running, /enough was unpacked/)
})
