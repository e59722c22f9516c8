import { lchown, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '../../config.ts'
import { AppError } from '../../errors.ts'
import type { SandboxedCommand, SandboxOptions } from './command.ts'
import { type Findings, intrude } from './escape-test.ts'
import { filterOf } from './seccomp-filter.ts'
import { launched, launcherProgram } from './launch-command.ts'
import { type Way, ways } from './launchers.ts'
import { type ConfinementLevel, reaches } from './confinement-levels.ts'
import { startOf } from './preloaded-libraries.ts'
import { launcherInside, rulesOfFiles, viewOfFiles } from './visible-files.ts'
import { ignoreGone } from './work-folder.ts'

/** How far engines are confined on this system. */
export interface Protection {
  readonly level: ConfinementLevel
  /** What keeps them, in one sentence for an operator. */
  readonly detail: string
}

/** Debian's own programs first: what an operator put into /usr/local is found, but shadows nothing. */
const path = '/usr/bin:/bin:/usr/local/bin'

/**
 * Debian's plain BLAS and LAPACK before all others: FFmpeg links them for a filter that nobody asks for, and where a
 * machine has OpenBLAS that would take a quarter of each start of FFmpeg.
 */
const libraries = ['blas', 'lapack'].map((name) => `/usr/lib/x86_64-linux-gnu/${name}`).join(':')

const maxDepth = 64

/** Which confinement this system allows, found once: an intruder of our own tries what holds it. */
export async function protection(): Promise<Protection> {
  const { way, level } = await foundWay()
  return { level, detail: way.detail }
}

interface Found {
  readonly way: Way
  readonly level: ConfinementLevel
}

let found: Promise<Found> | undefined

function foundWay(): Promise<Found> {
  found ??= findWay(ways, process.getuid?.() === 0)
  return found
}

/** The first that holds what it promises, or else the one that holds the most. */
export async function findWay(from: readonly Way[], asRoot: boolean): Promise<Found> {
  let best: Found | undefined
  for (const way of from) {
    if (way.needsRoot && !asRoot) continue
    const findings = await intrude(way, (...command) => commandFor(way, ...command))
    if (!findings.runs && way.launcher) continue
    const level = levelOf(findings)
    if (!best || (level !== best.level && reaches(level, best.level))) best = { way, level }
    if (reaches(level, way.level)) break
  }
  if (!best) throw new Error('There is no way to start an engine.')
  return best
}

/** What the intruder could not do names the level. */
export function levelOf(findings: Findings): ConfinementLevel {
  const held = (...things: readonly (keyof Findings)[]) => things.every((thing) => findings[thing])
  if (!held('runs', 'memory', 'file-size', 'processes', 'processor', 'core')) return 'none'
  if (!held('secrets', 'network', 'signals', 'kill')) return 'limits'
  return held('files', 'pid', 'net') ? 'namespaces' : 'filtered'
}

/** Why engines do not run, for an operator; undefined where they may. */
export function refusal(
  { level, detail }: Protection,
  wanted: ConfinementLevel = readConfig().MIN_CONFINEMENT,
): string | undefined {
  if (reaches(level, wanted)) return undefined
  const more =
    'Install bubblewrap, run as an ordinary user and let it have user namespaces (`sysctl user.max_user_namespaces`, `kernel.unprivileged_userns_clone=1`)'
  return `engines would be confined by ${detail}; that is "${level}", and MIN_CONFINEMENT asks for "${wanted}". ${more}, or accept what there is by MIN_CONFINEMENT=${level}`
}

/** @throws AppError SERVICE_UNAVAILABLE where engines could not be held as the settings want it. */
export async function requireConfinement(found?: Protection, wanted?: ConfinementLevel): Promise<void> {
  const reason = refusal(found ?? (await protection()), wanted)
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
export async function sandboxed(
  bin: string,
  args: readonly string[],
  options: SandboxOptions,
): Promise<SandboxedCommand> {
  await requireConfinement()
  const { way } = await foundWay()
  return commandFor(way, bin, args, options)
}

/** The same by a way that need not be the best one. */
export async function commandFor(
  way: Way,
  bin: string,
  args: readonly string[],
  options: SandboxOptions,
): Promise<SandboxedCommand> {
  const { workDir, uid = freshUid() } = options
  if (way.needsRoot) await own(workDir, uid, options.handOver === 'children' ? 1 : maxDepth)
  const env = {
    PATH: path,
    LANG: 'C.UTF-8',
    LD_LIBRARY_PATH: libraries,
    ...options.env,
    HOME: workDir,
    TMPDIR: workDir,
  }
  const [file = bin, ...rest] = [
    ...(await prefixOf(way, { ...options, uid })),
    ...(await startOf(bin)),
    ...args,
  ]
  return {
    file,
    args: rest,
    env,
    cwd: workDir,
    grant: async (path) => {
      if (way.needsRoot) await lchown(path, uid, uid)
    },
  }
}

/** What stands before a command. */
async function prefixOf(
  { walls, needsRoot, launcher, filter, landlock, processes }: Way,
  options: SandboxOptions & { uid: number },
): Promise<readonly string[]> {
  if (!launcher) return []
  const { workDir, uid, limits, readOnly = [], unixSockets, descriptors = 3 } = options
  const launch = {
    // A uid that nothing else on the system has: RLIMIT_NPROC counts by uid and is never held against root.
    uid: needsRoot ? uid : undefined,
    limits: { processes, ...limits },
    descriptors,
    filter: filter ? filterOf({ unixSockets, amongOthers: walls.length === 0 }) : undefined,
    files: landlock ? rulesOfFiles(workDir, readOnly, unixSockets) : undefined,
  }
  if (walls.length === 0) return launched({ ...launch, program: launcherProgram })
  return [
    ...walls,
    ...(await viewOfFiles(workDir, readOnly, launcherProgram)),
    '--',
    ...launched({ ...launch, program: launcherInside }),
  ]
}

/** From a range that neither Debian's accounts nor its subordinate ids use. */
export function freshUid(): number {
  return 2_000_000_000 + Math.floor(Math.random() * 100_000_000)
}

/** Links themselves change hands, never what they point to. */
async function own(path: string, uid: number, depth: number): Promise<void> {
  const stats = await lstat(path).catch(ignoreGone)
  if (!stats) return
  if (stats.uid !== uid) await lchown(path, uid, uid).catch(ignoreGone)
  if (!stats.isDirectory() || depth === 0) return
  for (const name of await readdir(path)) await own(join(path, name), uid, depth - 1)
}
