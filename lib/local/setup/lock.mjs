import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const thisFile = fileURLToPath(import.meta.url)

/**
 * Runs `work` while no other setup of this checkout runs. It uses a kernel lock on an open file, so a killed setup
 * leaves no stale lock. `work` passes the descriptor to its child processes: npm may outlive a killed setup, and the
 * next setup then waits for npm to end.
 *
 * @template T
 * @param {(lockFd: number) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withSetupLock(work) {
  const fd = openSync(thisFile, 'r')
  const lock = (...options) =>
    spawnSync('flock', [...options, '3'], { stdio: ['ignore', 'ignore', 'inherit', fd] })
  try {
    // Without flock(1), which Debian always has, concurrent setups are not detected.
    if (lock('--nonblock').status === 1) {
      process.stdout.write('Waiting for another setup of this checkout to finish …\n')
      lock()
    }
    return await work(fd)
  } finally {
    closeSync(fd)
  }
}
