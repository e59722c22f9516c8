import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import type { InputPlan } from '../model/job.ts'

const bytesPerMib = 1024 ** 2

/**
 * Returns the disk space in bytes that each worker of a container image has: the maximum that the engines of the image
 * require. The inputs of a task must fit on it.
 */
export const getWorkerDiskBytes = (image: string, engines: readonly Engine[]): number =>
  Math.max(0, ...engines.filter((engine) => image === engine.image).map(({ limits }) => limits.diskMb)) *
  bytesPerMib

/** Checks that the files of a step fit on the disk of its worker. @throws AppError FILE_TOO_LARGE if they do not. */
export function requireInputsFitWorker({ steps, step, files }: InputPlan, engines: readonly Engine[]): void {
  const nextStep = steps[step]
  if (!nextStep) return
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const subject = files.length === 1 ? `The file ${files[0]?.filename} has` : `The ${files.length} files have`
  requireWorkerDisk(nextStep.image, { size, subject, engines })
}

/**
 * Checks that files of this size fit on a worker's disk.
 * @throws AppError FILE_TOO_LARGE; `subject` starts its message (`The file a.pdf has`).
 */
export function requireWorkerDisk(
  image: string,
  { size, subject, engines }: { size: number; subject: string; engines: readonly Engine[] },
): void {
  const max = getWorkerDiskBytes(image, engines)
  if (size <= max) return
  throw new AppError(
    'FILE_TOO_LARGE',
    `${subject} ${Math.ceil(size / bytesPerMib)} MiB; this conversion accepts at most ${Math.floor(max / bytesPerMib)} MiB. Send a smaller file, or split it.`,
    { field: 'file', maxBytes: max, size },
  )
}
