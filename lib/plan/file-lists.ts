import { AppError } from '../errors.ts'
import { type FormatId, formatByExtension, formatById } from '../formats/index.ts'
import type { StoredFile } from '../model/job.ts'
import type { Operation } from '../model/operations.ts'

/**
 * Lists of files, such as the pages of a PDF, the parts of a split, and extracted images. A list is stored as one ZIP,
 * which exports deliver; the next task takes its members as separate files.
 */

/** Maximum number of members that a task can take from a list, so that a record can name them all. */
export const maxMembers = 2000

/** Returns the file itself; for a list, its first member. */
export const getFirstListedFile = (file: StoredFile): StoredFile =>
  file.members?.length ? (expandListedFiles(file)[0] ?? file) : file

/** Returns the members of a list; for any other file, the file itself. */
export function expandListedFiles(file: StoredFile): readonly StoredFile[] {
  const { members, each: _, ...zip } = file
  if (!members) return [file]
  if (members.length === 0) throw createTooManyMembersError(file)
  return members.map((filename) => {
    const format = formatByExtension(filename)
    if (!format) return { ...zip, filename, format: 'unknown', mimeType: 'application/octet-stream' }
    return {
      ...zip,
      filename,
      format: format.id,
      mimeType: format.mimeTypes[0] ?? 'application/octet-stream',
    }
  })
}

const createTooManyMembersError = ({ filename }: StoredFile) =>
  new AppError(
    'INVALID_INPUT',
    `${filename} has more than ${maxMembers} files, which is too many for the next task. Select fewer of them with the option \`pages\` of the task that creates them.`,
    { max: maxMembers },
  )

/** Operations that combine all of their files into one result. */
const combiningOperations: readonly Operation[] = [
  'merge',
  'merge-pdf',
  'archive',
  'watermark',
  'add-watermark-pdf',
]

interface Target {
  readonly operation: Operation
  readonly to?: FormatId | undefined
}

/** Whether the operation takes the ZIP of a list: the archive itself is unpacked or converted. */
const acceptsArchive = ({ operation, to }: Target) =>
  operation === 'extract' ||
  (operation === 'convert' && to !== undefined && formatById(to).category === 'archive')

/** Splits a list into groups with the same route, one for each format. Their results become a list again. */
function splitByFormat(file: StoredFile): readonly StoredFile[][] {
  if (!file.members) return [[file]]
  const [onlyMember, ...otherMembers] = expandListedFiles(file)
  if (onlyMember && otherMembers.length === 0 && file.each === undefined)
    return [[{ ...file, filename: onlyMember.filename }]]
  const groups = Map.groupBy(expandListedFiles(file), ({ format }) => format)
  return [...groups.values()].map((group) => [
    { ...file, members: group.map(({ filename }) => filename), each: file.each ?? file.key },
  ])
}

/**
 * Returns the files in groups that go through a route together. A conversion takes each file separately. So do other
 * operations on the files of a single list, unless they combine files.
 */
export function groupInputs(files: readonly StoredFile[], target: Target): readonly StoredFile[][] {
  const { operation } = target
  const inputs: readonly StoredFile[] = acceptsArchive(target)
    ? files.map(({ members: _, ...zip }) => zip)
    : files
  const [onlyFile, ...otherMembers] = inputs
  const isList = onlyFile?.members !== undefined && otherMembers.length === 0
  const areFilesSeparate = operation === 'convert' || (isList && !combiningOperations.includes(operation))
  return areFilesSeparate ? inputs.flatMap(splitByFormat) : [[...inputs]]
}

/**
 * Returns the files that go through a route together. For a list whose files are converted one by one, the first file
 * represents all of them.
 */
export function toFilesOfGroup(group: readonly StoredFile[]): readonly StoredFile[] {
  const files = group.flatMap(expandListedFiles)
  return group[0]?.each === undefined ? files : files.slice(0, 1)
}
