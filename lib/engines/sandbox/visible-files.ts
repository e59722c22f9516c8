import { constants } from 'node:fs'
import { access, readlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type FileRule, fileRights } from './launch-command.ts'

/** Paths below /etc and /var that programs need and that reveal nothing about this machine or its users. */
const readableSystemPaths = [
  '/etc/alternatives',
  '/etc/fonts',
  '/etc/ImageMagick-6',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/libreoffice',
  '/etc/localtime',
  '/etc/papersize',
  '/var/cache/fontconfig',
  '/var/lib/libreoffice',
] as const

/** Debian's list of system accounts. Some programs require that a user exists, but none needs the real accounts. */
const accountsFile = '/usr/share/base-passwd/passwd.master'

/** Programs fail if one of these files exists but is unreadable. Sandboxes with namespaces do not contain them. */
const readableWithoutNamespaces = [
  '/etc/mime.types',
  '/etc/passwd',
  '/etc/ssl/openssl.cnf',
  '/dev',
  '/proc',
  '/sys/devices/system/cpu',
  '/var/spool/libreoffice',
] as const

/** Path of the launch script inside the sandbox. Its real path would reveal where the service is installed. */
export const launcherPathInside = '/launch.pl'

const tmpfsBytes = 64 * 1024 * 1024

/** Returns the bwrap arguments that mount programs and libraries read-only and the work folder writable. */
export async function buildBindMountArgs(
  workDir: string,
  readOnly: readonly string[],
  launcher: string,
): Promise<string[]> {
  const args = ['--die-with-parent', '--new-session', '--ro-bind', '/usr', '/usr']
  for (const folder of ['/bin', '/sbin', '/lib', '/lib64'])
    args.push(...(await createSystemFolderArgs(folder)))
  args.push('--proc', '/proc', '--dev', '/dev', ...createTmpfsArgs('/dev/shm'), ...createTmpfsArgs('/tmp'))
  for (const source of [...readableSystemPaths, ...readOnly]) {
    args.push(...createParentFolderArgs(source), '--ro-bind-try', source, source)
  }
  args.push(...createParentFolderArgs('/etc/passwd'), '--ro-bind-try', accountsFile, '/etc/passwd')
  args.push('--ro-bind', launcher, launcherPathInside)
  args.push(...createParentFolderArgs(workDir), '--bind', workDir, workDir)
  args.push('--remount-ro', '/dev', '--remount-ro', '/', '--chdir', workDir)
  return args
}

/**
 * Returns arguments for a system folder, which is a symbolic link on systems with a merged /usr, and a folder on
 * others.
 */
async function createSystemFolderArgs(folder: string): Promise<string[]> {
  const target = await readlink(folder).catch(() => undefined)
  if (target !== undefined) return ['--symlink', target, folder]
  const exists = await access(folder, constants.R_OK).then(
    () => true,
    () => false,
  )
  return exists ? ['--ro-bind', folder, folder] : []
}

function createTmpfsArgs(folder: string): string[] {
  return ['--perms', '1777', '--size', String(tmpfsBytes), '--tmpfs', folder]
}

/**
 * Returns arguments for parent folders. By default, bwrap copies their real modes, and a data folder below /root would
 * be inaccessible.
 */
function createParentFolderArgs(source: string): string[] {
  const parent = dirname(source)
  if (parent === '/' || parent === '/tmp' || parent === '/usr') return []
  return [...createParentFolderArgs(parent), '--perms', '0755', '--dir', parent]
}

/**
 * Returns the Landlock rules that correspond to `buildBindMountArgs`. Landlock does not hide other files but prevents
 * opening them.
 */
export function buildLandlockRules(
  workDir: string,
  readOnly: readonly string[],
  allowsSocketNames = false,
): readonly FileRule[] {
  const { read, run, writeDevice, writeFolder, bindSockets } = fileRights
  const createRules = (rights: number, paths: readonly string[]) =>
    paths.map((path): FileRule => [rights, path])
  return [
    ...createRules(run, ['/usr', '/bin', '/sbin', '/lib', '/lib64', ...readOnly]),
    ...createRules(read, [...readableSystemPaths, ...readableWithoutNamespaces]),
    ...createRules(writeDevice, ['/dev/null', '/dev/zero', '/dev/full']),
    // Allows /tmp, where LibreOffice always creates its socket, whatever TMPDIR says.
    ...(allowsSocketNames ? createRules(bindSockets, ['/tmp']) : []),
    ...createRules(writeFolder, [workDir]),
  ]
}
