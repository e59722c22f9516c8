import { createReadStream, createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TaskFiles } from '../../aws/task-files.ts'
import { listPagesOf } from '../../decoders/list-pages.ts'
import type { InputFile } from '../../engines/engine.ts'
import type { ZippedPage } from '../../engines/pdf/page-files.ts'
import type { StoredFile } from '../../model/job.ts'
import { listedFiles } from '../../plan/file-lists.ts'
import { defined } from '../../validation/defined.ts'
import { extensionForFormat, requireFormatId } from './format-id.ts'

/** Files with their paths in a work folder; the members of a list are files of their own. */
export const inputFilesOf = (sources: readonly StoredFile[], workDir: string): InputFile[] =>
  sources.flatMap(listedFiles).map(({ filename, size, traits, ...source }, index) => {
    const format = requireFormatId(source.format)
    return {
      path: join(workDir, `source-${index + 1}.${extensionForFormat(format)}`),
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
  const inputs = inputFilesOf(sources, workDir)
  let taken = 0
  const fetched = await Promise.all(
    sources.map(async (source, index) => {
      const own = inputs.slice(taken, taken + (source.members?.length ?? 1))
      taken += own.length
      if (source.members)
        return fetchMembers(files, source, { own, path: join(workDir, `list-${index + 1}.zip`), signal })
      await Promise.all(own.map(({ path }) => files.getFile(source, path, signal)))
      return own
    }),
  )
  return fetched.flat()
}

interface ListTarget {
  readonly own: readonly InputFile[]
  /** For the ZIP. */
  readonly path: string
  readonly signal: AbortSignal
}

async function fetchMembers(
  files: Pick<TaskFiles, 'getFile'>,
  source: StoredFile,
  { own, path, signal }: ListTarget,
): Promise<InputFile[]> {
  const list = await fetchList(files, source, path, signal)
  const inputs: InputFile[] = []
  for (const [index, input] of own.entries()) {
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
  const pages = await listPagesOf(path)
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
