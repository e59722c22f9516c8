import { join } from 'node:path'
import type { TaskFiles } from '../../aws/task-files.ts'
import type { InputFile } from '../../engines/engine.ts'
import type { StoredFile } from '../../model/job.ts'
import { extensionForFormat, requireFormatId } from './format-id.ts'

/** Files with their paths in a work folder. */
export const inputFilesOf = (sources: readonly StoredFile[], workDir: string): InputFile[] =>
  sources.map(({ filename, size, ...source }, index) => {
    const format = requireFormatId(source.format)
    return {
      path: join(workDir, `source-${index + 1}.${extensionForFormat(format)}`),
      filename,
      format,
      size,
    }
  })

export async function fetchInputs(
  files: Pick<TaskFiles, 'getFile'>,
  sources: readonly StoredFile[],
  workDir: string,
  signal: AbortSignal,
): Promise<InputFile[]> {
  const inputs = inputFilesOf(sources, workDir)
  await Promise.all(
    inputs.map(({ path }, index) => files.getFile(sources[index] as StoredFile, path, signal)), // of the same length
  )
  return inputs
}
