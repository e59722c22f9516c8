import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TaskFiles } from '../../aws/task-files.ts'
import { listZippedPages } from '../../decoders/list-pages.ts'
import type { EngineResult, OutputFile, Shortfall } from '../../engines/engine.ts'
import { manifestName, type ZippedPage } from '../../engines/pdf/page-files.ts'
import { zipPages } from '../../engines/pdf/pages-zip.ts'
import type { FormatId } from '../../formats/index.ts'
import { combineFidelities } from '../../model/fidelity.ts'
import type { StoredFile } from '../../model/job.ts'
import { withExtension, withSuffix } from '../../names/file-name.ts'
import { UniqueNames } from '../../names/unique-names.ts'
import { expandListedFiles } from '../../plan/file-lists.ts'
import { deduplicateWarnings } from '../job-state-machine.ts'
import { extractPage, fetchList, toInputFiles } from './fetch-inputs.ts'
import { getExtension } from './format-id.ts'
import { runSteps, type StepsResult, type StepsRun, waitForUpload } from './run-steps.ts'

interface ListRun extends Omit<StepsRun, 'inputs' | 'chunk' | 'results' | 'sourceContent'> {
  readonly files: Pick<TaskFiles, 'getFile'>
}

/** Runs the steps for each member of a list, one after another; the results form a list again. */
export async function runList(run: ListRun, list: StoredFile): Promise<StepsResult> {
  const { files, workDir, signal, onOutput } = run
  const zip = join(workDir, 'list.zip')
  const pages = await fetchList(files, list, zip, signal)
  const members = expandListedFiles(list)
  const results = new ResultFolder(join(workDir, 'results'))
  await mkdir(results.path)
  const runs: StepsResult[] = []
  for (const [index, member] of members.entries()) {
    const folder = join(workDir, `member-${index + 1}`)
    await mkdir(folder)
    const page = pages.get(member.filename)
    const [input] = toInputFiles([member], folder)
    if (!page || !input) throw new Error('a list has lost one of its files')
    const size = await extractPage(zip, page, input.path)
    const { onOutput: _, ...memberRun } = run
    const result = await runSteps({
      ...memberRun,
      workDir: folder,
      inputs: [{ ...input, size }],
      progress: (percent, stage) => run.progress((index * 100 + percent) / members.length, stage),
    })
    for (const file of result.result.files) await results.add(file, page, result.format)
    await rm(folder, { recursive: true })
    runs.push(result)
  }
  await rm(zip)
  const lastRun = runs.at(-1)
  if (!lastRun) throw new Error('a list without members')
  const output = {
    ...lastRun,
    result: { ...summarize(runs), files: [await results.pack(workDir, lastRun.format)] as const },
    warnings: deduplicateWarnings(runs.flatMap(({ warnings }) => warnings)),
    fidelity: combineFidelities(runs.map(({ fidelity }) => fidelity)),
  }
  if (onOutput) await waitForUpload(onOutput(output))
  return output
}

/** Summarizes the results of the members for the whole list. */
function summarize(runs: readonly StepsResult[]): Omit<EngineResult, 'files'> {
  const methods = new Set(runs.map(({ result }) => result.method))
  const [method] = methods
  const shortfall = runs
    .flatMap((stepsResult): Shortfall[] =>
      stepsResult.result.shortfall ? [stepsResult.result.shortfall] : [],
    )
    .toSorted((a, b) => a.kept - b.kept)[0]
  return {
    ...(method && methods.size === 1 && { method }),
    ...(shortfall && { shortfall }),
  }
}

/** Collects results under the names of their members. */
class ResultFolder {
  readonly path: string
  readonly #names = new UniqueNames([manifestName])
  readonly #pages: { page: number; path: string }[] = []

  constructor(path: string) {
    this.path = path
  }

  /** Adds a result of a member. If the result is itself a list, its members are added. */
  async add(
    file: OutputFile,
    { name, page }: Pick<ZippedPage, 'name' | 'page'>,
    to: FormatId,
  ): Promise<void> {
    const pages = file.format === 'zip' ? await listZippedPages(file.path) : undefined
    if (pages) {
      const stem = withExtension(name, '').slice(0, -1)
      for (const one of pages)
        await extractPage(file.path, one, this.#getNextName(`${stem}-${one.name}`, page))
      return
    }
    const extension = getExtension(file.format ?? to)
    await rename(file.path, this.#getNextName(withExtension(withSuffix(name, file.suffix), extension), page))
  }

  #getNextName(name: string, page: number): string {
    const path = join(this.path, this.#names.createUniqueName(name))
    this.#pages.push({ page, path })
    return path
  }

  async pack(outDir: string, format: FormatId): Promise<OutputFile> {
    const path = await zipPages(outDir, this.#pages, { format })
    await rm(this.path, { recursive: true })
    return { path, format: 'zip' }
  }
}

interface JoinRun {
  readonly files: Pick<TaskFiles, 'getFile'>
  readonly workDir: string
  readonly signal: AbortSignal
}

/** Joins lists that were split by format: packs all files into one ZIP, in page order. @returns the path of the ZIP. */
export async function joinLists(
  lists: readonly StoredFile[],
  { files, workDir, signal }: JoinRun,
): Promise<string> {
  await mkdir(workDir)
  const folder = join(workDir, 'results')
  await mkdir(folder)
  const names = new UniqueNames([manifestName])
  const pages: { page: number; path: string }[] = []
  for (const [index, list] of lists.entries()) {
    const zip = join(workDir, `list-${index + 1}.zip`)
    for (const page of (await fetchList(files, list, zip, signal)).values()) {
      const path = join(folder, names.createUniqueName(page.name))
      await extractPage(zip, page, path)
      pages.push({ page: page.page, path })
    }
    await rm(zip)
  }
  const sortedPages = pages.toSorted((a, b) => a.page - b.page || (a.path < b.path ? -1 : 1))
  const path = await zipPages(workDir, sortedPages, {})
  await rm(folder, { recursive: true })
  return path
}
