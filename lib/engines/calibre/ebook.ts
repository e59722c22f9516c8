import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FormatId } from '../../formats/index.ts'
import type { EngineLimits, Tools } from '../engine.ts'
import type { PrestartedProcess } from '../sandbox/command.ts'
import { sandboxLimits } from '../sandbox/exec.ts'
import { createPrestarter, type Prestarter } from '../sandbox/prestarted-process.ts'
import { moveOut } from '../sandbox/process-folder.ts'
import { pythonProgram, runPython } from '../sandbox/python.ts'
import { corruptEbookError, ebookError } from './ebook-error.ts'

interface EbookJob {
  /** calibre chooses its reader by the path's extension; `format` is the format that the client sent. */
  readonly source: { readonly path: string; readonly format: FormatId }
  readonly target: string
  /** Arguments of `ebook-convert` besides source and target. */
  readonly args: readonly string[]
  /** For sources without a title, which would otherwise be named after our temporary file. */
  readonly title?: EbookTitle | undefined
  readonly onProgress?: (ratio: number) => void
}

const program = 'document/ebook_convert.py'

export interface EbookTitle {
  readonly text: string
  /** Use the text only if the source has no title. */
  readonly isFallback: boolean
}

/** Prestarted calibre processes: loading calibre takes half of the time of a small ebook. */
export function createEbookConverters(baseDir: string, limits: EngineLimits): Prestarter {
  return createPrestarter({
    ...pythonProgram(program),
    baseDir,
    prefix: 'mutabor-book-',
    limits: sandboxLimits(limits),
    prepare: createEnvironment,
  })
}

/** @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, UNSUPPORTED_FORMAT (DRM). */
export async function convertEbook(job: EbookJob, tools: Tools, converters?: Prestarter): Promise<void> {
  const waitingProcess = await converters?.take()
  try {
    await runEbookConvert(job, waitingProcess, tools)
  } finally {
    await waitingProcess?.stop()
  }
}

async function runEbookConvert(
  job: EbookJob,
  waitingProcess: PrestartedProcess | undefined,
  tools: Tools,
): Promise<void> {
  const { source, title, args } = job
  const bringFile = async (path: string) => waitingProcess?.copyIn(path) ?? path
  const target = waitingProcess ? join(waitingProcess.folder, basename(job.target)) : job.target
  const env = waitingProcess ? {} : await createEnvironment(tools.workDir)
  const path = await bringFile(source.path)
  const options = [...args]
  if (title) {
    const opf = await bringFile(await writeOpf(tools.workDir, title.text))
    options.push(`--${title.isFallback ? 'opf-if-untitled' : 'read-metadata-from-opf'}=${opf}`)
  }
  try {
    await runPython(program, [path, target, ...options], tools, {
      env,
      prestarted: waitingProcess,
      onLine: (line) => {
        const unshownCount = /^unsupported images: (\d+)$/.exec(line)?.[1]
        if (unshownCount !== undefined) warnAboutUnshownImages(Number(unshownCount), tools)
        const percent = /^(\d{1,3})% /.exec(line)?.[1]
        if (percent !== undefined) job.onProgress?.(Number(percent) / 100)
      },
    })
  } catch (error) {
    throw ebookError(error, source.format)
  }
  if (!waitingProcess || (await moveOut(target, job.target))) return
  throw corruptEbookError(source.format, new Error('The result is not a regular file.'))
}

function warnAboutUnshownImages(count: number, tools: Tools): void {
  const subject = count === 1 ? 'An image is' : `${count} images are`
  tools.warn(
    'PICTURES_UNSHOWN',
    `${subject} in a format that few ebook readers display, such as EMF or WMF. Convert such images in the document to PNG or SVG first.`,
  )
}

/** Returns the client's file name without its extension. */
export function titleFromName(name: string): string {
  return (
    name
      .replace(/\.[^.]{1,10}$/, '')
      .trim()
      .slice(0, 200) || 'Untitled'
  )
}

/** Environment that keeps settings, caches and temporary files in the work folder, and needs no display. */
async function createEnvironment(workDir: string): Promise<Record<string, string>> {
  const folder = join(workDir, 'calibre')
  await mkdir(folder, { recursive: true })
  return {
    CALIBRE_CONFIG_DIRECTORY: folder,
    CALIBRE_CACHE_DIRECTORY: folder,
    CALIBRE_TEMP_DIR: folder,
    QT_QPA_PLATFORM: 'offscreen',
    // calibre's worker processes create sockets here.
    XDG_RUNTIME_DIR: folder,
  }
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
