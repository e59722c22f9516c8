import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import { defined } from '../../validation/defined.ts'
import type { Tools } from '../engine.ts'
import { createCorruptEbookError, toEbookError } from './ebook-error.ts'
import type { HostedEbookJob } from './host.ts'
import { createEbookArgs, type EbookOptions, findUnsupportedOptions } from './options.ts'

interface EbookJob {
  /** calibre chooses its reader by the path's extension; `format` is the format that the client sent. */
  readonly source: { readonly path: string; readonly format: FormatId }
  readonly target: string
  readonly to: FormatId
  /** Arguments of `ebook-convert` besides source, target and options. */
  readonly args: readonly string[]
  readonly options: EbookOptions
  /** Title of the ebook. Without it, calibre would name a book without a title after our temporary file. */
  readonly title?: EbookTitle | undefined
  readonly onProgress?: (ratio: number) => void
}

export interface EbookTitle {
  readonly text: string
  /** Whether the text is only used if the source has no title. */
  readonly isFallback: boolean
}

/**
 * Converts a file with calibre, which the `EngineHost` in the worker keeps running.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, UNSUPPORTED_FORMAT (DRM).
 */
export async function convertEbook(
  { source, target, args, options, to, title, onProgress }: EbookJob,
  tools: Tools,
): Promise<void> {
  let embeddedFontCount = 0
  const titleFile = title && {
    path: await writeOpf(tools.workDir, title.text),
    isFallback: title.isFallback,
  }
  const allArgs = [...args, ...createEbookArgs(options, to)]
  const job: HostedEbookJob = { source: source.path, target, args: allArgs, ...defined({ titleFile }) }
  const onLine = (notice: unknown) => {
    const line = z.string().parse(notice)
    const unsupportedCount = /^unsupported images: (\d+)$/.exec(line)?.[1]
    if (unsupportedCount !== undefined) warnAboutUnsupportedImages(Number(unsupportedCount), tools)
    if (line.startsWith('Embedding font ')) embeddedFontCount++
    const percent = /^(\d{1,3})% /.exec(line)?.[1]
    if (percent !== undefined) onProgress?.(Number(percent) / 100)
  }
  const hasResult = await tools.host(job, onLine).catch((error: unknown) => {
    throw toEbookError(error, source.format)
  })
  if (hasResult !== true)
    throw createCorruptEbookError(source.format, new Error('The result is not a regular file.'))
  warnAboutUnusedOptions(options, to, embeddedFontCount, tools)
}

function warnAboutUnusedOptions(
  options: EbookOptions,
  to: FormatId,
  embeddedFontCount: number,
  tools: Tools,
) {
  const unsupportedOptions = findUnsupportedOptions(options, to)
  for (const name of unsupportedOptions)
    tools.warn('OPTION_NOT_HELD', `${name} has no effect: ${to} files cannot store it.`)
  if (options.ebookEmbedFonts && embeddedFontCount === 0 && !unsupportedOptions.includes('ebookEmbedFonts'))
    tools.warn(
      'OPTION_NOT_HELD',
      'ebookEmbedFonts has no effect: the document uses no installed font that it does not contain already.',
    )
}

function warnAboutUnsupportedImages(count: number, tools: Tools): void {
  const subject = count === 1 ? 'An image is' : `${count} images are`
  tools.warn(
    'PICTURES_UNSHOWN',
    `${subject} in a format that few ebook readers display, such as EMF or WMF. Convert such images in the document to PNG or SVG first.`,
  )
}

/** Returns the client's file name without its extension, as a title. */
export function createTitle(name: string): string {
  return (
    name
      .replace(/\.[^.]{1,10}$/, '')
      .trim()
      .slice(0, 200) || 'Untitled'
  )
}

/** Writes the client's title to a file (Open Packaging Format 2.0), so that it is never parsed as an argument. */
async function writeOpf(folder: string, title: string): Promise<string> {
  const path = join(folder, 'metadata.opf')
  const text = title.replaceAll(/[<>&"']|[^\P{C}\t]/gu, (character) =>
    /[<>&"']/.test(character) ? `&#${character.charCodeAt(0)};` : ' ',
  )
  await writeFile(
    path,
    `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${text}</dc:title><dc:identifier id="id">mutabor</dc:identifier></metadata>
</package>`,
  )
  return path
}
