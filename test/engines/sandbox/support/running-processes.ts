import { execFileSync } from 'node:child_process'
import { waitUntil } from '../../../support/wait-until.ts'

/** Returns the running processes whose command line contains the text. */
export function findProcesses(text: string): string[] {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text))
}

export async function waitUntilNoneRuns(text: string): Promise<void> {
  await waitUntil(() => findProcesses(text).length === 0, `no process of ${text}`, 2)
}
