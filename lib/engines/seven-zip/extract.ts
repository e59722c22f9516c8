import { readdir, rename } from 'node:fs/promises'
import { join, relative } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { EngineResult, EngineWork, InputFile, OutputFile, Tools } from '../engine.ts'
import { freeNames } from './unique-file-names.ts'
import { unpack } from './unpack.ts'

const mostMembers = 1000

export const paths = z
  .preprocess(
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(z.string().min(1).max(1000)).min(1).max(100),
  )
  .optional()
  .describe(
    'Files to take, by name or path in the archive; * stands for any characters and ? for one, as docs/*.pdf. All when left out.',
  )

const Options = z.object({ paths, password: z.string().optional() })

/** Extracts the files of an archive without their folders; archives among them are not unpacked. */
export async function extract(
  { options, outDir }: EngineWork,
  input: InputFile,
  tools: Tools,
): Promise<EngineResult> {
  const { paths: wanted, password = '' } = Options.parse(options)
  const folder = join(tools.workDir, 'unpacked')
  const { files: count } = await unpack(input, folder, password, tools)
  tools.progress(0.7)
  if (count === 0) {
    const sentence = 'There are no files in the archive.'
    throw new AppError('INVALID_INPUT', sentence, { field: 'file', reason: 'empty' })
  }
  const members = await membersOf(folder)
  const chosen = wanted ? members.filter((path) => wanted.some((pattern) => fits(path, pattern))) : members
  if (chosen.length > mostMembers) throw tooManyMembers(chosen.length)
  const nameOf = freeNames()
  const files: OutputFile[] = []
  for (const [index, member] of chosen.entries()) {
    const path = join(outDir, `member-${index + 1}`)
    await rename(join(folder, member), path)
    files.push({ path, filename: nameOf(member) })
  }
  const [first, ...others] = files
  if (!first) throw noneFits(members)
  return { files: [first, ...others], details: { files: files.length, filesInArchive: count } }
}

/** Returns the paths of all files in the folder, in natural order. */
async function membersOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const { compare } = new Intl.Collator('en', { numeric: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort(compare)
}

/** Whether the pattern matches the path or its file name. */
function fits(path: string, pattern: string): boolean {
  const [text, wanted] = [path.normalize('NFC'), pattern.normalize('NFC').replace(/^(?:\.?\/)+/, '')]
  return (
    matches(text, wanted) || (!wanted.includes('/') && matches(text.slice(text.lastIndexOf('/') + 1), wanted))
  )
}

/** Not a regular expression, which could backtrack exponentially: this backtracks only to the last star. */
function matches(text: string, pattern: string): boolean {
  let [at, next] = [0, 0]
  let star = -1
  let covered = 0
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next++
      covered = at
    } else if (pattern[next] === '?' || pattern[next] === text[at]) {
      at++
      next++
    } else if (star >= 0) {
      at = ++covered
      next = star + 1
    } else return false
  }
  while (pattern[next] === '*') next++
  return next === pattern.length
}

function tooManyMembers(count: number): AppError {
  const sentence = `${count} files would come out of the archive; at most ${mostMembers} can. Choose some of them by paths.`
  return new AppError('FILE_TOO_LARGE', sentence, { field: 'paths', limit: mostMembers, got: count })
}

function noneFits(members: readonly string[]): AppError {
  const some = members.slice(0, 5).map((path) => JSON.stringify(path.slice(0, 100)))
  const sentence = `paths: no file in the archive fits. There ${members.length === 1 ? 'is' : `are ${members.length}, as`} ${some.join(', ')}.`
  return new AppError('INVALID_INPUT', sentence, {
    field: 'paths',
    reason: 'no-match',
    files: members.length,
  })
}
