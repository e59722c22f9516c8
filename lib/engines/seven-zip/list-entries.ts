import { isUtf8 } from 'node:buffer'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import {
  createArchiveTooLargeError,
  createTooManyEntriesError,
  maxDepth,
  maxEntries,
} from '../../formats/archive-limits.ts'
import { createUnsafeNameError, isUnsafePath } from '../../formats/unsafe-name.ts'
import type { ExecOptions, Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'

/** One entry in the listing of an archive. */
export interface ArchiveEntry {
  readonly name: string
  /** Unpacked size in bytes, as declared by the archive. */
  readonly size: number
  readonly kind: 'file' | 'folder' | 'link' | 'hard-link' | 'device'
  /** Target of a hard link. */
  readonly target?: string
  /** Target of a symbolic link. */
  readonly linkTarget?: string
  /** Whether the entry is encrypted. */
  readonly isEncrypted?: boolean
}

/** Lists the entries with 7-Zip, which writes control characters in names as `_`. */
export async function listWithSevenZip(
  path: string,
  password: string,
  tools: Tools,
): Promise<ArchiveEntry[]> {
  const args = ['l', '-slt', '-sccUTF-8', path]
  const { stdout } = await runListing(tools, '7zz', args, { stdin: `${password}\n`, encoding: 'latin1' })
  const entriesText = stdout.split(/^-{10}$/m)[1] ?? ''
  return entriesText
    .split('\n\n')
    .map(parseFields)
    .filter((entry) => entry.has('Path'))
    .map(toEntry)
}

function parseFields(block: string): ReadonlyMap<string, string> {
  return new Map(
    block.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf(' = ')
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 3)]]
    }),
  )
}

function toEntry(entry: ReadonlyMap<string, string>): ArchiveEntry {
  const mode =
    entry.get('Mode') ?? /(?:^| )([-dlpsbc][-rwxsStT]{9})$/.exec(entry.get('Attributes') ?? '')?.[1] ?? ''
  const target = entry.get('Hard Link')
  const linkTarget = entry.get('Symbolic Link')
  return {
    name: decodeName(entry.get('Path') ?? ''),
    size: Number(entry.get('Size') ?? 0),
    kind: getEntryKind(mode, entry),
    ...(target && { target: decodeName(target) }),
    ...(linkTarget && { linkTarget: decodeName(linkTarget) }),
  }
}

/** Decodes the bytes of a name. Names that are not UTF-8 stay Latin-1, so that different names stay different. */
function decodeName(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : latin1
}

function getEntryKind(mode: string, entry: ReadonlyMap<string, string>): ArchiveEntry['kind'] {
  if (entry.get('Symbolic Link') || mode.startsWith('l')) return 'link'
  if (entry.get('Hard Link')) return 'hard-link'
  if (entry.get('Folder') === '+' || mode.startsWith('d')) return 'folder'
  return /^[pscb]/.test(mode) ? 'device' : 'file'
}

/** Lists the entries with bsdtar, which writes unprintable characters as `\\` and digits. */
export async function listWithBsdtar(path: string, tools: Tools): Promise<ArchiveEntry[]> {
  const { stdout } = await runListing(tools, 'bsdtar', ['-tvf', path])
  return stdout.split('\n').filter(Boolean).map(parseBsdtarEntry)
}

function parseBsdtarEntry(line: string): ArchiveEntry {
  const [, type = '', bytes, name] =
    /^(\S)\S{9,}\s+\d+\s+\S+\s+\S+\s+(\d+)\s+\w{3}\s+\d+\s+\S+ (.+)$/.exec(line) ?? []
  if (name === undefined) throw new AppError('CORRUPT_FILE', 'The list of files in the archive is damaged.')
  const kindByTypeCharacter: Readonly<Record<string, ArchiveEntry['kind']>> = {
    '-': 'file',
    // An ar listing does not state the type.
    '?': 'file',
    d: 'folder',
    l: 'link',
    h: 'hard-link',
  }
  const kind = kindByTypeCharacter[type] ?? 'device'
  const [nameWithoutTarget = name, linkTarget] = kind === 'link' ? name.split(' -> ') : []
  return { name: nameWithoutTarget, size: Number(bytes), kind, ...(linkTarget && { linkTarget }) }
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

/** The Unarchiver's programs crash without a user name. */
export const unarEnv = { LOGNAME: 'nobody' }

/** Lists the entries with The Unarchiver; the listing itself may be encrypted. */
export async function listWithUnar(path: string, password: string, tools: Tools): Promise<ArchiveEntry[]> {
  const passwordArgs = password === '' ? [] : ['-password', password]
  const { stdout } = await runListing(tools, 'lsar', ['-j', ...passwordArgs, path], { env: unarEnv })
  const { lsarContents } = UnarList.parse(JSON.parse(stdout))
  return lsarContents.map((entry) => ({
    name: entry.XADFileName,
    size: entry.XADFileSize,
    kind: toUnarKind(entry),
    isEncrypted: entry.XADIsEncrypted === 1,
  }))
}

function toUnarKind(entry: z.infer<typeof UnarList>['lsarContents'][number]): ArchiveEntry['kind'] {
  if (entry.XADIsLink) return 'link'
  if (entry.XADIsHardLink) return 'hard-link'
  if (entry.XADIsDirectory) return 'folder'
  return entry.XADIsCharacterDevice || entry.XADIsBlockDevice || entry.XADIsFIFO ? 'device' : 'file'
}

async function runListing(
  tools: Tools,
  bin: string,
  args: readonly string[],
  options: Pick<ExecOptions, 'stdin' | 'env' | 'encoding'> = {},
) {
  try {
    return await tools.exec(bin, args, { stdin: '', timeoutS: 120, ...options })
  } catch (error) {
    if (error instanceof EngineCrash && error.signal === 'its output limit')
      throw createTooManyEntriesError(error)
    throw error
  }
}

/**
 * Checks the entries of an archive.
 * @throws AppError FILE_TOO_LARGE when a limit is exceeded, INVALID_INPUT for path traversal or deep nesting.
 */
export function checkEntries(entries: readonly ArchiveEntry[], limitBytes: number): void {
  if (entries.length > maxEntries) throw createTooManyEntriesError()
  if (entries.reduce((sum, { size }) => sum + size, 0) > limitBytes)
    throw createArchiveTooLargeError(limitBytes)
  const unsafeEntry = entries.find(({ name }) => isUnsafePath(name))
  if (unsafeEntry) throw createUnsafeNameError(unsafeEntry.name)
  if (entries.some(({ name }) => name.split('/').length > maxDepth)) {
    const message = `The archive has folders more than ${maxDepth} deep.`
    throw new AppError('INVALID_INPUT', message, { field: 'file', limit: maxDepth })
  }
}

/** Returns links, devices, and hard links to files outside of the archive. */
export function findUnsafeEntries(entries: readonly ArchiveEntry[]): ArchiveEntry[] {
  const names = new Set(entries.map(({ name }) => name))
  return entries.filter(({ kind, target }) => {
    if (kind === 'hard-link') return !target || !names.has(target)
    return kind === 'link' || kind === 'device'
  })
}
