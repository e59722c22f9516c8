import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export type Turns = <T>(action: () => Promise<T>) => Promise<T>

/** Runs actions one after the other, in the order of the calls. */
export function turns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (action) => {
    const turn = last.then(action, action)
    last = turn
    return turn
  }
}

/** A link, pipe or socket among the results could make us read elsewhere or wait for ever. */
export async function removeOddFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const stats = await lstat(path)
    if (stats.isDirectory()) await removeOddFiles(path)
    else if (!stats.isFile()) await rm(path)
  }
}
