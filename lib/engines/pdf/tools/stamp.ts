import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { createSvgDocument } from '../../shared/image/svg-layout.ts'
import type { PdfPageSize } from '../open-pdf.ts'
import { runQpdf, toPdfError } from '../qpdf.ts'
import { restoreContents, saveContents } from './artifacts.ts'
import type { EditablePdf } from './editable-pdf.ts'

/**
 * Draws the SVG content returned by `draw` over pages. Its coordinates are points from the top left corner. Pango lays
 * out the text, so that every script is shaped and finds a font, and the fonts are embedded in the PDF.
 */
export async function stampPages(
  { path, isTagged }: Pick<EditablePdf, 'path' | 'isTagged'>,
  draw: (size: PdfPageSize, page: number) => string,
  pages: readonly number[],
  tools: Tools,
): Promise<string> {
  const sizes = await readTrimSizes(path, tools)
  const sheetNumbersBySvg = new Map<string, number>()
  const sheetNumbers = pages.map((page) => {
    const size = sizes[page - 1] ?? { width: 612, height: 792 }
    const svg = createSvgDocument({ left: 0, top: 0, ...size }, 'pt', draw(size, page))
    const sheet = sheetNumbersBySvg.get(svg) ?? sheetNumbersBySvg.size + 1
    sheetNumbersBySvg.set(svg, sheet)
    return sheet
  })
  const sheetsPath = await drawSheets([...sheetNumbersBySvg.keys()], tools)
  tools.progress(0.6)
  const stampedPath = join(tools.workDir, 'stamped.pdf')
  const overlay = { file: sheetsPath, from: sheetNumbers.join(','), to: pages.join(',') }
  const inputFile = isTagged ? await saveContents(path, tools) : path
  await runQpdf({ inputFile, overlay, outputFile: stampedPath }, tools)
  return isTagged ? restoreContents(stampedPath, tools) : stampedPath
}

/** Returns the displayed sizes of the trim boxes, on which qpdf places overlays. */
async function readTrimSizes(path: string, tools: Tools): Promise<PdfPageSize[]> {
  const { stdout } = await tools.exec('pdfinfo', ['-box', '-f', '1', '-l', '1000000', path])
  const rotations = [...stdout.matchAll(/^Page\s+\d+ rot:\s+(\d+)/gm)]
  const boxes = [...stdout.matchAll(/^Page\s+\d+ TrimBox:\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)/gm)]
  return boxes.map((box, index) => {
    const [left = 0, bottom = 0, rightEdge = 0, top = 0] = box.slice(1).map(Number)
    const [width, height] = [Math.abs(rightEdge - left), Math.abs(top - bottom)]
    const isSideways = Number(rotations[index]?.[1] ?? 0) % 180 !== 0
    return isSideways ? { width: height, height: width } : { width, height }
  })
}

/** Maximum number of sheets per call, because each one is an argument. */
const maxSheetsPerCall = 200

async function drawSheets(svgs: readonly string[], tools: Tools): Promise<string> {
  const parts: string[] = []
  for (let at = 0; at < svgs.length; at += maxSheetsPerCall) {
    const files = svgs.slice(at, at + maxSheetsPerCall).map((svg, index) => {
      return { svg, file: join(tools.workDir, `sheet-${at + index}.svg`) }
    })
    for (const { svg, file } of files) await writeFile(file, svg)
    const partPath = join(tools.workDir, `sheets-${at}.pdf`)
    try {
      // Embedded images may exceed the limit for untrusted XML; these sheets were generated here.
      const rsvgArgs = ['--unlimited', '--format=pdf', `--output=${partPath}`]
      await tools.exec('rsvg-convert', [...rsvgArgs, ...files.map(({ file }) => file)])
    } catch (error) {
      throw toPdfError(error)
    }
    parts.push(partPath)
    tools.progress((0.5 * (at + files.length)) / svgs.length)
  }
  const [onlyPart] = parts
  if (onlyPart && parts.length === 1) return onlyPart
  const path = join(tools.workDir, 'sheets.pdf')
  const pages = parts.map((file) => ({ file, range: '1-z' }))
  await runQpdf({ empty: '', pages, outputFile: path }, tools)
  return path
}
