import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { getRunner } from './durations.ts'
import type { Selection } from './select.ts'

/** Arguments of npm. */
export type Command = readonly string[]

/** Maximum total of the recorded durations of the selected conversions, in seconds; two of them run at a time. */
export const maxConformanceSeconds = 200
export const maxSweepFiles = 60
/** Number of faults put into an area. */
export const mutantsPerArea = 20

export const runScript = (script: string, ...args: readonly string[]): Command => [
  ...['run', script],
  ...(args.length > 0 ? ['--', ...args] : []),
]

/** Returns one command for each runner, with the files that it runs. */
export const createSlowCommands = (files: readonly string[]): Command[] =>
  [...Map.groupBy(files, getRunner)].map(([{ script }, some]) => runScript(script, ...some))

/** Returns the commands that build an image and test it. */
export const createImageCommands = (images: readonly string[]): Command[] =>
  images.length > 0 ? [runScript('images', ...images), runScript('images:test')] : []

/** Returns the commands that run the selected checks. */
export const createCommands = ({ slow, areas, engines, sweep, image }: Selection): Command[] => [
  ...createSlowCommands(slow),
  ...(areas.length > 0 ? [runScript('mutate', ...areas, '--count', `${mutantsPerArea}`)] : []),
  ...(engines.length > 0
    ? [
        runScript(
          'conformance',
          '--engine',
          engines.join(),
          '--again',
          '--seconds',
          `${maxConformanceSeconds}`,
        ),
      ]
    : []),
  ...(sweep.length > 0 ? [runScript('sweep', '--area', sweep.join(), '--count', `${maxSweepFiles}`)] : []),
  ...createImageCommands(image ? [image] : []),
]

/**
 * Whether processes can get their own mounts and network, which containers need. Not every test machine allows that.
 */
const canCreateNamespaces = () => spawnSync('unshare', ['--mount', '--net', 'true']).status === 0

/** The usual 1,000 kills of random processes take longer than a test file may. */
const env = { KILLS: '100', MANY_JOBS: '600', ...process.env }

/** Runs all commands, whether or not one fails, and prints their results. Returns the exit code. */
export async function runCommands(commands: readonly Command[]): Promise<number> {
  const results: string[] = []
  let exitCode = 0
  for (const command of commands) {
    const text = `npm ${command.join(' ')}`
    if (command[1]?.startsWith('images') && !canCreateNamespaces()) {
      results.push(`skipped, because this machine gives no namespaces: ${text}`)
      continue
    }
    console.log(`\n${text}`)
    const startedAt = performance.now()
    const [code] = await once(spawn('npm', command, { stdio: 'inherit', env }), 'exit')
    if (code !== 0) exitCode = 1
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    results.push(`${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s: ${text}`)
  }
  console.log(`\n${results.join('\n')}`)
  return exitCode
}
