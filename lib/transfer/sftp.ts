import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attributes, FileEntry, SFTPWrapper } from 'ssh2'
import { filesBelow, lastPart } from './list-prefix.ts'
import { RemoteError } from './remote-error.ts'
import { SftpConnection } from './sftp-connection.ts'
import { asked, readAhead, writeAhead } from './sftp-window.ts'
import type { Find, OpenStore, OutgoingFile, RemoteFile, Surroundings } from './transfer.ts'

/** Times that an upload goes on after its connection was lost, and milliseconds before the first of them. */
const mostResumed = 3
const pauseMs = 500
/** Milliseconds for taking away what was not finished. */
const clearUpMs = 5000

export const findInSftp: Find = async (fields, surroundings) => {
  const connection = new SftpConnection(fields, surroundings)
  const { file, path: folder = '' } = fields as { file?: string; path?: string }
  const entries =
    file === undefined
      ? await filesBelow(entriesOf(connection, folder), {
          field: 'path',
          prefix: folder,
          place: connection.name,
        })
      : [{ name: file, attrs: await statOf(connection, file) }]
  return entries.map(({ name, attrs }) => fileOf(connection, name, attrs))
}

/** By its type in the mode, as POSIX has it. */
const isFile = ({ mode }: Attributes) => (mode & 0o170_000) === 0o100_000

interface Entry {
  /** Its whole path. */
  readonly name: string
  readonly attrs: Attributes
}

/** The files of a folder, not of those in it. */
async function* entriesOf(connection: SftpConnection, folder: string): AsyncGenerator<Entry> {
  const sftp = await connection.sftp()
  const list = await asked<FileEntry[]>(sftp, (done) => sftp.readdir(folder, done)).catch((error) => {
    throw connection.failure(error, folder)
  })
  const base = folder.endsWith('/') ? folder : `${folder}/`
  for (const { filename, attrs } of list.toSorted((a, b) => (a.filename < b.filename ? -1 : 1)))
    if (isFile(attrs)) yield { name: `${base}${filename}`, attrs }
}

async function statOf(connection: SftpConnection, path: string): Promise<Attributes> {
  const sftp = await connection.sftp()
  const attrs = await asked<Attributes>(sftp, (done) => sftp.stat(path, done)).catch((error) => {
    throw connection.failure(error, path)
  })
  if (isFile(attrs)) return attrs
  throw new RemoteError('not-found', `${connection.name}/${path.replace(/^\//, '')} is no file.`)
}

function fileOf(connection: SftpConnection, path: string, { size, mtime }: Attributes): RemoteFile {
  return {
    filename: lastPart(path),
    size,
    isResumable: true,
    open: async (start) => {
      const now = await statOf(connection, path)
      if (now.size !== size || now.mtime !== mtime)
        throw new RemoteError('incomplete', `The file ${lastPart(path)} changed while it was fetched.`, {
          changed: true,
        })
      return Readable.from(bytesOf(connection, path, start))
    },
  }
}

async function* bytesOf(connection: SftpConnection, path: string, start: number): AsyncGenerator<Buffer> {
  try {
    const sftp = await connection.sftp()
    const handle = await asked<Buffer>(sftp, (done) => sftp.open(path, 'r', done))
    try {
      yield* readAhead(sftp, handle, start)
    } finally {
      sftp.close(handle, () => {})
    }
  } catch (error) {
    throw connection.failure(error, path)
  }
}

export const openSftp: OpenStore = async (fields, surroundings) => {
  const { signal } = surroundings
  const connection = new SftpConnection(fields, surroundings)
  return {
    async put(file, sent) {
      // Under its own name only when it is whole.
      const partial = `${file.path}.${randomBytes(4).toString('hex')}.part`
      try {
        await surroundings.begun?.(partial)
        await sendWhole(connection, file, { partial, sent, signal })
        return await inPlace(connection, partial, file.path)
      } catch (error) {
        await clearUp(new SftpConnection(fields, withoutEnd(surroundings)), partial)
        signal.throwIfAborted()
        throw connection.failure(error, file.path)
      }
    },
    forget: (partial) => clearUp(new SftpConnection(fields, withoutEnd(surroundings)), partial),
    close: async () => connection.close(),
  }
}

/** For what has to be done though the transfer was stopped. */
const withoutEnd = (surroundings: Surroundings): Surroundings => ({
  ...surroundings,
  signal: AbortSignal.timeout(clearUpMs),
})

interface Sending {
  readonly partial: string
  readonly sent: (bytes: number) => void
  readonly signal: AbortSignal
}

async function sendWhole(
  connection: SftpConnection,
  file: OutgoingFile,
  { partial, sent, signal }: Sending,
): Promise<void> {
  let at = 0
  const written = (to: number) => {
    sent(to - at)
    at = to
  }
  for (let resumed = 0; ; resumed++) {
    try {
      const sftp = await connection.sftp()
      const handle = await openPartial(sftp, partial, at > 0)
      await writeAhead(sftp, handle, await file.open({ start: at, end: file.size, givesBack: true }), {
        start: at,
        written,
      })
      await asked<void>(sftp, (done) => sftp.close(handle, done))
      return
    } catch (error) {
      signal.throwIfAborted()
      const failure = connection.failure(error, file.path)
      const canGoOn = failure instanceof RemoteError && failure.isPassing && resumed < mostResumed
      if (!canGoOn) throw failure
      await sleep(pauseMs * 2 ** resumed, undefined, { signal })
    }
  }
}

/** Makes the folders of the path where they are missing. */
async function openPartial(sftp: SFTPWrapper, path: string, isThere: boolean): Promise<Buffer> {
  const open = (flags: 'r+' | 'w') => asked<Buffer>(sftp, (done) => sftp.open(path, flags, done))
  if (isThere) return open('r+')
  const noSuchFile = 2
  return open('w').catch(async (error: { code?: number }) => {
    if (error.code !== noSuchFile || !path.includes('/')) throw error
    const folders = path.split('/').slice(0, -1)
    for (let depth = 1; depth <= folders.length; depth++) {
      const folder = folders.slice(0, depth).join('/')
      // It may be there; if it cannot be made, the file cannot either, and that is told.
      if (folder !== '') await asked<void>(sftp, (done) => sftp.mkdir(folder, done)).catch(() => {})
    }
    return open('w')
  })
}

/** @returns where it is now. */
async function inPlace(connection: SftpConnection, partial: string, path: string): Promise<string> {
  const sftp = await connection.sftp()
  await asked<void>(sftp, (done) => sftp.ext_openssh_rename(partial, path, done)).catch(async () => {
    // Servers other than OpenSSH do not rename over what is there.
    await asked<void>(sftp, (done) => sftp.unlink(path, done)).catch(() => {})
    await asked<void>(sftp, (done) => sftp.rename(partial, path, done))
  })
  const whole = await asked<string>(sftp, (done) => sftp.realpath(path, done))
  return `${connection.name}${encodeURI(whole)}`
}

async function clearUp(connection: SftpConnection, partial: string): Promise<void> {
  try {
    const sftp = await connection.sftp()
    await asked<void>(sftp, (done) => sftp.unlink(partial, done))
  } catch {
    // It was never there, or the server is not.
  } finally {
    connection.close()
  }
}
