import { join } from 'node:path'
import type { EngineResult } from '../../engine.ts'
import { runExiftool } from '../../shared/metadata/exiftool.ts'
import { runQpdf, toPdfError } from '../qpdf.ts'
import { createInvalidOptionError, finishPdf, type PdfTool, type PdfToolJob } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'

/** A PDF stores each text twice: in the legacy information dictionary and in XMP, which readers prefer. */
const tags = {
  title: ['PDF:Title', 'XMP-dc:Title'],
  author: ['PDF:Author', 'XMP-dc:Creator'],
  subject: ['PDF:Subject', 'XMP-dc:Description'],
  keywords: ['PDF:Keywords', 'XMP-pdf:Keywords'],
  creator: ['PDF:Creator', 'XMP-xmp:CreatorTool'],
  producer: ['PDF:Producer', 'XMP-pdf:Producer'],
} as const satisfies Partial<Record<keyof ToolOptions<'edit-pdf-metadata'>, readonly string[]>>

export const editMetadata: PdfTool<ToolOptions<'edit-pdf-metadata'>> = async (job) => {
  const { options } = job
  const lines = options.removeMetadata ? ['-all='] : []
  for (const [name, places] of Object.entries(tags)) {
    // Object.entries loses the key type.
    const text = options[name as keyof typeof tags]
    if (text !== undefined) lines.push(...places.map((tag) => `-${tag}=${text}`))
  }
  if (lines.length === 0)
    throw createInvalidOptionError('title', 'expected at least one of title, author, subject, keywords.')
  return rewriteMetadata(job, lines)
}

/** Changes the metadata of a PDF with exiftool arguments. @throws AppError CORRUPT_FILE. */
export async function rewriteMetadata(
  job: PdfToolJob<unknown>,
  lines: readonly string[],
): Promise<EngineResult> {
  const { pdf, tools } = job
  const editedPath = join(tools.workDir, 'edited.pdf')
  const path = join(tools.workDir, 'described.pdf')
  try {
    await runExiftool([...lines, '-o', editedPath, pdf.path], tools)
  } catch (error) {
    throw toPdfError(error)
  }
  // exiftool only appends data, so the old values would remain readable; rewriting the file removes them.
  await runQpdf({ inputFile: editedPath, objectStreams: 'generate', outputFile: path }, tools)
  return finishPdf(job, path, { pages: pdf.sizes.length })
}
