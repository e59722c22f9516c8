import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FormatId } from '../../../lib/formats/index.ts'
import { python3 } from '../../support/python.ts'

const run = promisify(execFile)

/** Returns the number of characters in a font according to Fontconfig, or of glyphs if the format is text or UFO. */
export async function countCharacters(path: string, format: FormatId): Promise<number> {
  switch (format) {
    case 'svg-font':
      return count(await readFile(path, 'utf8'), /<glyph[\s>]/g)
    case 'sfd':
      return count(await readFile(path, 'latin1'), /^StartChar: /gm)
    case 'ufo': {
      const { stdout } = await run(python3, ['-m', 'zipfile', '-l', path])
      return count(stdout, /glyphs\/\S+\.glif/g)
    }
    case 'eot':
      return countInEot(path)
    default:
      return queryCharacters(path)
  }
}

/** Counts the characters of the font at the end of an EOT, whose header contains the length of the font. */
async function countInEot(path: string): Promise<number> {
  const bytes = await readFile(path)
  assert.equal(bytes.readUInt32LE(0), bytes.length)
  const folder = await mkdtemp(join(tmpdir(), 'eot-'))
  try {
    const barePath = join(folder, 'bare.ttf')
    await writeFile(barePath, bytes.subarray(bytes.length - bytes.readUInt32LE(4)))
    return await queryCharacters(barePath)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function queryCharacters(path: string): Promise<number> {
  const { stdout } = await run('fc-query', ['--index', '0', '--format', '%{charset}', path])
  return stdout
    .trim()
    .split(/\s+/)
    .map((range) => range.split('-').map((end) => Number.parseInt(end, 16)))
    .reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0)
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
