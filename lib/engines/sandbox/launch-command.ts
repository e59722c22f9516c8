import { fileURLToPath } from 'node:url'
import { keysOf } from '../../validation/keys-of.ts'
import type { SandboxLimits } from './command.ts'

const perl = '/usr/bin/perl'

/** The launch script; its own comments describe its steps and their order. */
export const launcherProgram = fileURLToPath(new URL('../../../layers/sandbox/launch.pl', import.meta.url))

interface Launch {
  /** Path of the launch script, as seen by the process that starts it. */
  readonly program: string
  /** User to switch to. The user does not change if omitted. */
  readonly uid?: number | undefined
  readonly limits: SandboxLimits
  /** File descriptors from this number on are closed. */
  readonly closeFdsFrom: number
  /** Result of `buildSeccompFilter`. */
  readonly filter?: string | undefined
  /** Landlock rules: all other files are inaccessible. */
  readonly files?: readonly FileRule[] | undefined
}

/** Landlock access rights (a bit mask) for everything below a path. */
export type FileRule = readonly [rights: number, path: string]

/** Flags from linux/landlock.h. The launch script removes those that the kernel does not support. */
const [execute, writeFile, readFile, readFolder, removeFile, makeSocket, truncate] = [
  ...[1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 5, 1 << 9, 1 << 14],
] as const
const allRights = 0xffff

export const fileRights = {
  read: readFile | readFolder,
  run: readFile | readFolder | execute,
  writeDevice: readFile | writeFile | truncate,
  writeFolder: allRights & ~execute,
  bindSockets: makeSocket | removeFile,
} as const

/** Resource numbers from asm-generic/resource.h. */
const resources = { cpuS: 0, fileBytes: 1, dataBytes: 2, processes: 6, memoryBytes: 9 } as const
const coreSizeResource = 4

export function buildLaunchCommand({
  program,
  uid,
  limits,
  closeFdsFrom: descriptors,
  filter,
  files,
}: Launch): string[] {
  const resourceNames = keysOf(resources)
  return [
    ...[perl, program, `fds=${descriptors}`, `limit=${coreSizeResource}:0`],
    ...(uid === undefined ? [] : [`uid=${uid}`]),
    ...resourceNames.flatMap((name) => {
      const limit = limits[name]
      return limit === undefined ? [] : [`limit=${resources[name]}:${Math.ceil(limit)}`]
    }),
    ...(files ? ['landlock=1', ...files.map(([rights, path]) => `${rights}=${path}`)] : []),
    ...(filter ? [`filter=${filter}`] : []),
    '--',
  ]
}
