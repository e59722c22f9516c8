import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { exiftool } from './exiftool.ts'

/**
 * The exiftool of Debian 12 does not write WebP, but the files that webpmux takes out of one and puts back.
 * @returns the path of the new picture.
 * @throws ProcessFailure.
 */
export async function writeWebp(
  source: string,
  lines: readonly string[],
  strip: boolean,
  tools: Tools,
): Promise<string> {
  let current = join(tools.workDir, 'plain.webp')
  await copyFile(source, current)
  for (const kind of ['exif', 'xmp'] as const) {
    const old = await taken(current, kind, tools)
    const fresh = await renewed(old, kind, lines, strip, tools)
    if (!old && !fresh) continue
    const next = join(tools.workDir, `with-${kind}.webp`)
    const change = fresh ? ['-set', kind, fresh] : ['-strip', kind]
    await tools.exec('webpmux', [...change, current, '-o', next])
    current = next
  }
  return current
}

async function taken(webp: string, kind: 'exif' | 'xmp', tools: Tools): Promise<string | undefined> {
  const path = join(tools.workDir, `old.${kind}`)
  try {
    await tools.exec('webpmux', ['-get', kind, webp, '-o', path])
    return path
  } catch (error) {
    if (error instanceof ProcessFailure && error.stderr.includes('WEBP_MUX_NOT_FOUND')) return undefined
    throw error
  }
}

/** Undefined where nothing is left to say. */
async function renewed(
  old: string | undefined,
  kind: 'exif' | 'xmp',
  lines: readonly string[],
  strip: boolean,
  tools: Tools,
): Promise<string | undefined> {
  const path = join(tools.workDir, `new.${kind}`)
  // Whichever way the picture lies, it stays so.
  const kept = strip && old && kind === 'exif' ? ['-tagsFromFile', old, '-Orientation'] : []
  const source = old && !strip ? [old] : []
  if (kept.length + lines.length === 0) return source[0]
  try {
    await exiftool([...kept, ...lines, '-o', path, ...source], tools)
  } catch (error) {
    // Of nothing it makes no file, and says that it failed.
    const isNothing = error instanceof ProcessFailure && source.length === 0 && !existsSync(path)
    if (!isNothing) throw error
  }
  return existsSync(path) ? path : undefined
}
