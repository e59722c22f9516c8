// A disk of a few megabytes in memory, which tests can fill.
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { scratchFolder } from './scratch-folder.ts'

export interface SmallDisk {
  readonly folder: string
  /** Fills the disk to the last byte. */
  fill(): void
  emptyDisk(): void
}

/** Mounts a small disk; returns the reason if this machine cannot. */
export function makeSmallDisk(t: Pick<TestContext, 'after'>, megabytes: number): SmallDisk | string {
  const folder = join(scratchFolder('mutabor-disk'), 'mounted')
  mkdirSync(folder)
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 30_000 })
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder)
  } catch (error) {
    return `No disk in memory can be mounted here: ${String(error)}`
  }
  t.after(() => void run('umount', '--lazy', folder))
  const fillerPath = join(folder, 'filler')
  return {
    folder,
    fill() {
      const file = openSync(fillerPath, 'a')
      try {
        for (let piece = Buffer.alloc(1024 ** 2); piece.length > 0; ) {
          try {
            writeSync(file, piece)
          } catch {
            piece = piece.subarray(0, Math.floor(piece.length / 2))
          }
        }
      } finally {
        closeSync(file)
      }
    },
    emptyDisk: () => rmSync(fillerPath, { force: true }),
  }
}
