// The bytes of objects: one file per object or part, with a random name. Keys never become paths.
import { randomBytes } from 'node:crypto'
import { constants, createWriteStream, fchmodSync, fchownSync } from 'node:fs'
import {
  chmod,
  chown,
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rm,
  stat,
} from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeBuffered } from '../../io/buffered-writer.ts'
import { readDiskSpace } from '../../io/disk-space.ts'
import { readAhead, readFully } from '../../io/read-ahead.ts'
import type { LogFunction } from '../log-line.ts'

export interface Span {
  readonly blob: string
  readonly size: number
}

export class Blobs {
  readonly #dir: string
  readonly #log: LogFunction
  readonly #readerGroup: number | undefined
  readonly #readers = new Map<string, number>()
  readonly #pendingDeletes = new Set<string>()

  /** Creates the store. @param readerGroup group whose processes may read the files. */
  constructor(dir: string, log: LogFunction, readerGroup?: number) {
    this.#dir = dir
    this.#log = log
    this.#readerGroup = readerGroup
  }

  /**
   * Writes a new blob; resolves when its bytes are on disk. The name is new and nothing refers to it before the
   * caller's commit, so it needs no temporary name and no rename; the sweep removes files that a crash leaves behind.
   * The folder is not synced either: ext4, XFS and btrfs write the entry of a new file with its first sync.
   */
  async write(chunks: AsyncIterable<Buffer>): Promise<Span> {
    await this.#requireRoom(0)
    const blob = randomBytes(16).toString('hex')
    const file = await open(this.#path(blob), 'wx', 0o600)
    try {
      if (this.#readerGroup !== undefined) this.#restrict(file)
      const size = await writeBuffered(chunks, file, () => this.#requireRoom(0))
      await file.datasync()
      return { blob, size }
    } catch (cause) {
      await this.remove([blob])
      throw cause
    } finally {
      await file.close()
    }
  }

  /**
   * Adopts a file as a new blob; resolves when its bytes are on disk, after which its original name may be deleted.
   * Uses fsync, because with fdatasync ext4 guarantees nothing for a second name of a file.
   * @param owner the user that must own the file: the caller may have replaced a folder of its path by a link.
   * @throws for a symbolic link and anything else that is not a regular file
   */
  async adopt(path: string, owner?: number): Promise<Span> {
    const blob = randomBytes(16).toString('hex')
    const target = this.#path(blob)
    await link(path, target).catch((error: unknown) => {
      if (!isLinkError(error)) throw error
      return copyOwned(path, target, owner)
    })
    try {
      const file = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      try {
        const stats = await file.stat()
        if (!stats.isFile()) throw new Error('Expected a regular file.')
        requireOwner(stats, owner)
        // The engine that wrote the file must no longer be able to change it.
        const isRestricted = stats.uid === process.getuid?.() && (stats.mode & 0o777) === 0o600
        if (!isRestricted || this.#readerGroup !== undefined) this.#restrict(file)
        await file.sync()
        return { blob, size: stats.size }
      } finally {
        await file.close()
      }
    } catch (cause) {
      await this.remove([blob])
      throw cause
    }
  }

  /**
   * Restricts the access to a file. The call is synchronous, because it needs no disk access and the thread pool would
   * take fifty times as long.
   */
  #restrict({ fd }: FileHandle): void {
    const [uid, gid] = [process.getuid?.(), this.#readerGroup ?? process.getgid?.()]
    if (uid !== undefined && gid !== undefined) fchownSync(fd, uid, gid)
    fchmodSync(fd, this.#readerGroup === undefined ? 0o600 : 0o640)
  }

  /** Creates a hard link to a blob, whose bytes never change. */
  link({ blob }: Span): Promise<Span> {
    return this.adopt(this.#path(blob))
  }

  /** Copies the concatenated bytes of the spans into a file; for a single span the kernel copies them. */
  async copyTo(spans: readonly Span[], path: string): Promise<void> {
    const size = spans.reduce((sum, span) => sum + span.size, 0)
    await this.#requireRoom(size)
    const [onlySpan, ...moreSpans] = spans
    if (onlySpan && moreSpans.length === 0) {
      await copyFile(this.#path(onlySpan.blob), path, constants.COPYFILE_FICLONE)
      return
    }
    await pipeline(this.read(spans, 0, size - 1), createWriteStream(path))
  }

  /** Returns the files that contain the bytes of the spans. */
  locate(spans: readonly Span[]): { path: string; size: number }[] {
    return spans.map(({ blob, size }) => ({ path: this.#path(blob), size }))
  }

  /** Keeps blobs readable until the returned function is called, even if their object is deleted meanwhile. */
  hold(spans: readonly Span[]): () => void {
    for (const { blob } of spans) this.#readers.set(blob, (this.#readers.get(blob) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const free = spans.filter(({ blob }) => this.#release(blob)).map(({ blob }) => blob)
      void this.remove(free)
    }
  }

  #release(blob: string): boolean {
    const readers = (this.#readers.get(blob) ?? 1) - 1
    if (readers > 0) this.#readers.set(blob, readers)
    else this.#readers.delete(blob)
    return readers === 0 && this.#pendingDeletes.delete(blob)
  }

  /**
   * Deletes files that no row refers to any more. Failures are not reported to the client, because the sweep at the
   * next start deletes such files.
   */
  async remove(blobs: readonly string[]): Promise<void> {
    for (const blob of blobs) {
      if (this.#readers.has(blob)) {
        this.#pendingDeletes.add(blob)
        continue
      }
      try {
        await rm(this.#path(blob), { force: true })
      } catch (cause) {
        this.#log('A deleted object left a file behind', { blob, cause })
      }
    }
  }

  /**
   * Yields the bytes from first to last (inclusive) of the concatenated spans. The caller may release a chunk after
   * use.
   */
  async *read(spans: readonly Span[], firstByte: number, lastByte: number): AsyncGenerator<Buffer> {
    let offset = 0
    for (const { blob, size } of spans) {
      const start = Math.max(firstByte - offset, 0)
      const end = Math.min(lastByte - offset + 1, size)
      offset += size
      if (start >= end) continue
      await using file = await open(this.#path(blob))
      yield* readAhead(start, end, (at, bytes) => readFully(file, at, bytes))
    }
  }

  /** Deletes every file that no row refers to, as left by interrupted uploads and deletions. */
  async sweep(isKnown: (blob: string) => boolean): Promise<number> {
    let deletedCount = 0
    for (let prefix = 0; prefix < 256; prefix++) {
      const folder = join(this.#dir, toHex(prefix))
      await mkdir(folder, { recursive: true })
      if (this.#readerGroup !== undefined) await admitGroup(folder, this.#readerGroup)
      const orphanNames = (await readdir(folder)).filter((name) => !isKnown(name))
      for (const name of orphanNames) await rm(join(folder, name), { recursive: true, force: true })
      deletedCount += orphanNames.length
    }
    return deletedCount
  }

  /** Keeps the last part of the disk free for deletions. @throws ENOSPC, like the system, if only that part is left */
  async #requireRoom(bytes: number): Promise<void> {
    const { free, reserved } = await readDiskSpace(this.#dir)
    if (free - bytes >= reserved) return
    throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' })
  }

  #path(blob: string): string {
    return join(this.#dir, blob.slice(0, 2), blob)
  }
}

function requireOwner({ uid }: { readonly uid: number }, owner: number | undefined): void {
  if (owner !== undefined && uid !== owner) throw new Error('Expected a file that the caller owns.')
}

/** Copies a file that must belong to `owner`, who then owns the copy too. */
async function copyOwned(path: string, target: string, owner: number | undefined): Promise<void> {
  await using source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  requireOwner(await source.stat(), owner)
  // Copies the open file, even if its path now leads to another file.
  await copyFile(`/proc/self/fd/${source.fd}`, target, constants.COPYFILE_EXCL)
  if (owner !== undefined) await chown(target, owner, owner)
}

/** Lets a group enter a folder, whose files it can then open by name. */
async function admitGroup(folder: string, group: number): Promise<void> {
  await chown(folder, (await stat(folder)).uid, group)
  await chmod(folder, 0o710)
}

/** Whether a link failed because of another disk, or because the file already has the maximum number of links. */
const isLinkError = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'EXDEV' || error.code === 'EMLINK')

const toHex = (byte: number) => byte.toString(16).padStart(2, '0')
