// A disk that loses its power: a file system of its own, in a file that is mounted as a loop device.
import { execFileSync } from 'node:child_process'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { scratchFolder } from '../scratch-folder.ts'

export interface PowerCutDisk {
  readonly folder: string
  /** From now on nothing gets to the disk, and what is only in memory will be lost. */
  cutPower(): void
  /** Mounts what got there, once nobody has a file of it open. */
  restore(): Promise<void>
}

const diskBytes = 512 << 20
/**
 * EXT4_IOC_SHUTDOWN with NOLOGFLUSH, as xfstests cuts the power: at one moment, also in the middle of an fsync. A copy
 * of the file would be made of many moments, and could lack what was written before something that it has.
 */
const shutdown =
  '$flags = pack "L", 2; open F, "<", $ARGV[0] or die $!; ioctl F, 0x8004587d, $flags or die $!'

/** Says why where this machine cannot mount one. */
export function createPowerCutDisk(t: TestContext): PowerCutDisk | string {
  const dir = scratchFolder('mutabor-power')
  const image = join(dir, 'disk')
  const folder = join(dir, 'mounted')
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, diskBytes)
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 30_000 })
  const mount = () => run('mount', '-o', 'loop', image, folder)
  try {
    run('mkfs.ext4', '-q', '-F', image)
    mount()
  } catch (error) {
    return `No ext4 in a file can be mounted here: ${String(error)}`
  }
  const unmount = async () => {
    const deadline = Date.now() + 20_000
    for (;;) {
      try {
        run('umount', folder)
        return
      } catch (error) {
        // A process that was killed is not gone at once.
        if (Date.now() > deadline) throw error
        await pause(20)
      }
    }
  }
  // Also from under processes that end only after this.
  t.after(() => void run('umount', '--lazy', folder))
  return {
    folder,
    cutPower: () => void run('perl', '-e', shutdown, folder),
    async restore() {
      await unmount()
      mount()
    },
  }
}
