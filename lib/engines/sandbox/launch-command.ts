import { fileURLToPath } from 'node:url'
import type { SandboxLimits } from './command.ts'

const perl = '/usr/bin/perl'

/** layers/sandbox/launch.pl says what it does, and in which order. */
export const launcherProgram = fileURLToPath(new URL('../../../layers/sandbox/launch.pl', import.meta.url))

export interface Launch {
  /** Where it is for the process that starts it. */
  readonly program: string
  /** The user that it becomes; stays who it is when left out. */
  readonly uid?: number | undefined
  readonly limits: SandboxLimits
  /** The first descriptor that is closed. */
  readonly closeFdsFrom: number
  /** See `filterOf`. */
  readonly filter?: string | undefined
  /** The only files that it gets, by Landlock. */
  readonly files?: readonly FileRule[] | undefined
}

/** Rights of Landlock, as bits, below a path. */
export type FileRule = readonly [rights: number, path: string]

/** linux/landlock.h; what an older kernel does not know is left out by the launcher. */
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

/** asm-generic/resource.h */
const resources = { cpuS: 0, fileBytes: 1, dataBytes: 2, processes: 6, memoryBytes: 9 } as const
const coreSize = 4

export function launchCommand({
  program,
  uid,
  limits,
  closeFdsFrom: descriptors,
  filter,
  files,
}: Launch): string[] {
  const names = Object.keys(resources) as (keyof typeof resources)[] // keys of a const table
  return [
    ...[perl, program, `fds=${descriptors}`, `limit=${coreSize}:0`],
    ...(uid === undefined ? [] : [`uid=${uid}`]),
    ...names.flatMap((name) => {
      const limit = limits[name]
      return limit === undefined ? [] : [`limit=${resources[name]}:${Math.ceil(limit)}`]
    }),
    ...(files ? ['landlock=1', ...files.map(([rights, path]) => `${rights}=${path}`)] : []),
    ...(filter ? [`filter=${filter}`] : []),
    '--',
  ]
}
