import { lchown, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '../../config.ts'
import { AppError } from '../../errors.ts'
import type { SandboxedCommand, SandboxOptions } from './command.ts'
import { type ConfinementLevel, meetsLevel } from './confinement-levels.ts'
import { type EscapeTestResult, runEscapeTest } from './escape-test.ts'
import { launchCommand, launcherProgram } from './launch-command.ts'
import { type Launcher, launchers } from './launchers.ts'
import { startCommand } from './preloaded-libraries.ts'
import { buildSeccompFilter } from './seccomp-filter.ts'
import { bindMountArgs, landlockRules, launcherPathInside } from './visible-files.ts'
import { ignoreMissing } from './work-folder.ts'

/** How far engines are confined on this system. */
export interface Confinement {
  readonly level: ConfinementLevel
  /** What keeps them, in one sentence for an operator. */
  readonly detail: string
}

/** Debian's own programs first: what an operator put into /usr/local is found, but shadows nothing. */
const searchPath = '/usr/bin:/bin:/usr/local/bin'

/**
 * Debian's plain BLAS and LAPACK before all others: FFmpeg links them for a filter that nobody asks for, and where a
 * machine has OpenBLAS that would take a quarter of each start of FFmpeg.
 */
const libraryPath = ['blas', 'lapack'].map((name) => `/usr/lib/x86_64-linux-gnu/${name}`).join(':')

const maxDepth = 64

/** Which confinement this system allows, found once: an intruder of our own tries what holds it. */
export async function confinement(): Promise<Confinement> {
  const { launcher: way, level } = await chosenLauncher()
  return { level, detail: way.detail }
}

interface ChosenLauncher {
  readonly launcher: Launcher
  readonly level: ConfinementLevel
}

let chosen: Promise<ChosenLauncher> | undefined

function chosenLauncher(): Promise<ChosenLauncher> {
  chosen ??= chooseLauncher(launchers, process.getuid?.() === 0)
  return chosen
}

/** The first that holds what it promises, or else the one that holds the most. */
export async function chooseLauncher(
  candidates: readonly Launcher[],
  asRoot: boolean,
): Promise<ChosenLauncher> {
  let best: ChosenLauncher | undefined
  for (const launcher of candidates) {
    if (launcher.needsRoot && !asRoot) continue
    const result = await runEscapeTest(launcher, (...command) => buildCommand(launcher, ...command))
    if (!result.runs && launcher.usesLaunchScript) continue
    const level = confinementLevel(result)
    if (!best || (level !== best.level && meetsLevel(level, best.level))) best = { launcher, level }
    if (meetsLevel(level, launcher.level)) break
  }
  if (!best) throw new Error('There is no way to start an engine.')
  return best
}

/** What the intruder could not do names the level. */
export function confinementLevel(result: EscapeTestResult): ConfinementLevel {
  const passed = (...checks: readonly (keyof EscapeTestResult)[]) => checks.every((check) => result[check])
  if (!passed('runs', 'memory', 'file-size', 'processes', 'processor', 'core')) return 'none'
  if (!passed('secrets', 'network', 'signals', 'kill')) return 'limits'
  return passed('files', 'pid', 'net') ? 'namespaces' : 'filtered'
}

/** Why engines do not run, for an operator; undefined where they may. */
export function confinementProblem(
  { level, detail }: Confinement,
  required: ConfinementLevel = readConfig().MIN_CONFINEMENT,
): string | undefined {
  if (meetsLevel(level, required)) return undefined
  const advice =
    'Install bubblewrap, run as an ordinary user and let it have user namespaces (`sysctl user.max_user_namespaces`, `kernel.unprivileged_userns_clone=1`)'
  return `engines would be confined by ${detail}; that is "${level}", and MIN_CONFINEMENT asks for "${required}". ${advice}, or accept what there is by MIN_CONFINEMENT=${level}`
}

/** @throws AppError SERVICE_UNAVAILABLE where engines could not be held as the settings want it. */
export async function requireConfinement(found?: Confinement, required?: ConfinementLevel): Promise<void> {
  const reason = confinementProblem(found ?? (await confinement()), required)
  if (reason === undefined) return
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    'Nothing is converted here: this system does not confine engines as its operator wants it. GET /health says more.',
    undefined,
    { cause: new Error(reason) },
  )
}

/**
 * The command that runs `bin` confined, for callers that keep the process (`exec.ts` is for one-off ones).
 * Spawn it with `detached: true` and end it by SIGKILL to the process group: that ends all it started.
 */
export async function sandboxCommand(
  bin: string,
  args: readonly string[],
  options: SandboxOptions,
): Promise<SandboxedCommand> {
  await requireConfinement()
  const { launcher: way } = await chosenLauncher()
  return buildCommand(way, bin, args, options)
}

/** The same by a way that need not be the best one. */
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
    ...(await launchPrefix(launcher, { ...options, uid })),
    ...(await startCommand(bin)),
    ...args,
  ]
  return {
    file,
    args: rest,
    env,
    cwd: workDir,
    grant: async (path) => {
      if (launcher.needsRoot) await lchown(path, uid, uid)
    },
  }
}

/** What stands before a command. */
async function launchPrefix(
  { namespaceArgs, needsRoot, usesLaunchScript, filtersSyscalls, usesLandlock, maxProcesses }: Launcher,
  options: SandboxOptions & { uid: number },
): Promise<readonly string[]> {
  if (!usesLaunchScript) return []
  const { workDir, uid, limits, readOnly = [], unixSockets, closeFdsFrom = 3 } = options
  const launch = {
    // A uid that nothing else on the system has: RLIMIT_NPROC counts by uid and is never held against root.
    uid: needsRoot ? uid : undefined,
    limits: { processes: maxProcesses, ...limits },
    closeFdsFrom,
    filter: filtersSyscalls
      ? buildSeccompFilter({ unixSockets, sharesPidNamespace: namespaceArgs.length === 0 })
      : undefined,
    files: usesLandlock ? landlockRules(workDir, readOnly, unixSockets) : undefined,
  }
  if (namespaceArgs.length === 0) return launchCommand({ ...launch, program: launcherProgram })
  return [
    ...namespaceArgs,
    ...(await bindMountArgs(workDir, readOnly, launcherProgram)),
    '--',
    ...launchCommand({ ...launch, program: launcherPathInside }),
  ]
}

/** From a range that neither Debian's accounts nor its subordinate ids use. */
export function randomUid(): number {
  return 2_000_000_000 + Math.floor(Math.random() * 100_000_000)
}

/** Links themselves change hands, never what they point to. */
async function chownTree(path: string, uid: number, depth: number): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing)
  if (!stats) return
  if (stats.uid !== uid) await lchown(path, uid, uid).catch(ignoreMissing)
  if (!stats.isDirectory() || depth === 0) return
  for (const name of await readdir(path)) await chownTree(join(path, name), uid, depth - 1)
}
