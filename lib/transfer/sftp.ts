import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attributes, FileEntry, SFTPWrapper } from 'ssh2'
import { getBaseName, listPrefix } from './list-prefix.ts'
import { RemoteError } from './remote-error.ts'
import { SftpConnection } from './sftp-connection.ts'
import { readSftpAhead, sendRequest, writeAhead } from './sftp-window.ts'
import type { FindFiles, OpenStore, OutgoingFile, RemoteFile, TransferDeps } from './transfer.ts'

/** Maximum number of times an upload resumes after a lost connection. */
const maxResumptions = 3
/** Delay before the first resumption in milliseconds; it doubles with each further resumption. */
const pauseMs = 500
/** Timeout for removing an unfinished upload, in milliseconds. */
const cleanUpTimeoutMs = 5000

export const findInSftp: FindFiles = async (fields, deps) => {
  const connection = new SftpConnection(fields, deps)
  // The fields were parsed when the task was created.
  const { file, path: folder = '' } = fields as { file?: string; path?: string }
  const entries =
    file === undefined
      ? await listPrefix(listFolder(connection, folder), {
          field: 'path',
          prefix: folder,
          location: connection.name,
        })
      : [{ name: file, attrs: await statFile(connection, file) }]
  return entries.map(({ name, attrs }) => toRemoteFile(connection, name, attrs))
}

/** Whether the POSIX mode is that of a file. */
const isFile = ({ mode }: Attributes) => (mode & 0o170_000) === 0o100_000

interface FoundFile {
  /** Full path of the file. */
  readonly name: string
  readonly attrs: Attributes
}

/** Yields the files of a folder, but not those of its subfolders. */
async function* listFolder(connection: SftpConnection, folder: string): AsyncGenerator<FoundFile> {
  const sftp = await connection.openSession()
  const list = await sendRequest<FileEntry[]>(sftp, (callback) => sftp.readdir(folder, callback)).catch(
    (error) => {
      throw connection.toError(error, folder)
    },
  )
  const base = folder.endsWith('/') ? folder : `${folder}/`
  for (const { filename, attrs } of list.toSorted((a, b) => (a.filename < b.filename ? -1 : 1)))
    if (isFile(attrs)) yield { name: `${base}${filename}`, attrs }
}

async function statFile(connection: SftpConnection, path: string): Promise<Attributes> {
  const sftp = await connection.openSession()
  const attrs = await sendRequest<Attributes>(sftp, (callback) => sftp.stat(path, callback)).catch(
    (error) => {
      throw connection.toError(error, path)
    },
  )
  if (isFile(attrs)) return attrs
  throw new RemoteError('not-found', `${connection.name}/${path.replace(/^\//, '')} is not a file.`)
}

function toRemoteFile(connection: SftpConnection, path: string, { size, mtime }: Attributes): RemoteFile {
  return {
    filename: getBaseName(path),
    size,
    isResumable: true,
    open: async (start) => {
      const currentStats = await statFile(connection, path)
      if (currentStats.size !== size || currentStats.mtime !== mtime)
        throw new RemoteError(
          'incomplete',
          `The file ${getBaseName(path)} changed while it was being fetched.`,
          {
            changed: true,
          },
        )
      return Readable.from(readFrom(connection, path, start))
    },
  }
}

async function* readFrom(connection: SftpConnection, path: string, start: number): AsyncGenerator<Buffer> {
  try {
    const sftp = await connection.openSession()
    const handle = await sendRequest<Buffer>(sftp, (callback) => sftp.open(path, 'r', callback))
    try {
      yield* readSftpAhead(sftp, handle, start)
    } finally {
      sftp.close(handle, () => {})
    }
  } catch (error) {
    throw connection.toError(error, path)
  }
}

export const openSftp: OpenStore = async (fields, deps) => {
  const { signal } = deps
  const connection = new SftpConnection(fields, deps)
  return {
    async put(file, onSent) {
      // The file gets its final name only when it is complete.
      const partialPath = `${file.path}.${randomBytes(4).toString('hex')}.part`
      try {
        await deps.onStarted?.(partialPath)
        await uploadPartial(connection, file, { partial: partialPath, onSent, signal })
        return await renamePartial(connection, partialPath, file.path)
      } catch (error) {
        await removePartial(new SftpConnection(fields, useCleanUpSignal(deps)), partialPath)
        signal.throwIfAborted()
        throw connection.toError(error, file.path)
      }
    },
    cleanUp: (partial) => removePartial(new SftpConnection(fields, useCleanUpSignal(deps)), partial),
    close: async () => connection.close(),
  }
}

/** Replaces the signal, for cleanup that must run although the transfer was aborted. */
const useCleanUpSignal = (deps: TransferDeps): TransferDeps => ({
  ...deps,
  signal: AbortSignal.timeout(cleanUpTimeoutMs),
})

interface UploadContext {
  readonly partial: string
  readonly onSent: (bytes: number) => void
  readonly signal: AbortSignal
}

async function uploadPartial(
  connection: SftpConnection,
  file: OutgoingFile,
  { partial, onSent, signal }: UploadContext,
): Promise<void> {
  let at = 0
  const onWritten = (to: number) => {
    onSent(to - at)
    at = to
  }
  for (let resumeCount = 0; ; resumeCount++) {
    try {
      const sftp = await connection.openSession()
      const handle = await openPartial(sftp, partial, at > 0)
      await writeAhead(sftp, handle, await file.open({ start: at, end: file.size, releasesBuffers: true }), {
        start: at,
        onWritten,
      })
      await sendRequest<void>(sftp, (callback) => sftp.close(handle, callback))
      return
    } catch (error) {
      signal.throwIfAborted()
      const failure = connection.toError(error, file.path)
      const canResume = failure instanceof RemoteError && failure.isTransient && resumeCount < maxResumptions
      if (!canResume) throw failure
      await sleep(pauseMs * 2 ** resumeCount, undefined, { signal })
    }
  }
}

/** Opens the partial file and creates missing folders of its path. */
async function openPartial(sftp: SFTPWrapper, path: string, exists: boolean): Promise<Buffer> {
  const openFile = (flags: 'r+' | 'w') =>
    sendRequest<Buffer>(sftp, (callback) => sftp.open(path, flags, callback))
  if (exists) return openFile('r+')
  const noSuchFileStatus = 2
  return openFile('w').catch(async (error: { code?: number }) => {
    if (error.code !== noSuchFileStatus || !path.includes('/')) throw error
    const folders = path.split('/').slice(0, -1)
    for (let depth = 1; depth <= folders.length; depth++) {
      const folder = folders.slice(0, depth).join('/')
      // Errors are ignored: the folder may exist, and if it cannot be created, opening the file reports the problem.
      if (folder !== '')
        await sendRequest<void>(sftp, (callback) => sftp.mkdir(folder, callback)).catch(() => {})
    }
    return openFile('w')
  })
}

/** Gives the complete file its final name. @returns the final location. */
async function renamePartial(connection: SftpConnection, partialPath: string, path: string): Promise<string> {
  const sftp = await connection.openSession()
  await sendRequest<void>(sftp, (callback) => sftp.ext_openssh_rename(partialPath, path, callback)).catch(
    async () => {
      // Only OpenSSH replaces an existing file when renaming, so the file is deleted first for other servers.
      await sendRequest<void>(sftp, (callback) => sftp.unlink(path, callback)).catch(() => {})
      await sendRequest<void>(sftp, (callback) => sftp.rename(partialPath, path, callback))
    },
  )
  const realPath = await sendRequest<string>(sftp, (callback) => sftp.realpath(path, callback))
  return `${connection.name}${encodeURI(realPath)}`
}

async function removePartial(connection: SftpConnection, partialPath: string): Promise<void> {
  try {
    const sftp = await connection.openSession()
    await sendRequest<void>(sftp, (callback) => sftp.unlink(partialPath, callback))
  } catch {
    // The file was never created, or the server cannot be reached.
  } finally {
    connection.close()
  }
}
