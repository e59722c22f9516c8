import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findPidsWithEnvironment } from '../support/processes.ts'

/** Result of a test file; `name` is the first failed test, or the file that timed out. */
export type TestOutcome = { as: 'passed' } | { as: 'failed'; name: string } | { as: 'hung'; name: string }

const runningPids = new Set<number>()

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already exited.
  }
}

export function killTests(): void {
  for (const pid of runningPids) kill(-pid)
}

/** Runs one test file until its first failure and then kills all processes that it started. */
export async function runTests(root: string, file: string, limitMs: number): Promise<TestOutcome> {
  const scratch = mkdtempSync(join(tmpdir(), 'mutant-'))
  // All users can read the folder, as they can /tmp, because tests of the sandbox run as other users.
  chmodSync(scratch, 0o755)
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--test', '--test-reporter=tap', file],
    {
      cwd: root,
      // Otherwise, inside a test, Node would report the results to the parent test runner.
      env: { ...process.env, TMPDIR: scratch, NODE_TEST_CONTEXT: undefined },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    },
  )
  const { pid = 0 } = child
  runningPids.add(pid)
  let testOutcome: TestOutcome | undefined
  const end = (how: TestOutcome) => {
    testOutcome ??= how
    kill(-pid)
  }
  const timer = setTimeout(() => end({ as: 'hung', name: file }), limitMs)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const failureLine = /^\s*not ok \d+ - (.*)/.exec(line)
    if (failureLine) end({ as: 'failed', name: failureLine[1] ?? '' })
  })
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  kill(-pid)
  // Kills processes that a test started in other process groups, in order to kill them itself.
  for (const remainingPid of findPidsWithEnvironment(scratch)) kill(Number(remainingPid))
  runningPids.delete(pid)
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
  return testOutcome ?? (code === 0 ? { as: 'passed' } : { as: 'failed', name: `exit code ${code}` })
}
