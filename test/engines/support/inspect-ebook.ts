import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { FormatId } from '../../../lib/formats/index.ts'
import { python3 } from '../../support/python.ts'

const run = promisify(execFile)

/** Magic bytes of ebook formats that are neither archives nor readable as text. */
const magicBytes: Partial<Record<FormatId, string>> = { lit: 'ITOLITLS' }

/** Fails unless an ebook contains some text; for formats that only calibre reads, checks the magic bytes. */
export async function assertEbook(path: string, format: FormatId): Promise<void> {
  const bytes = await readFile(path)
  const formatMagic = magicBytes[format]
  if (formatMagic !== undefined) {
    assert.equal(bytes.toString('latin1', 0, formatMagic.length), formatMagic)
    return
  }
  const text = (await readEbookText(path)) ?? bytes.toString('utf8')
  if (format === 'epub') assert.match(text, /^application\/epub\+zip/)
  if (format === 'fb2') assert.match(text, /<FictionBook[\s\S]*<\/FictionBook>\s*$/)
  assert.ok(text.length > 20, `${format} has no text`)
}

/** Returns the text of an ebook with its tags, without calibre or pandoc; undefined for other formats. */
export async function readEbookText(path: string): Promise<string | undefined> {
  const bytes = await readFile(path)
  const databaseType = bytes.toString('latin1', 60, 68)
  if (databaseType === 'BOOKMOBI' || databaseType === 'TEXtREAd') return readPalmText(bytes)
  const start = bytes.toString('latin1', 0, 9)
  if (start === '!!8-Bit!!') return readPsionText(bytes)
  if (start.startsWith('PK\x03\x04')) return readZippedText(path)
  if (start.startsWith('\xb0\x0c\xb0\x0c') || start.startsWith('L\0R\0F\0') || start.startsWith('SNBP000B'))
    return readDecompressedText(path)
  return undefined
}

async function readZippedText(path: string): Promise<string> {
  const { stdout } = await run('bsdtar', ['-xOf', path], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

/** Reads a PalmDOC: its first record contains the number of text records, each of which is compressed separately. */
function readPalmText(bytes: Buffer): string {
  const offset = (index: number) => bytes.readUInt32BE(78 + 8 * index)
  const firstRecord = offset(0)
  const isPacked = bytes.readUInt16BE(firstRecord) === 2
  const count = bytes.readUInt16BE(firstRecord + 8)
  const records = Array.from({ length: count }, (_, index) =>
    bytes.subarray(offset(index + 1), index + 2 < bytes.readUInt16BE(76) ? offset(index + 2) : bytes.length),
  )
  return Buffer.concat(records.map((record) => (isPacked ? decompressPalmDoc(record) : record))).toString(
    'utf8',
  )
}

/** Decompresses a PalmDOC record (https://wiki.mobileread.com/wiki/PalmDOC#Format). */
function decompressPalmDoc(record: Buffer): Buffer {
  const output: number[] = []
  for (let at = 0; at < record.length; ) {
    const byte = record[at++] ?? 0
    if (byte >= 1 && byte <= 8) {
      output.push(...record.subarray(at, at + byte))
      at += byte
    } else if (byte < 0x80) {
      output.push(byte)
    } else if (byte >= 0xc0) {
      output.push(0x20, byte ^ 0x80)
    } else {
      const pair = ((byte << 8) | (record[at++] ?? 0)) & 0x3fff
      for (let left = (pair & 7) + 3; left > 0; left--) output.push(output[output.length - (pair >> 3)] ?? 0)
    }
  }
  return Buffer.from(output)
}

/** Reads a compressed Psion text: a table of 256 strings, followed by indexes into the table. */
function readPsionText(bytes: Buffer): string {
  let at = 9
  const table = Array.from({ length: 256 }, () => {
    const length = bytes[at] ?? 0
    const entry = bytes.subarray(at + 1, at + 1 + length)
    at += 1 + length
    return entry
  })
  return Buffer.concat([...bytes.subarray(at)].map((index) => table[index] ?? Buffer.alloc(0))).toString(
    'utf8',
  )
}

/** Decompresses every zlib and bzip2 stream of a file, and prints it as UTF-8 and as UTF-16 text. */
const script = `
import bz2, re, sys, zlib
data = open(sys.argv[1], 'rb').read()
for found in re.finditer(b'[\\x58\\x78][\\x00-\\xff]|BZh', data):
    unpacker = bz2.BZ2Decompressor() if found.group() == b'BZh' else zlib.decompressobj()
    try:
        piece = unpacker.decompress(data[found.start():])
    except (OSError, zlib.error):
        continue
    print(piece.decode('utf-8', 'replace'))
    print(piece.decode('utf-16-le', 'replace'))
`

async function readDecompressedText(path: string): Promise<string> {
  const { stdout } = await run(python3, ['-c', script, path], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
}
