import { createReadStream, createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TaskFiles } from '../../aws/task-files.ts'
import { listZippedPages } from '../../decoders/list-pages.ts'
import type { InputFile } from '../../engines/engine.ts'
import type { ZippedPage } from '../../engines/pdf/page-files.ts'
import type { StoredFile } from '../../model/job.ts'
import { expandListedFiles } from '../../plan/file-lists.ts'
import { defined } from '../../validation/defined.ts'
import { getExtension, requireFormatId } from './format-id.ts'

/** Returns files with their paths in a work folder; each member of a list is a separate file. */
export const toInputFiles = (sources: readonly StoredFile[], workDir: string): InputFile[] =>
  sources.flatMap(expandListedFiles).map(({ filename, size, traits, ...source }, index) => {
    const format = requireFormatId(source.format)
    return {
      path: join(workDir, `source-${index + 1}.${getExtension(format)}`),
      filename,
      format,
      size,
      ...defined({ traits }),
    }
  })

export async function fetchInputs(
  files: Pick<TaskFiles, 'getFile'>,
  sources: readonly StoredFile[],
  workDir: string,
  signal: AbortSignal,
): Promise<InputFile[]> {
  const inputs = toInputFiles(sources, workDir)
  let assignedCount = 0
  const fetchedInputs = await Promise.all(
    sources.map(async (source, index) => {
      const sourceInputs = inputs.slice(assignedCount, assignedCount + (source.members?.length ?? 1))
      assignedCount += sourceInputs.length
      if (source.members)
        return fetchMembers(files, source, {
          sourceInputs,
          path: join(workDir, `list-${index + 1}.zip`),
          signal,
        })
      await Promise.all(sourceInputs.map(({ path }) => files.getFile(source, path, signal)))
      return sourceInputs
    }),
  )
  return fetchedInputs.flat()
}

interface ListTarget {
  readonly sourceInputs: readonly InputFile[]
  /** Path at which to store the ZIP. */
  readonly path: string
  readonly signal: AbortSignal
}

async function fetchMembers(
  files: Pick<TaskFiles, 'getFile'>,
  source: StoredFile,
  { sourceInputs, path, signal }: ListTarget,
): Promise<InputFile[]> {
  const list = await fetchList(files, source, path, signal)
  const inputs: InputFile[] = []
  for (const [index, input] of sourceInputs.entries()) {
    const page = list.get(source.members?.[index] ?? '')
    inputs.push({ ...input, size: await extractPage(path, page, input.path) })
  }
  await rm(path)
  return inputs
}

/** Fetches the ZIP of a list. @returns its pages by name. */
export async function fetchList(
  files: Pick<TaskFiles, 'getFile'>,
  source: StoredFile,
  path: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ZippedPage>> {
  await files.getFile(source, path, signal)
  const pages = await listZippedPages(path)
  return new Map(pages?.map((page) => [page.name, page]))
}

/** Copies a page out of its ZIP. @returns its size in bytes. */
export async function extractPage(zip: string, page: ZippedPage | undefined, to: string): Promise<number> {
  if (!page) throw new Error('a list has lost one of its files')
  const { start, size } = page
  if (size === 0) await writeFile(to, '')
  else
    await pipeline(
      createReadStream(zip, { start, end: start + size - 1 }),
      createWriteStream(to, { flags: 'wx' }),
    )
  return size
}
