import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Engine } from './engine.ts'

const run = promisify(execFile)
const versions = new WeakMap<Engine, Promise<string>>()

/**
 * Returns the version that an engine reports, such as `5.1.9`. The result is cached. @throws if it is not installed.
 */
export function engineVersion(engine: Engine): Promise<string> {
  const version = versions.get(engine) ?? readVersion(engine)
  versions.set(engine, version)
  return version
}

async function readVersion({ version }: Engine): Promise<string> {
  if (typeof version === 'function') return version()
  const [bin, ...args] = version
  // Some programs, such as pdftoppm, print their version to stderr.
  const { stdout, stderr } = await run(bin, args, {
    timeout: 20_000,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp' },
  })
  // Also matches FontForge's version, which is a date.
  return /(?<!\d)\d{1,9}(?:\.\d{1,9}){1,5}|\b\d{8}\b/.exec(stdout + stderr)?.[0] ?? 'unknown'
}
