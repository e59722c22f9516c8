import { lchownSync } from 'node:fs'
import { lchown, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConfinementLevel } from '../../component-ids.ts'
import { readConfig } from '../../config.ts'
import { AppError } from '../../errors.ts'
import type { SandboxedCommand, SandboxOptions } from './command.ts'
import { meetsLevel } from './confinement-levels.ts'
import { type EscapeTestResult, runEscapeTest } from './escape-test.ts'
import { buildLaunchCommand, launcherProgram } from './launch-command.ts'
import { type Launcher, launchers } from './launchers.ts'
import { buildStartCommand } from './preloaded-libraries.ts'
import { buildSeccompFilter } from './seccomp-filter.ts'
import { buildBindMountArgs, buildLandlockRules, launcherPathInside } from './visible-files.ts'
import { ignoreMissing } from './work-folder.ts'

/** How engines are confined on this system. */
export interface Confinement {
  readonly level: ConfinementLevel
  /** The mechanisms in use, for operators. */
  readonly detail: string
}

/** Debian's own programs come first, so that programs in /usr/local are found but cannot shadow them. */
const searchPath = '/usr/bin:/bin:/usr/local/bin'

/**
 * Debian's plain BLAS and LAPACK come first. FFmpeg links them for a filter that is never used, and loading OpenBLAS
 * instead takes a quarter of FFmpeg's start time.
 */
const libraryPath = ['blas', 'lapack'].map((name) => `/usr/lib/x86_64-linux-gnu/${name}`).join(':')

const maxDepth = 64

/** Returns the confinement that this system allows. It is determined once, by running the escape test. */
export async function getConfinement(): Promise<Confinement> {
  const { launcher, level } = await getLauncher()
  return { level, detail: launcher.detail }
}

interface ChosenLauncher {
  readonly launcher: Launcher
  readonly level: ConfinementLevel
}

let launcherPromise: Promise<ChosenLauncher> | undefined

function getLauncher(): Promise<ChosenLauncher> {
  launcherPromise ??= chooseLauncher(launchers, process.getuid?.() === 0)
  return launcherPromise
}

/** Returns the first launcher that reaches its promised level, or else the one that reaches the highest level. */
export async function chooseLauncher(
  candidates: readonly Launcher[],
  canUseRoot: boolean,
): Promise<ChosenLauncher> {
  let bestLauncher: ChosenLauncher | undefined
  for (const launcher of candidates) {
    if (launcher.needsRoot && !canUseRoot) continue
    const result = await runEscapeTest(launcher, (...command) => buildCommand(launcher, ...command))
    if (!result.runs && launcher.usesLaunchScript) continue
    const level = toConfinementLevel(result)
    if (!bestLauncher || (level !== bestLauncher.level && meetsLevel(level, bestLauncher.level)))
      bestLauncher = { launcher, level }
    if (meetsLevel(level, launcher.level)) break
  }
  if (!bestLauncher) throw new Error('No launcher can start an engine.')
  return bestLauncher
}

/** Returns the level of confinement that the results of the escape test prove. */
export function toConfinementLevel(result: EscapeTestResult): ConfinementLevel {
  const allPassed = (...checks: readonly (keyof EscapeTestResult)[]) => checks.every((check) => result[check])
  if (!allPassed('runs', 'memory', 'file-size', 'processes', 'processor', 'core')) return 'none'
  if (!allPassed('secrets', 'network', 'signals', 'kill')) return 'limits'
  return allPassed('files', 'pid', 'net') ? 'namespaces' : 'filtered'
}

/** Explains to operators why engines are disabled. Returns undefined if the confinement is sufficient. */
export function describeConfinementProblem(
  { level, detail }: Confinement,
  required: ConfinementLevel = readConfig().MIN_CONFINEMENT,
): string | undefined {
  if (meetsLevel(level, required)) return undefined
  const advice =
    'Install bubblewrap, run the service as an ordinary user and enable user namespaces (`sysctl user.max_user_namespaces`, `kernel.unprivileged_userns_clone=1`)'
  return `engines would be confined by ${detail}; that is "${level}", and MIN_CONFINEMENT asks for "${required}". ${advice}, or accept this level with MIN_CONFINEMENT=${level}`
}

/** Checks that this system reaches the level required by MIN_CONFINEMENT. @throws AppError SERVICE_UNAVAILABLE. */
export async function requireConfinement(
  foundConfinement?: Confinement,
  required?: ConfinementLevel,
): Promise<void> {
  const reason = describeConfinementProblem(foundConfinement ?? (await getConfinement()), required)
  if (reason === undefined) return
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    'Conversions are disabled: the sandbox does not meet MIN_CONFINEMENT. GET /health has the details.',
    undefined,
    { cause: new Error(reason) },
  )
}

/**
 * Returns the command that runs `bin` confined, for callers that manage the process themselves (see `exec.ts` for
 * one-off programs). Spawn it with `detached: true` and send SIGKILL to its process group to stop all its processes.
 */
export async function createSandboxCommand(
  bin: string,
  args: readonly string[],
  options: SandboxOptions,
): Promise<SandboxedCommand> {
  await requireConfinement()
  const { launcher } = await getLauncher()
  return buildCommand(launcher, bin, args, options)
}

/**
 * Like `createSandboxCommand`, for programs of the service itself. Also works where the confinement does not reach
 * MIN_CONFINEMENT, because even weak confinement keeps the program from the credentials of the service.
 */
export async function confineIfPossible(
  bin: string,
  args: readonly string[],
  options: SandboxOptions,
): Promise<SandboxedCommand> {
  const { launcher } = await getLauncher()
  return buildCommand(launcher, bin, args, options)
}

/** Returns the command that runs `bin` with the given launcher. */
export async function buildCommand(
  launcher: Launcher,
  bin: string,
  args: readonly string[],
  options: SandboxOptions,
): Promise<SandboxedCommand> {
  const { workDir, uid = randomUid() } = options
  if (launcher.needsRoot) await chownTree(workDir, uid, options.chownScope === 'children' ? 1 : maxDepth)
  const env = {
    PATH: searchPath,
    LANG: 'C.UTF-8',
    LD_LIBRARY_PATH: libraryPath,
    ...options.env,
    HOME: workDir,
    TMPDIR: workDir,
  }
  const [file = bin, ...rest] = [
    ...(await buildLaunchPrefix(launcher, { ...options, uid })),
    ...(await buildStartCommand(bin)),
    ...args,
  ]
  return {
    file,
    args: rest,
    env,
    cwd: workDir,
    grant: async (path) => {
      // The synchronous function takes less time than waiting for another thread.
      if (launcher.needsRoot) lchownSync(path, uid, uid)
    },
  }
}

/** Returns the arguments that precede a confined command. */
async function buildLaunchPrefix(
  { namespaceArgs, needsRoot, usesLaunchScript, filtersSyscalls, usesLandlock, maxProcesses }: Launcher,
  options: SandboxOptions & { uid: number },
): Promise<readonly string[]> {
  if (!usesLaunchScript) return []
  const { workDir, uid, limits, readOnly = [], unixSockets, closeFdsFrom = 3 } = options
  const launch = {
    // A uid without other processes, because RLIMIT_NPROC counts processes by uid and does not apply to root.
    uid: needsRoot ? uid : undefined,
    limits: { processes: maxProcesses, ...limits },
    closeFdsFrom,
    filter: filtersSyscalls
      ? buildSeccompFilter({ unixSockets, sharesPidNamespace: namespaceArgs.length === 0 })
      : undefined,
    files: usesLandlock ? buildLandlockRules(workDir, readOnly, unixSockets) : undefined,
  }
  if (namespaceArgs.length === 0) return buildLaunchCommand({ ...launch, program: launcherProgram })
  return [
    ...namespaceArgs,
    ...(await buildBindMountArgs(workDir, readOnly, launcherProgram)),
    '--',
    ...buildLaunchCommand({ ...launch, program: launcherPathInside }),
  ]
}

/** Returns a uid from a range that Debian uses neither for accounts nor for subordinate ids. */
export function randomUid(): number {
  return 2_000_000_000 + Math.floor(Math.random() * 100_000_000)
}

/** Changes the owner of a tree. Symbolic links themselves are changed, never their targets. */
async function chownTree(path: string, uid: number, depth: number): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing)
  if (!stats) return
  if (stats.uid !== uid) await lchown(path, uid, uid).catch(ignoreMissing)
  if (!stats.isDirectory() || depth === 0) return
  for (const name of await readdir(path)) await chownTree(join(path, name), uid, depth - 1)
}
