import { join } from 'node:path'
import type { TaskFiles } from '../../aws/task-files.ts'
import type { InputFile } from '../../engines/engine.ts'
import type { StoredFile } from '../job.ts'
import { extensionOf, formatId } from './format-id.ts'

/** Files as they will be named in a work folder. */
export const inputsOf = (sources: readonly StoredFile[], workDir: string): InputFile[] =>
  sources.map(({ filename, size, ...source }, index) => {
    const format = formatId(source.format)
    return { path: join(workDir, `source-${index + 1}.${extensionOf(format)}`), filename, format, size }
  })

export async function fetchInputs(
  files: Pick<TaskFiles, 'getFile'>,
  sources: readonly StoredFile[],
  workDir: string,
  signal: AbortSignal,
): Promise<InputFile[]> {
  const inputs = inputsOf(sources, workDir)
  await Promise.all(
    inputs.map(({ path }, index) => files.getFile(sources[index] as StoredFile, path, signal)), // of the same length
  )
  return inputs
}
