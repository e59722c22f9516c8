import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pause } from '../transport.ts'
import { removeFile } from './kept-json.ts'

/** Those of this process. */
const held = new Set<string>()

const lookMs = 250
/** Milliseconds in which whoever has made the file has also written into it. */
const beginMs = 5000

/**
 * One process at a time does what this file stands for; it is removed afterwards, and taken over from one that was killed.
 * @param onWait told once of the process that is at it
 */
export async function alone<T>(
  path: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (pid: number) => void },
  work: () => Promise<T>,
): Promise<T> {
  for (let isTold = false; !(await taken(path)); ) {
    const pid = await holderOf(path)
    if (pid === undefined) await removeFile(path)
    else {
      if (!isTold && pid > 0) onWait(pid)
      isTold ||= pid > 0
      await pause(lookMs, signal)
    }
  }
  try {
    return await work()
  } finally {
    // Where nothing can be kept there is nothing to remove.
    await removeFile(path).catch(() => undefined)
    held.delete(path)
  }
}

/** Also where nothing can be kept: then nobody else keeps anything there either. */
async function taken(path: string): Promise<boolean> {
  if (held.has(path)) return false
  held.add(path)
  // That the folder is none, or cannot be made, the next line finds as well.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(() => undefined)
  try {
    await writeFile(path, String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    const isTaken = (thrown as NodeJS.ErrnoException).code === 'EEXIST'
    if (isTaken) held.delete(path)
    return !isTaken
  }
}

/** Undefined when it has ended without removing it; 0 when it has just begun, or is done. */
async function holderOf(path: string): Promise<number | undefined> {
  const pid = Number(await readFile(path, 'utf8').catch(() => ''))
  if (held.has(path)) return process.pid
  if (pid === 0) {
    const found = await stat(path).catch(() => undefined)
    return found && Date.now() - found.mtimeMs > beginMs ? undefined : 0
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
