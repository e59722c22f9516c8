import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { leadsOut, unsafeName } from '../../formats/unsafe-name.ts'
import type { Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { mostDepth, mostEntries, tooLarge, tooMany } from './limits.ts'

/** What the list of an archive says of one thing in it. */
export interface Entry {
  readonly name: string
  /** Bytes when unpacked, as the archive says. */
  readonly size: number
  readonly kind: 'file' | 'folder' | 'link' | 'hard-link' | 'device'
  /** Of a hard link. */
  readonly target?: string
  /** It needs a password. */
  readonly locked?: boolean
}

/** What 7-Zip finds in an archive, without unpacking it. It writes control characters in names as `_`. */
export async function list(path: string, password: string, tools: Tools): Promise<Entry[]> {
  const { stdout } = await listing(tools, '7zz', ['l', '-slt', '-sccUTF-8', path], `${password}\n`)
  const entries = stdout.split(/^-{10}$/m)[1] ?? ''
  return entries
    .split('\n\n')
    .map(fields)
    .filter((entry) => entry.has('Path'))
    .map(entryOf)
}

function fields(block: string): ReadonlyMap<string, string> {
  return new Map(
    block.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf(' = ')
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 3)]]
    }),
  )
}

function entryOf(entry: ReadonlyMap<string, string>): Entry {
  const mode =
    entry.get('Mode') ?? /(?:^| )([-dlpsbc][-rwxsStT]{9})$/.exec(entry.get('Attributes') ?? '')?.[1] ?? ''
  const target = entry.get('Hard Link')
  return {
    name: entry.get('Path') ?? '',
    size: Number(entry.get('Size') ?? 0),
    kind: kindOf(mode, entry),
    ...(target && { target }),
  }
}

function kindOf(mode: string, entry: ReadonlyMap<string, string>): Entry['kind'] {
  if (entry.get('Symbolic Link') || mode.startsWith('l')) return 'link'
  if (entry.get('Hard Link')) return 'hard-link'
  if (entry.get('Folder') === '+' || mode.startsWith('d')) return 'folder'
  return /^[pscb]/.test(mode) ? 'device' : 'file'
}

/** bsdtar writes what cannot be printed as `\\` and digits. */
export async function listByBsdtar(path: string, tools: Tools): Promise<Entry[]> {
  const { stdout } = await listing(tools, 'bsdtar', ['-tvf', path], '')
  return stdout.split('\n').filter(Boolean).map(bsdtarEntry)
}

function bsdtarEntry(line: string): Entry {
  const [, type = '', bytes, name] =
    /^(\S)\S{9,}\s+\d+\s+\S+\s+\S+\s+(\d+)\s+\w{3}\s+\d+\s+\S+ (.+)$/.exec(line) ?? []
  if (name === undefined) throw new AppError('CORRUPT_FILE', 'The list of what is in the archive is damaged.')
  const kinds: Readonly<Record<string, Entry['kind']>> = {
    '-': 'file',
    // What ar does not say.
    '?': 'file',
    d: 'folder',
    l: 'link',
    h: 'hard-link',
  }
  return { name, size: Number(bytes), kind: kinds[type] ?? 'device' }
}

const UnarList = z.object({
  lsarContents: z.array(
    z.object({
      XADFileName: z.string(),
      XADFileSize: z.number().default(0),
      XADIsDirectory: z.number().default(0),
      XADIsLink: z.number().default(0),
      XADIsHardLink: z.number().default(0),
      XADIsCharacterDevice: z.number().default(0),
      XADIsBlockDevice: z.number().default(0),
      XADIsFIFO: z.number().default(0),
      XADIsEncrypted: z.number().default(0),
    }),
  ),
})

/** The programs of The Unarchiver end when they do not know who they are. */
export const unarEnv = { LOGNAME: 'nobody' }

/** What The Unarchiver finds; the list itself may be locked. */
export async function listByUnar(path: string, password: string, tools: Tools): Promise<Entry[]> {
  const unlock = password === '' ? [] : ['-password', password]
  const { stdout } = await listing(tools, 'lsar', ['-j', ...unlock, path], '', unarEnv)
  const { lsarContents } = UnarList.parse(JSON.parse(stdout))
  return lsarContents.map((entry) => ({
    name: entry.XADFileName,
    size: entry.XADFileSize,
    kind: unarKind(entry),
    locked: entry.XADIsEncrypted === 1,
  }))
}

function unarKind(entry: z.infer<typeof UnarList>['lsarContents'][number]): Entry['kind'] {
  if (entry.XADIsLink) return 'link'
  if (entry.XADIsHardLink) return 'hard-link'
  if (entry.XADIsDirectory) return 'folder'
  return entry.XADIsCharacterDevice || entry.XADIsBlockDevice || entry.XADIsFIFO ? 'device' : 'file'
}

async function listing(
  tools: Tools,
  bin: string,
  args: readonly string[],
  stdin: string,
  env: Readonly<Record<string, string>> = {},
) {
  try {
    return await tools.exec(bin, args, { stdin, env, timeoutS: 120 })
  } catch (error) {
    if (error instanceof EngineCrash && error.signal === 'its output limit') throw tooMany(error)
    throw error
  }
}

/** @throws AppError FILE_TOO_LARGE, INVALID_INPUT when unpacking would take too much, or a name leads out of the archive. */
export function check(entries: readonly Entry[], limitBytes: number): void {
  if (entries.length > mostEntries) throw tooMany()
  if (entries.reduce((sum, { size }) => sum + size, 0) > limitBytes) throw tooLarge(limitBytes)
  const bad = entries.find(({ name }) => leadsOut(name))
  if (bad) throw unsafeName(bad.name)
  if (entries.some(({ name }) => name.split('/').length > mostDepth)) {
    const sentence = `The archive has folders more than ${mostDepth} deep.`
    throw new AppError('INVALID_INPUT', sentence, { field: 'file', limit: mostDepth })
  }
}

/** Links and devices, and hard links to what is not in the archive. */
export function unwanted(entries: readonly Entry[]): Entry[] {
  const names = new Set(entries.map(({ name }) => name))
  return entries.filter(({ kind, target }) => {
    if (kind === 'hard-link') return !target || !names.has(target)
    return kind === 'link' || kind === 'device'
  })
}
