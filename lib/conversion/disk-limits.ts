import type { Engine, ImageId } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import type { InputPlan } from '../jobs/job.ts'

const mib = 1024 ** 2

/** Bytes that a worker of an image can hold: as much as its engines ask for. Its inputs lie there while it works. */
export const workerDiskBytes = (image: string, engines: readonly Engine[]): number =>
  Math.max(
    0,
    ...engines.filter((engine) => engine.image === (image as ImageId)).map(({ limits }) => limits.diskMb),
  ) * mib

/** @throws AppError FILE_TOO_LARGE for files that the worker of their next step cannot hold. */
export function requireInputsFitWorker({ steps, step, files }: InputPlan, engines: readonly Engine[]): void {
  const next = steps[step]
  if (!next) return
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const subject = files.length === 1 ? `The file ${files[0]?.filename} has` : `The ${files.length} files have`
  requireWorkerDisk(next.image, { size, what: subject, engines })
}

/** @throws AppError FILE_TOO_LARGE for so many bytes, as `what` (`The file a.pdf has`) tells of them. */
export function requireWorkerDisk(
  image: string,
  { size, what: subject, engines }: { size: number; what: string; engines: readonly Engine[] },
): void {
  const max = workerDiskBytes(image, engines)
  if (size <= max) return
  throw new AppError(
    'FILE_TOO_LARGE',
    `${subject} ${Math.ceil(size / mib)} MiB; a conversion of this kind can hold ${Math.floor(max / mib)} MiB. Send a smaller file, or parts of it.`,
    { field: 'file', maxBytes: max, size },
  )
}
