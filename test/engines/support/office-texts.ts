import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSummary } from '../../../lib/decoders/read-summary.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

export const folder = scratchFolder('unseen-words')

export const names = ['office', 'style', 'text', 'table', 'draw', 'svg-compatible', 'fo'].map((name) => {
  const longName = { fo: 'xsl-fo-compatible', draw: 'drawing' }[name] ?? name
  const prefix = name === 'svg-compatible' ? 'svg' : name
  return `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${longName}:1.0"`
})

export async function writeFlatDocument(name: string, kind: string, contentXml: string): Promise<string> {
  const path = join(folder, name)
  const mime = `office:mimetype="application/vnd.oasis.opendocument.${kind}" office:version="1.3"`
  await writeFile(
    path,
    `<?xml version="1.0"?><office:document ${names.join(' ')} ${mime}>${contentXml}</office:document>`,
  )
  return path
}

export const summarize = async (path: string, format: FormatId) => {
  const contentSummary = await readSummary(path, format, { isResult: false })
  return [
    contentSummary?.words?.total,
    contentSummary?.features.filter((feature) => feature === 'hiddenText').length,
  ]
}
