import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Tools } from '../../engine.ts'
import { runQpdf } from '../qpdf.ts'
import { isPdfRef, PdfObjects, type PdfRef } from '../tools/objects.ts'
import { fixTextLayer } from './text-layer.ts'

/** qpdf's JSON for streams, with data in Base64 (qpdf manual, "qpdf JSON"). */
const QpdfStreams = z.object({
  qpdf: z.tuple([
    z.looseObject({ maxobjectid: z.int() }),
    z.record(
      z.string(),
      z.object({ stream: z.object({ dict: z.record(z.string(), z.unknown()), data: z.string() }) }),
    ),
  ]),
})

/** OCRmyPDF names the text layer of each page with this prefix and a random suffix. */
const layerNamePattern = /^\/OCR-/

/**
 * Fixes the recognized text of some pages in place; leaves a file that needs no fix untouched.
 * @param pages counted from 1.
 * @throws AppError CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function fixTextLayers(path: string, pages: readonly number[], tools: Tools): Promise<void> {
  const layers = await findTextLayers(path, pages, tools)
  if (layers.length === 0) return
  const jsonPath = join(tools.workDir, 'layers.json')
  const fixedPath = join(tools.workDir, 'straightened.pdf')
  try {
    const streamDataOptions = { jsonStreamData: 'inline', decodeLevel: 'generalized' }
    const jsonObject = layers.map((ref) => ref.split(' ').slice(0, 2).join(','))
    await runQpdf(
      {
        inputFile: path,
        jsonOutput: '2',
        jsonKey: ['qpdf'],
        jsonObject,
        ...streamDataOptions,
        outputFile: jsonPath,
      },
      tools,
    )
    const update = buildUpdate(QpdfStreams.parse(JSON.parse(await readFile(jsonPath, 'utf8'))))
    if (update === undefined) return
    await writeFile(jsonPath, JSON.stringify(update))
    await runQpdf(
      { inputFile: path, updateFromJson: jsonPath, objectStreams: 'generate', outputFile: fixedPath },
      tools,
    )
    await rename(fixedPath, path)
  } finally {
    await rm(jsonPath, { force: true })
  }
}

async function findTextLayers(path: string, pages: readonly number[], tools: Tools): Promise<PdfRef[]> {
  const objects = await PdfObjects.load(path, tools)
  return objects.pages().flatMap((page, index) => {
    if (!pages.includes(index + 1)) return []
    const forms = objects.dict(objects.dict(page.readInherited('/Resources'))?.['/XObject']) ?? {}
    return Object.entries(forms).flatMap(([name, form]) =>
      layerNamePattern.test(name) && isPdfRef(form) && objects.isStream(form) ? [form] : [],
    )
  })
}

function buildUpdate({ qpdf: [{ maxobjectid }, streams] }: z.infer<typeof QpdfStreams>) {
  const changedStreams = Object.entries(streams).flatMap(([key, { stream }]) => {
    const layer = fixTextLayer(Buffer.from(stream.data, 'base64').toString('latin1'))
    if (layer === undefined) return []
    // qpdf compresses the stream again, so the old filter is dropped.
    const { '/Filter': _filter, '/Length': _length, ...dict } = stream.dict
    return [[key, { stream: { dict, data: Buffer.from(layer, 'latin1').toString('base64') } }] as const]
  })
  if (changedStreams.length === 0) return undefined
  return { qpdf: [{ jsonversion: 2, pdfversion: '1.7', maxobjectid }, Object.fromEntries(changedStreams)] }
}
