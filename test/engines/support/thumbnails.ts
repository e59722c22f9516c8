import assert from 'node:assert/strict'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Engine } from '../../../lib/engines/engine.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readImageSize, type Size } from './inspect-result.ts'
import { convert, type RunSettings } from './run-engine.ts'

const folder = scratchFolder('thumbnail')

export const getPath = (name: string) => join(folder, name)

export type Target = 'png' | 'jpg' | 'webp'

export const thumbnail = (
  engine: Engine,
  source: string,
  to: Target,
  options: NonNullable<RunSettings['options']> = {},
) => convert(engine, source, to, { operation: 'thumbnail', options })

export async function readSize(
  engine: Engine,
  source: string,
  options?: RunSettings['options'],
  to: Target = 'png',
): Promise<Size> {
  const { path, progress } = await thumbnail(engine, source, to, options)
  assert.equal(progress.at(-1), 1)
  return readImageSize(path, to)
}

/** Red, green and blue beside each other. */
export const bands = getPath('bands.png')

const createBand = (background: string, left: number) => ({
  input: { create: { width: 100, height: 100, channels: 3, background } } as const,
  left,
  top: 0,
})

await sharp({ create: { width: 300, height: 100, channels: 3, background: '#000' } })
  .composite([createBand('#ff0000', 0), createBand('#00ff00', 100), createBand('#0000ff', 200)])
  .png()
  .toFile(bands)
