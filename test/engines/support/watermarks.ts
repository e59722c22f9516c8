import assert from 'node:assert/strict'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Engine } from '../../../lib/engines/engine.ts'
import { formatByExtension } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert, type RunSettings } from './run-engine.ts'

const folder = scratchFolder('watermark')

export const getPath = (name: string) => join(folder, name)

export const gray = { width: 300, height: 200, channels: 3, background: '#808080' } as const

export const paper = getPath('paper.png')

export const stamp = getPath('stamp.png')

await sharp({ create: gray }).png().toFile(paper)

const half = { width: 25, height: 40, channels: 4 } as const

await sharp({ create: { ...half, width: 50, background: '#00000000' } })
  .composite([{ input: { create: { ...half, background: '#ff0000' } }, left: 0, top: 0 }])
  .png()
  .toFile(stamp)

export function mark(
  engine: Engine,
  source: string,
  options: NonNullable<RunSettings['options']>,
  moreInputs: readonly string[] = [],
) {
  const to = formatByExtension(source)?.id
  assert.ok(to)
  return convert(engine, source, to, { operation: 'watermark', options, more: moreInputs })
}
