/**
 * Moves files between the folder of a running process, which a file may have taken over, and the folder of a task. File
 * system calls are synchronous: these few small changes take less time than waiting for another thread.
 */
import { closeSync, constants, linkSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { EngineWork, InputFile } from '../engines/engine.ts'
import { copyOut } from '../engines/sandbox/process-folder.ts'
import type { CalledProcess } from './decoder-process.ts'
import { type EngineRequest, outputFolder } from './engine-messages.ts'

interface PlacedInputs {
  /** The request with the paths that the files have in the folder of the process. */
  readonly request: EngineRequest
  /** Original paths by the paths in the folder of the process. */
  readonly paths: ReadonlyMap<string, string>
}

export async function placeInputs(
  request: EngineRequest,
  { folder, grant }: CalledProcess,
): Promise<PlacedInputs> {
  const paths = new Map<string, string>()
  const placeInput = async (input: InputFile): Promise<InputFile> => {
    const name = basename(input.path)
    // Chunks of a step may have results with the same name.
    const isTaken = paths.has(join(folder, name))
    const path = join(folder, isTaken ? `${paths.size + 1}-${name}` : name)
    paths.set(path, input.path)
    if (await linkOrCopy(input.path, path)) await grant(path)
    return { ...input, path }
  }
  const placeAll = async (inputs: readonly InputFile[]) => {
    const placedFiles: InputFile[] = []
    for (const input of inputs) placedFiles.push(await placeInput(input))
    return placedFiles
  }
  const work: EngineWork = {
    ...request.work,
    inputs: await placeAll(request.work.inputs),
    outDir: join(folder, outputFolder),
  }
  if (request.method !== 'join') return { request: { ...request, work }, paths }
  const results = []
  for (const result of request.results) results.push({ ...result, files: await placeAll(result.files) })
  return { request: { ...request, work, results }, paths }
}

/** Returns false if the file does not exist: a join may not need its files, which are then not fetched. */
async function linkOrCopy(from: string, to: string): Promise<boolean> {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return false
    if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'EMLINK') throw error
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return true
  }
}

export const getSafeExtension = (path: string) =>
  /(?:\.[a-z0-9]{1,10}){1,2}$/i.exec(basename(path))?.[0] ?? ''

const maxDepth = 8

/**
 * Moves a file out of the folder of a running process, which may replace folders with symbolic links at any time: each
 * folder is opened without following links, and addressed by its descriptor.
 */
export async function takeFile(folder: string, path: string, to: string): Promise<void> {
  const names = path.split('/')
  const name = names.pop() ?? ''
  const isInsideFolder = ![name, ...names].some(
    (segment) => segment === '' || segment === '.' || segment === '..',
  )
  if (!isInsideFolder || names.length > maxDepth) throw new Error('the result is outside the folder')
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  let parent = openSync(folder, flags)
  try {
    for (const child of names) {
      const nextFd = openSync(`/proc/self/fd/${parent}/${child}`, flags)
      closeSync(parent)
      parent = nextFd
    }
    await moveFile(`/proc/self/fd/${parent}/${name}`, to)
  } finally {
    closeSync(parent)
  }
}

/**
 * Moves a file into the folder of the process. Replaces whatever the process has put at this path, for example a link.
 */
export async function placeFile(from: string, to: string): Promise<void> {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    rmSync(to, { force: true, recursive: true })
    await copyFile(from, to, constants.COPYFILE_EXCL)
    rmSync(from)
  }
}

/**
 * Moves a file. Fails if the process has replaced it by a link meanwhile; the work folder, with the moved link, is
 * deleted later.
 */
async function moveFile(from: string, to: string): Promise<void> {
  requireRegularFile(from)
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    await copyOut(from, to)
  }
  requireRegularFile(to)
}

function requireRegularFile(path: string): void {
  const stats = lstatSync(path)
  if (!stats.isFile() || stats.nlink !== 1) throw new Error('the result is not a regular file')
}
