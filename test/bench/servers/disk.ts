import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const mebibyte = Buffer.alloc(1 << 20, 'mutabor ')

export interface Disk {
  readonly writeMibPerS: number
  /** Small consecutive writes, each synced to disk. */
  readonly commitsPerS: number
}

/** Measures the disk of a folder: one large file with fdatasync, then many small ones. */
export async function measureDisk(dir: string, mib: number): Promise<Disk> {
  const file = await open(join(dir, 'disk'), 'w')
  try {
    const start = performance.now()
    for (let at = 0; at < mib; at++) await file.write(mebibyte)
    await file.datasync()
    const writeMibPerS = mib / ((performance.now() - start) / 1000)
    const commitCount = 300
    const commitsStart = performance.now()
    for (let at = 0; at < commitCount; at++) {
      await file.write(mebibyte, 0, 4096)
      await file.datasync()
    }
    return {
      writeMibPerS: writeMibPerS,
      commitsPerS: commitCount / ((performance.now() - commitsStart) / 1000),
    }
  } finally {
    await file.close()
  }
}

/** Returns the speed in MiB/s of MD5, which is computed for every upload. */
export function measureMd5(mib: number): number {
  const hash = createHash('md5')
  const start = performance.now()
  for (let at = 0; at < mib; at++) hash.update(mebibyte)
  hash.digest()
  return mib / ((performance.now() - start) / 1000)
}
