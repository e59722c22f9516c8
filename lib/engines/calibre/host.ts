import { mkdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import * as z from 'zod'
import { defined } from '../../validation/defined.ts'
import type { EngineHost, EngineLimits, HostedStep } from '../engine.ts'
import type { PrestartedProcess } from '../sandbox/command.ts'
import { toSandboxLimits } from '../sandbox/exec.ts'
import { createPrestarter, type Prestarter } from '../sandbox/prestarted-process.ts'
import { moveOut } from '../sandbox/process-folder.ts'
import { locatePythonProgram, runPython } from '../sandbox/python.ts'

const program = 'document/ebook_convert.py'

const HostedEbookJob = z.strictObject({
  source: z.string(),
  target: z.string(),
  /** Arguments of `ebook-convert` besides source, target and title. */
  args: z.array(z.string()),
  /** An Open Packaging Format file with the title. */
  titleFile: z.strictObject({ path: z.string(), isFallback: z.boolean() }).optional(),
})
/** An ebook to convert in a prestarted process. `target` is directly in the work folder, not in a subfolder. */
export type HostedEbookJob = z.infer<typeof HostedEbookJob>

/** Keeps calibre processes prestarted: loading calibre takes half of the time of a small ebook. */
export function createEbookConverters(baseDir: string, limits: EngineLimits): Prestarter {
  return createPrestarter({
    ...locatePythonProgram(program),
    baseDir,
    prefix: 'mutabor-book-',
    limits: toSandboxLimits(limits),
    prepare: createEnvironment,
  })
}

/** Converts ebooks, passes on each line that calibre prints, and replies whether there is a result. */
export const createEbookHost = (converters?: Prestarter): EngineHost => ({
  serve: (step) => ({
    answer: async (request, notify) => {
      const job = HostedEbookJob.parse(request)
      const waitingProcess = await converters?.take()
      if (!waitingProcess) {
        const env = await createEnvironment(step.tools.workDir)
        await runPython(program, buildArguments(job), step.tools, { env, onLine: notify })
        return true
      }
      try {
        return await runInProcess(waitingProcess, job, step, notify)
      } finally {
        await waitingProcess.stop()
      }
    },
  }),
})

async function runInProcess(
  waitingProcess: PrestartedProcess,
  job: HostedEbookJob,
  { tools, take, give, createPath }: HostedStep,
  notify: (line: string) => void,
): Promise<boolean> {
  const copy = async (path: string) => waitingProcess.copyIn(await take(path))
  const target = join(waitingProcess.folder, basename(job.target))
  const { titleFile } = job
  const copiedJob = {
    ...job,
    source: await copy(job.source),
    target,
    ...defined({ titleFile: titleFile && { ...titleFile, path: await copy(titleFile.path) } }),
  }
  await runPython(program, buildArguments(copiedJob), tools, { prestarted: waitingProcess, onLine: notify })
  const result = createPath(extname(job.target))
  if (!(await moveOut(target, result))) return false
  await give(result, job.target)
  return true
}

function buildArguments({ source, target, args, titleFile }: HostedEbookJob): string[] {
  const title = titleFile
    ? [`--${titleFile.isFallback ? 'opf-if-untitled' : 'read-metadata-from-opf'}=${titleFile.path}`]
    : []
  return [source, target, ...args, ...title]
}

/** Returns variables that keep settings, caches and temporary files in the work folder, and that require no display. */
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
