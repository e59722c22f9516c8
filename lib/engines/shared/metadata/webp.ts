import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { runExiftool } from './exiftool.ts'

/**
 * Writes metadata to a WebP. Debian 12's exiftool cannot write WebP, so webpmux extracts the EXIF and XMP parts, which
 * exiftool then edits.
 * @returns the path of the new image.
 * @throws ProcessFailure.
 */
export async function writeWebp(
  source: string,
  lines: readonly string[],
  strip: boolean,
  tools: Tools,
): Promise<string> {
  let currentPath = join(tools.workDir, 'plain.webp')
  await copyFile(source, currentPath)
  for (const kind of ['exif', 'xmp'] as const) {
    const oldChunkPath = await extractChunk(currentPath, kind, tools)
    const newChunkPath = await editChunk(oldChunkPath, kind, lines, strip, tools)
    if (!oldChunkPath && !newChunkPath) continue
    const nextPath = join(tools.workDir, `with-${kind}.webp`)
    const changeArgs = newChunkPath ? ['-set', kind, newChunkPath] : ['-strip', kind]
    await tools.exec('webpmux', [...changeArgs, currentPath, '-o', nextPath])
    currentPath = nextPath
  }
  return currentPath
}

async function extractChunk(
  webpPath: string,
  kind: 'exif' | 'xmp',
  tools: Tools,
): Promise<string | undefined> {
  const path = join(tools.workDir, `old.${kind}`)
  try {
    await tools.exec('webpmux', ['-get', kind, webpPath, '-o', path])
    return path
  } catch (error) {
    if (error instanceof ProcessFailure && error.stderr.includes('WEBP_MUX_NOT_FOUND')) return undefined
    throw error
  }
}

/** Returns the edited chunk; undefined if no metadata is left. */
async function editChunk(
  oldChunkPath: string | undefined,
  kind: 'exif' | 'xmp',
  lines: readonly string[],
  strip: boolean,
  tools: Tools,
): Promise<string | undefined> {
  const path = join(tools.workDir, `new.${kind}`)
  // Keeps the orientation when all other metadata is stripped.
  const orientationArgs =
    strip && oldChunkPath && kind === 'exif' ? ['-tagsFromFile', oldChunkPath, '-Orientation'] : []
  const source = oldChunkPath && !strip ? [oldChunkPath] : []
  if (orientationArgs.length + lines.length === 0) return source[0]
  try {
    await runExiftool([...orientationArgs, ...lines, '-o', path, ...source], tools)
  } catch (error) {
    // If there is nothing to write, exiftool creates no file and fails.
    const hasNoMetadata = error instanceof ProcessFailure && source.length === 0 && !existsSync(path)
    if (!hasNoMetadata) throw error
  }
  return existsSync(path) ? path : undefined
}
