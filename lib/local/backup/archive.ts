import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as z from 'zod'

/** Says that an archive is one of ours, and how to read it. */
export const backupManifestName = 'backup.json'

export const BackupManifest = z.looseObject({ format: z.literal(1), createdAt: z.iso.datetime() })
export type BackupManifest = z.infer<typeof BackupManifest>

/** Owners are those of whoever restores. */
const commonFlags = ['--no-acls', '--no-selinux', '--no-xattrs']

/** Packs a folder. The manifest comes first, so that an archive can be told by its beginning. */
export async function createArchive(folder: string, archive: string, signal: AbortSignal): Promise<void> {
  const contents = ['--directory', folder, '--', backupManifestName]
  await tar(
    [...commonFlags, '--create', '--file', archive, '--exclude', `./${backupManifestName}`, ...contents, '.'],
    signal,
  )
}

/** Unpacks into a folder and nowhere else: tar itself refuses `..` and absolute names. */
export async function extractArchive(archive: string, folder: string, signal: AbortSignal): Promise<void> {
  await tar(
    [...commonFlags, '--extract', '--file', archive, '--no-same-owner', '--directory', folder],
    signal,
  )
}

/** No time limit: an archive is as big as it is, and a person who waits can end it. */
async function tar(args: readonly string[], signal: AbortSignal): Promise<void> {
  try {
    // "--force-local": a colon in a name is no host.
    await promisify(execFile)('tar', ['--force-local', ...args], { signal })
  } catch (cause) {
    const stderr = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : ''
    // The first line says what is wrong, those after it what follows from it.
    throw new Error(stderr.split('\n')[0] || String(cause), { cause })
  }
}
