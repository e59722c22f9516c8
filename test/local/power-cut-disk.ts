// A disk that can lose its power: a separate file system in a file, mounted as a loop device.
import { execFileSync } from 'node:child_process'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { scratchFolder } from '../support/scratch-folder.ts'

export interface PowerCutDisk {
  readonly folder: string
  /** After this call, nothing reaches the disk, and data that is only in memory is lost. */
  cutPower(): void
  /** Mounts the disk again, with what reached it. Waits until no process has a file open on it. */
  restore(): Promise<void>
}

const diskBytes = 512 << 20
/**
 * EXT4_IOC_SHUTDOWN with NOLOGFLUSH, with which xfstests simulates power failures: atomic, even during an fsync. A copy
 * of the file would not be atomic and could lack earlier writes but contain later ones.
 */
const shutdownScript =
  '$flags = pack "L", 2; open F, "<", $ARGV[0] or die $!; ioctl F, 0x8004587d, $flags or die $!'

/** Creates a disk, or returns the reason why this machine cannot mount it. */
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
        // A killed process does not exit immediately.
        if (Date.now() > deadline) throw error
        await pause(20)
      }
    }
  }
  // Unmounts lazily, because some processes exit only after this.
  t.after(() => void run('umount', '--lazy', folder))
  return {
    folder,
    cutPower: () => void run('perl', '-e', shutdownScript, folder),
    async restore() {
      await unmount()
      mount()
    },
  }
}
