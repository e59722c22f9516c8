import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { EngineCrash, ProcessFailure } from '../sandbox/exec.ts'

export interface BookJob {
  /** calibre chooses its reader by the extension of the path; the format is the one that the client sent. */
  readonly source: { readonly path: string; readonly format: FormatId }
  readonly target: string
  /** Of `ebook-convert`, beyond source and target. */
  readonly args: readonly string[]
  /** For sources that hold no title of their own, which would be called after our file. */
  readonly title?: string
  readonly onProgress?: (ratio: number) => void
}

/** @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, UNSUPPORTED_FORMAT (protected by its seller). */
export async function makeBook(job: BookJob, tools: Tools): Promise<void> {
  const folder = join(tools.workDir, 'calibre')
  await mkdir(folder, { recursive: true })
  const args = [...job.args]
  if (job.title !== undefined) args.push(`--read-metadata-from-opf=${await writeOpf(folder, job.title)}`)
  try {
    await tools.exec('ebook-convert', [job.source.path, job.target, ...args], {
      env: environment(folder),
      onLine: (line) => {
        const percent = /^(\d{1,3})% /.exec(line)?.[1]
        if (percent !== undefined) job.onProgress?.(Number(percent) / 100)
      },
    })
  } catch (error) {
    throw explained(error, job.source.format)
  }
}

/** The title that calibre finds in a document; undefined when it has none. */
export async function titleInside(path: string, tools: Tools): Promise<string | undefined> {
  const folder = join(tools.workDir, 'calibre')
  await mkdir(folder, { recursive: true })
  try {
    const { stdout } = await tools.exec('ebook-meta', [path], { env: environment(folder) })
    const title = /^Title\s*: (.*)$/m.exec(stdout)?.[1]?.trim()
    // A document without one is called after its file, which has a name of ours.
    return title === undefined || /^(?:input-\d+|unknown|)$/i.test(title) ? undefined : title
  } catch (error) {
    if (error instanceof ProcessFailure) return undefined
    throw error
  }
}

/** What the client called the file, without its extension. */
export function titleFromName(name: string): string {
  return (
    name
      .replace(/\.[^.]{1,10}$/, '')
      .trim()
      .slice(0, 200) || 'Untitled'
  )
}

/** Settings, caches and pieces stay in the work folder; no screen is looked for. */
function environment(folder: string): Record<string, string> {
  return {
    CALIBRE_CONFIG_DIRECTORY: folder,
    CALIBRE_CACHE_DIRECTORY: folder,
    CALIBRE_TEMP_DIR: folder,
    QT_QPA_PLATFORM: 'offscreen',
    // Its parallel workers look for sockets of their own otherwise.
    XDG_RUNTIME_DIR: folder,
  }
}

/** The client's words go into a file (Open Packaging Format 2.0), so that none becomes an argument. */
async function writeOpf(folder: string, title: string): Promise<string> {
  const path = join(folder, 'metadata.opf')
  const text = title.replaceAll(/[<>&"']|[^\P{C}\t]/gu, (letter) =>
    /[<>&"']/.test(letter) ? `&#${letter.charCodeAt(0)};` : ' ',
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

function explained(error: unknown, format: FormatId): unknown {
  if (!(error instanceof ProcessFailure)) {
    // It is Python: what ends it from outside is its memory, and a further attempt ends the same way.
    return error instanceof EngineCrash ? corrupt(format, error) : error
  }
  if (format === 'pdf' && /encrypted|password/i.test(error.stderr)) {
    const sentence = 'The PDF needs a password. Remove it by the tool decrypt-pdf first.'
    return new AppError('PDF_ENCRYPTED', sentence, { field: 'file' }, { cause: error })
  }
  if (/DRM/.test(error.stderr)) {
    const sentence =
      'The book is protected by its seller (DRM), so it cannot be converted. Send a copy without protection.'
    return new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', reason: 'drm' }, { cause: error })
  }
  return corrupt(format, error)
}

function corrupt(format: FormatId, cause: Error): AppError {
  const sentence = `The ${formatById(format).name} (${format}) could not be read: it is damaged, or no book of that kind.`
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', format }, { cause })
}
