import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { qpdf, unreadablePdf } from '../qpdf.ts'
import { finish, invalid, type Tool } from './document.ts'
import type { ToolOptions } from './options.ts'

/** Each text stands twice in a PDF: in the dictionary of old and in XMP, which readers ask first. */
const tags = {
  title: ['PDF:Title', 'XMP-dc:Title'],
  author: ['PDF:Author', 'XMP-dc:Creator'],
  subject: ['PDF:Subject', 'XMP-dc:Description'],
  keywords: ['PDF:Keywords', 'XMP-pdf:Keywords'],
  creator: ['PDF:Creator', 'XMP-xmp:CreatorTool'],
  producer: ['PDF:Producer', 'XMP-pdf:Producer'],
} as const satisfies Partial<Record<keyof ToolOptions<'edit-pdf-metadata'>, readonly string[]>>

export const editMetadata: Tool<ToolOptions<'edit-pdf-metadata'>> = async (job) => {
  const { pdf, options, tools } = job
  const lines = options.removeMetadata ? ['-all='] : []
  for (const [name, places] of Object.entries(tags)) {
    // Object.entries forgets the names.
    const text = options[name as keyof typeof tags]
    if (text !== undefined) lines.push(...places.map((tag) => `-${tag}=${text}`))
  }
  if (lines.length === 0) throw invalid('title', 'expected at least one of title, author, subject, keywords.')
  const edited = join(tools.workDir, 'edited.pdf')
  const path = join(tools.workDir, 'described.pdf')
  await exiftool([...lines, '-o', edited, pdf.path], tools)
  // exiftool only appends, and what was there before could be read; written anew, it is gone.
  await qpdf({ inputFile: edited, objectStreams: 'generate', outputFile: path }, tools)
  return finish(job, path, { pages: pdf.sizes.length })
}

/** The arguments go by a file, a line for each: none of the user's text can be taken for another one. */
async function exiftool(args: readonly string[], tools: Tools): Promise<void> {
  const list = join(tools.workDir, 'metadata.args')
  await writeFile(list, `${['-charset', 'utf8', '-m', ...args].join('\n')}\n`)
  try {
    await tools.exec('exiftool', ['-@', list])
  } catch (error) {
    throw unreadablePdf(error)
  }
}
