import { statfs } from 'node:fs/promises'
import type { Config } from './config.ts'
import { AppError } from './errors.ts'

/** Bytes that are free for us where files are kept. */
export async function freeBytes(config: Pick<Config, 'WORK_DIR'>): Promise<number> {
  const { bavail, bsize } = await statfs(config.WORK_DIR)
  return bavail * bsize
}

/** @throws AppError INSUFFICIENT_DISK_SPACE below the threshold. */
export async function requireDiskSpace(config: Pick<Config, 'WORK_DIR' | 'MIN_FREE_DISK_GB'>): Promise<void> {
  const free = await freeBytes(config)
  if (free >= config.MIN_FREE_DISK_GB * 1e9) return
  throw new AppError(
    'INSUFFICIENT_DISK_SPACE',
    'The service is short of disk space and takes no new files now. Try again later.',
  )
}
