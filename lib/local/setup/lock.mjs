import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const thisFile = fileURLToPath(import.meta.url)

/**
 * Runs `work` while no other set-up of this checkout does. The lock is the kernel's, on an open file, so that
 * nothing stale is left by a set-up that was killed. `work` gets the descriptor to hand to its children: npm
 * may outlive a killed set-up, and the next one then waits for it.
 *
 * @template T
 * @param {(lockFd: number) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function alone(work) {
  const fd = openSync(thisFile, 'r')
  const lock = (...options) =>
    spawnSync('flock', [...options, '3'], { stdio: ['ignore', 'ignore', 'inherit', fd] })
  try {
    // Where there is no flock(1), which Debian always has, two set-ups at once are not told apart.
    if (lock('--nonblock').status === 1) {
      process.stdout.write('Waiting for another set-up of this checkout to finish …\n')
      lock()
    }
    return await work(fd)
  } finally {
    closeSync(fd)
  }
}
