import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sleep } from '../transport.ts'
import { removeFile } from './json-files.ts'

/** Lock files that this process holds. */
const ownLockPaths = new Set<string>()

const pollMs = 250
/** If a lock file is still empty after this time, its process died before writing the process id. */
const startTimeoutMs = 5000

/**
 * Runs `work` while holding a lock file with the id of this process. Takes over the lock of a process that was killed.
 * @param onWait called once with the id of the process that holds the lock
 */
export async function withFileLock<T>(
  path: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (pid: number) => void },
  action: () => Promise<T>,
): Promise<T> {
  for (let isReported = false; !(await tryLock(path)); ) {
    const pid = await readHolder(path)
    if (pid === undefined) await removeFile(path)
    else {
      if (!isReported && pid > 0) onWait(pid)
      isReported ||= pid > 0
      await sleep(pollMs, signal)
    }
  }
  try {
    return await action()
  } finally {
    // If the folder is not writable, there is no lock file to remove.
    await removeFile(path).catch(() => undefined)
    ownLockPaths.delete(path)
  }
}

/**
 * Tries to create the lock file. Also succeeds if it cannot be written, because no other process can write it either.
 */
async function tryLock(path: string): Promise<boolean> {
  if (ownLockPaths.has(path)) return false
  ownLockPaths.add(path)
  // If creating the folder fails, writing the lock file fails too.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(() => undefined)
  try {
    await writeFile(path, String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    const isTaken = thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST'
    if (isTaken) ownLockPaths.delete(path)
    return !isTaken
  }
}

/**
 * Returns the process id in the lock file; undefined if that process has died, 0 if the file is being written or was
 * removed.
 */
async function readHolder(path: string): Promise<number | undefined> {
  const pid = Number(await readFile(path, 'utf8').catch(() => ''))
  if (ownLockPaths.has(path)) return process.pid
  if (pid === 0) {
    const stats = await stat(path).catch(() => undefined)
    return stats && Date.now() - stats.mtimeMs > startTimeoutMs ? undefined : 0
  }
  // The file is from an earlier process with the same id: in containers, a restarted process often gets the same id.
  if (pid === process.pid) return undefined
  try {
    process.kill(pid, 0)
    return pid
  } catch (thrown) {
    // EPERM means that the process runs, but belongs to another user.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM' ? pid : undefined
  }
}
