import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FormatId } from '../index.ts'
import type { OpenedFile } from './source.ts'

/** What is true of a file beside its format, and decides who can make something of it. */
export const traits = ['browser-drawing'] as const
export type Trait = (typeof traits)[number]

/** Bytes of a drawing that are looked through. */
const mostBytes = 8 * 1024 * 1024

/**
 * What librsvg leaves out of a drawing or draws in another way, and a browser knows: of the SVG 1.1 and 2 and the CSS
 * that drawings come with.
 */
const beyondLibrsvg: readonly RegExp[] = [
  // Letters of a font that comes along.
  /@font-face\b/i,
  // Text of a web page, with its line breaks.
  /<(?:\w+:)?foreignObject\b/,
]

/** @throws nothing: what cannot be unpacked says so where it is drawn. */
export async function traitsOf(format: FormatId, file: OpenedFile): Promise<readonly Trait[]> {
  if (format !== 'svg' && format !== 'svgz') return []
  const text = await textOf(format, file)
  return beyondLibrsvg.some((mark) => mark.test(text)) ? ['browser-drawing'] : []
}

async function textOf(format: 'svg' | 'svgz', file: OpenedFile): Promise<string> {
  const bytes = Buffer.from(await file.read(0, Math.min(file.size, mostBytes)))
  if (format === 'svg') return bytes.toString('latin1')
  // Sync flush: the end may not be here, and need not be.
  const text = promisify(gunzip)(bytes, { finishFlush: 2, maxOutputLength: mostBytes })
  return text.then((unpacked) => unpacked.toString('latin1')).catch(() => '')
}
