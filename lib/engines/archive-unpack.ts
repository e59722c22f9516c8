import { mkdir, open, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { allowedBytes, tooLarge } from './archive-limits.ts'
import { check, list, listRar, unwanted } from './archive-list.ts'
import { fromDos, fromWindows, makeReadable, survey, type Unpacked } from './archive-survey.ts'
import type { InputFile, Tools } from './engine.ts'

/** Compressed single files; a tape archive inside is unpacked too. */
export const streams = ['gz', 'bz2', 'xz', 'zst', 'lz4', 'tgz', 'tbz2', 'txz', 'tzst'] as const
const isStream = (format: string) => streams.some((id) => id === format)

/** Fills `folder`, which it makes. Archives inside the archive stay as they are. */
export async function unpack(
  input: InputFile,
  folder: string,
  password: string,
  tools: Tools,
): Promise<Unpacked> {
  const limitBytes = allowedBytes(input.size)
  await mkdir(folder)
  if (input.format === 'rar') await unpackRar(input.path, folder, limitBytes, tools)
  else if (isStream(input.format)) await unpackStream(input, folder, limitBytes, tools)
  else await unpackArchive(input.path, folder, { limitBytes, password }, tools)
  await makeReadable(folder, input.format === 'zip' || input.format === 'jar' ? fromDos : fromWindows)
  const found = await survey(folder)
  if (found.bytes > limitBytes) throw tooLarge(limitBytes)
  return found
}

async function unpackArchive(
  path: string,
  folder: string,
  { limitBytes, password }: { limitBytes: number; password: string },
  tools: Tools,
): Promise<void> {
  const entries = await list(path, password, tools)
  check(entries, limitBytes)
  const dropped = unwanted(entries)
  const exclude = join(tools.workDir, 'dropped.txt')
  if (dropped.length > 0) {
    await writeFile(exclude, `${dropped.map(({ name }) => name).join('\n')}\n`)
    warnOfDropped(dropped.length, tools)
  }
  const args = ['x', '-y', '-spd', `-o${folder}`, ...(dropped.length > 0 ? [`-x@${exclude}`] : [])]
  await guarded(folder, limitBytes, tools, '7zz', [...args, '--', path], `${password}\n`)
}

async function unpackRar(path: string, folder: string, limitBytes: number, tools: Tools): Promise<void> {
  const entries = await listRar(path, tools)
  check(entries, limitBytes)
  // It refuses links that lead out; what it makes is removed before anything else reads the folder.
  const dropped = unwanted(entries).length
  if (dropped > 0) warnOfDropped(dropped, tools)
  await guarded(folder, limitBytes, tools, 'bsdtar', ['-xf', path, '-C', folder], '')
}

function warnOfDropped(count: number, tools: Tools): void {
  const what = count === 1 ? '1 link or device' : `${count} links or devices`
  tools.warn('LINKS_DROPPED', `${what} of the archive could lead out of it and was left out.`)
}

async function unpackStream(input: InputFile, folder: string, limitBytes: number, tools: Tools) {
  const stage = join(tools.workDir, 'stream')
  await mkdir(stage)
  if (input.format === 'lz4') {
    const args = ['-d', '-q', '-f', input.path, join(stage, 'input-0')]
    await guarded(stage, limitBytes, tools, 'lz4', args, '\n')
  } else {
    await guarded(stage, limitBytes, tools, '7zz', ['x', '-y', `-o${stage}`, '--', input.path], '\n')
  }
  await makeReadable(stage, fromWindows)
  const [name] = await readdir(stage)
  if (name === undefined) throw new Error('Nothing came out of a compressed file.')
  const content = join(stage, name)
  if (await isTar(content)) {
    const tar = join(tools.workDir, 'content.tar')
    await rename(content, tar)
    return unpackArchive(tar, folder, { limitBytes, password: '' }, tools)
  }
  if (input.format.startsWith('t')) {
    const sentence = `The file is named as a compressed tape archive (${input.format}), but there is none in it.`
    throw new AppError('CORRUPT_FILE', sentence, { field: 'file', format: input.format })
  }
  await rename(content, join(folder, name.startsWith('input-') ? contentName(input.name) : name))
}

/** POSIX ustar, and GNU's variant of it. */
async function isTar(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(5), 0, 5, 257)
    return buffer.toString('latin1') === 'ustar'
  } finally {
    await file.close()
  }
}

/** `photo.svg.gz` holds `photo.svg`; only harmless letters of it become part of a path. */
function contentName(name: string): string {
  const stem = name.replace(/\.[^.]*$/, '').replace(/[^\p{L}\p{N}._ -]/gu, '_')
  return stem.replace(/^[.\s-]+/, '').slice(0, 60) || 'content'
}

const watchMs = 250

/** Runs a program while the folder that it fills is measured: an archive may say less than it holds. */
async function guarded(
  folder: string,
  limitBytes: number,
  tools: Tools,
  bin: string,
  args: readonly string[],
  stdin: string,
): Promise<void> {
  const stop = new AbortController()
  let measuring: Promise<void> | undefined
  const watch = setInterval(() => {
    measuring ??= survey(folder)
      .then(({ bytes }) => {
        if (bytes > limitBytes) stop.abort(tooLarge(limitBytes))
      })
      .catch((error: unknown) => stop.abort(error))
      .finally(() => {
        measuring = undefined
      })
  }, watchMs)
  try {
    await tools.exec(bin, args, { stdin, maxFileBytes: limitBytes, signal: stop.signal })
  } catch (error) {
    if (error instanceof AppError && error.details?.limitMb !== undefined) throw tooLarge(limitBytes, error)
    throw error
  } finally {
    clearInterval(watch)
    await measuring
  }
}
