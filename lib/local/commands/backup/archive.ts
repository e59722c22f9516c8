import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as z from 'zod'

/** Name of the file that identifies an archive as a backup of this service, and says its format. */
export const backupManifestName = 'backup.json'

export const BackupManifest = z.looseObject({ format: z.literal(1), createdAt: z.iso.datetime() })
export type BackupManifest = z.infer<typeof BackupManifest>

/**
 * Flags for creating and extracting an archive, which contains no access control lists and no other attributes of the
 * owner, because restored files belong to the user who restores them.
 */
const commonFlags = ['--no-acls', '--no-selinux', '--no-xattrs']

/** Packs a folder. The manifest comes first, so that the start of an archive is enough to recognize it. */
export async function createArchive(folder: string, archive: string, signal: AbortSignal): Promise<void> {
  const contents = ['--directory', folder, '--', backupManifestName]
  await tar(
    [...commonFlags, '--create', '--file', archive, '--exclude', `./${backupManifestName}`, ...contents, '.'],
    signal,
  )
}

/** Extracts an archive into a folder and nowhere else: tar itself refuses `..` and absolute names. */
export async function extractArchive(archive: string, folder: string, signal: AbortSignal): Promise<void> {
  await tar(
    [...commonFlags, '--extract', '--file', archive, '--no-same-owner', '--directory', folder],
    signal,
  )
}

/** Runs tar without a time limit: archives can be large, and the person who waits can interrupt it. */
async function tar(args: readonly string[], signal: AbortSignal): Promise<void> {
  try {
    // Without --force-local, tar would treat the part of a name before a colon as a host.
    await promisify(execFile)('tar', ['--force-local', ...args], { signal })
  } catch (cause) {
    const stderr = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : ''
    // The first line says what is wrong; later lines are consequences.
    throw new Error(stderr.split('\n')[0] || String(cause), { cause })
  }
}
