import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sleep } from '../transport.ts'
import { removeFile } from './json-files.ts'

/** Lock files that this process holds. */
const ownLockPaths = new Set<string>()

const pollMs = 250
/** A lock file that is still empty after this time was abandoned before its process id was written. */
const startTimeoutMs = 5000

/**
 * Runs `work` while holding a lock file with the id of this process. Takes over the lock of a process that was killed.
 * @param onWait called once with the id of the process that holds the lock
 */
export async function withFileLock<T>(
  path: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (pid: number) => void },
  work: () => Promise<T>,
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
    return await work()
  } finally {
    // The folder may not be writable; then there is no lock file to remove.
    await removeFile(path).catch(() => undefined)
    ownLockPaths.delete(path)
  }
}

/** Also succeeds if the lock file cannot be written: then no other process can write one either. */
async function tryLock(path: string): Promise<boolean> {
  if (ownLockPaths.has(path)) return false
  ownLockPaths.add(path)
  // If this fails, so does writing the file.
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

/** Returns the process id; undefined if that process has died, 0 if the lock is being written or was released. */
async function readHolder(path: string): Promise<number | undefined> {
  const pid = Number(await readFile(path, 'utf8').catch(() => ''))
  if (ownLockPaths.has(path)) return process.pid
  if (pid === 0) {
    const stats = await stat(path).catch(() => undefined)
    return stats && Date.now() - stats.mtimeMs > startTimeoutMs ? undefined : 0
  }
  // In containers, a restarted process often has the same id.
  if (pid === process.pid) return undefined
  try {
    process.kill(pid, 0)
    return pid
  } catch (thrown) {
    // EPERM: it runs, but belongs to another user.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM' ? pid : undefined
  }
}
