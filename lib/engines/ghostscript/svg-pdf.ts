import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { InputFile, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { warnAboutMissingFilesAt } from '../shared/image/svg-references.ts'
import { svgDefaults } from '../vips/svg-lengths.ts'

/**
 * Converts SVG to PDF, keeping shapes and text. librsvg loads no remote resources, only files next to the drawing, and
 * there are none.
 * @throws AppError CORRUPT_FILE.
 */
export async function svgToPdf(input: InputFile, outputPath: string, tools: Tools): Promise<void> {
  await warnAboutMissingFilesAt(input.path, tools)
  const stylesheetPath = join(tools.workDir, 'defaults.css')
  await writeFile(stylesheetPath, svgDefaults.svg.stylesheet)
  try {
    await tools.exec('rsvg-convert', [
      '--format=pdf',
      '--keep-aspect-ratio',
      `--stylesheet=${stylesheetPath}`,
      `--output=${outputPath}`,
      input.path,
    ])
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    const message = `The ${input.format} drawing is damaged or too large to render.`
    throw new AppError('CORRUPT_FILE', message, { field: 'file', format: input.format }, { cause: error })
  }
  await repairLinks(outputPath, tools)
}

/** Matches the scheme of a link that would run a script. */
const scriptSchemePattern = /(?<=\/URI \()(?:javascript|vbscript|data):/gi

/** Repairs a PDF with links: cairo lists an object that it does not write, so some readers call the file damaged. */
async function repairLinks(path: string, tools: Tools): Promise<void> {
  const pdf = await readFile(path)
  if (!pdf.includes('/Annots')) return
  const text = pdf.toString('latin1').replaceAll(scriptSchemePattern, (scheme) => 'x'.repeat(scheme.length))
  await writeFile(path, text, 'latin1')
  await tools.exec('qpdf', ['--deterministic-id', '--replace-input', path], { okCodes: [0, 3] })
}
