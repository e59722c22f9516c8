import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sleep } from '../transport.ts'
import { removeFile } from './json-files.ts'

/** Those of this process. */
const heldByThisProcess = new Set<string>()

const pollMs = 250
/** Milliseconds in which whoever has made the file has also written into it. */
const startTimeoutMs = 5000

/**
 * One process at a time does what this file stands for; it is removed afterwards, and taken over from one that was killed.
 * @param onWait told once of the process that is at it
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
    // Where nothing can be kept there is nothing to remove.
    await removeFile(path).catch(() => undefined)
    heldByThisProcess.delete(path)
  }
}

/** Also where nothing can be kept: then nobody else keeps anything there either. */
async function tryLock(path: string): Promise<boolean> {
  if (heldByThisProcess.has(path)) return false
  heldByThisProcess.add(path)
  // That the folder is none, or cannot be made, the next line finds as well.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(() => undefined)
  try {
    await writeFile(path, String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    const isTaken = (thrown as NodeJS.ErrnoException).code === 'EEXIST'
    if (isTaken) heldByThisProcess.delete(path)
    return !isTaken
  }
}

/** Undefined when it has ended without removing it; 0 when it has just begun, or is done. */
async function readHolder(path: string): Promise<number | undefined> {
  const pid = Number(await readFile(path, 'utf8').catch(() => ''))
  if (heldByThisProcess.has(path)) return process.pid
  if (pid === 0) {
    const found = await stat(path).catch(() => undefined)
    return found && Date.now() - found.mtimeMs > startTimeoutMs ? undefined : 0
  }
  // In containers the next one often has the same number.
  if (pid === process.pid) return undefined
  try {
    process.kill(pid, 0)
    return pid
  } catch (thrown) {
    // It is somebody else's, and lives.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM' ? pid : undefined
  }
}
