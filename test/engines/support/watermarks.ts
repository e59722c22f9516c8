import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Engine } from '../../../lib/engines/engine.ts'
import { formatByExtension } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert, type RunSettings } from './run-engine.ts'

export const folder = scratchFolder('watermark')

export const pathOf = (name: string) => join(folder, name)

export const gray = { width: 300, height: 200, channels: 3, background: '#808080' } as const

export const paper = pathOf('paper.png')

export const stamp = pathOf('stamp.png')

export function mark(
  engine: Engine,
  source: string,
  options: NonNullable<RunSettings['options']>,
  more: readonly string[] = [],
) {
  const to = formatByExtension(source)?.id
  assert.ok(to)
  return convert(engine, source, to, { operation: 'watermark', options, more })
}
