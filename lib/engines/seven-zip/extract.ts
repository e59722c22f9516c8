import { readdir, rename } from 'node:fs/promises'
import { join, relative } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { matchesWildcards } from '../../names/wildcards.ts'
import type { EngineResult, EngineWork, InputFile, OutputFile, Tools } from '../engine.ts'
import { createFileNamer } from './unique-file-names.ts'
import { unpackArchive } from './unpack.ts'

const maxFiles = 1000

/** Maximum number of file names in an error message. */
const maxExamples = 5

export const pathsOption = z
  .preprocess(
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(z.string().min(1).max(1000)).min(1).max(100),
  )
  .optional()
  .describe(
    'Files to extract, by name or path in the archive; * matches any characters and ? a single one, such as docs/*.pdf. Defaults to all files.',
  )

const Options = z.object({ paths: pathsOption, password: z.string().optional() })

/** Extracts the files of an archive without their folders; nested archives are not unpacked. */
export async function extract(
  { options, outDir }: EngineWork,
  input: InputFile,
  tools: Tools,
): Promise<EngineResult> {
  const { paths: patterns, password = '' } = Options.parse(options)
  const folder = join(tools.workDir, 'unpacked')
  const { files: count } = await unpackArchive(input, folder, password, tools)
  tools.progress(0.7)
  if (count === 0) {
    const message = 'The archive contains no files.'
    throw new AppError('INVALID_INPUT', message, { field: 'file', reason: 'empty' })
  }
  const archiveFiles = await listFiles(folder)
  const selectedNames = patterns
    ? archiveFiles.filter((path) => patterns.some((pattern) => matchesPath(path, pattern)))
    : archiveFiles
  if (selectedNames.length > maxFiles) throw createTooManyFilesError(selectedNames.length)
  const nameFile = createFileNamer()
  const files: OutputFile[] = []
  for (const [index, archivePath] of selectedNames.entries()) {
    const path = join(outDir, `member-${index + 1}`)
    await rename(join(folder, archivePath), path)
    files.push({ path, filename: nameFile(archivePath) })
  }
  const [firstFile, ...otherFiles] = files
  if (!firstFile) throw createNoMatchError(archiveFiles)
  return { files: [firstFile, ...otherFiles], details: { files: files.length, filesInArchive: count } }
}

/** Returns the paths of all files in the folder, in natural order. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const { compare } = new Intl.Collator('en', { numeric: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort(compare)
}

/** Whether the pattern matches the path or its file name. */
function matchesPath(path: string, pattern: string): boolean {
  const [text, patterns] = [path.normalize('NFC'), pattern.normalize('NFC').replace(/^(?:\.?\/)+/, '')]
  // Matches without character classes, because brackets are frequent in file names.
  const matches = (name: string) => matchesWildcards(name, patterns, { hasClasses: false })
  return matches(text) || (!patterns.includes('/') && matches(text.slice(text.lastIndexOf('/') + 1)))
}

function createTooManyFilesError(count: number): AppError {
  const message = `${count} files would be extracted, but at most ${maxFiles} are allowed. Select some of them with paths.`
  return new AppError('FILE_TOO_LARGE', message, { field: 'paths', limit: maxFiles, got: count })
}

function createNoMatchError(archiveFiles: readonly string[]): AppError {
  const { length: count } = archiveFiles
  const examples = archiveFiles.slice(0, maxExamples).map((path) => JSON.stringify(path.slice(0, 100)))
  const exampleList = new Intl.ListFormat('en-GB').format(examples)
  const fileList = count > maxExamples ? `${count} files, including ${exampleList}` : exampleList
  const message = `paths: no file in the archive matches. The archive contains ${fileList}.`
  return new AppError('INVALID_INPUT', message, { field: 'paths', reason: 'no-match', files: count })
}
