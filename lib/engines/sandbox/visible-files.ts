import { constants } from 'node:fs'
import { access, readlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type FileRule, fileRights } from './launch-command.ts'

/** What programs need of /etc and /var, and nothing that tells about this machine or its users. */
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

/** Debian's list of the system's own accounts: some programs want a user to exist, none needs the real ones. */
const accountsFile = '/usr/share/base-passwd/passwd.master'

/** Programs die of these where they are there and may not be read, instead of not being there. */
const readableWithoutNamespaces = [
  '/etc/mime.types',
  '/etc/passwd',
  '/etc/ssl/openssl.cnf',
  '/dev',
  '/proc',
  '/sys/devices/system/cpu',
  '/var/spool/libreoffice',
] as const

/** Where the launcher is for what is inside: its real place would show where the service lies. */
export const launcherPathInside = '/launch.pl'

const tmpfsBytes = 64 * 1024 * 1024

/** bwrap's arguments for what a sandbox sees: programs and libraries to read, one folder to write. */
export async function bindMountArgs(
  workDir: string,
  readOnly: readonly string[],
  launcher: string,
): Promise<string[]> {
  const args = ['--die-with-parent', '--new-session', '--ro-bind', '/usr', '/usr']
  for (const folder of ['/bin', '/sbin', '/lib', '/lib64']) args.push(...(await systemFolderArgs(folder)))
  args.push('--proc', '/proc', '--dev', '/dev', ...tmpfsArgs('/dev/shm'), ...tmpfsArgs('/tmp'))
  for (const source of [...readableSystemPaths, ...readOnly]) {
    args.push(...parentFolderArgs(source), '--ro-bind-try', source, source)
  }
  args.push(...parentFolderArgs('/etc/passwd'), '--ro-bind-try', accountsFile, '/etc/passwd')
  args.push('--ro-bind', launcher, launcherPathInside)
  args.push(...parentFolderArgs(workDir), '--bind', workDir, workDir)
  args.push('--remount-ro', '/dev', '--remount-ro', '/', '--chdir', workDir)
  return args
}

/** Merged-usr systems have links here, others folders. */
async function systemFolderArgs(folder: string): Promise<string[]> {
  const target = await readlink(folder).catch(() => undefined)
  if (target !== undefined) return ['--symlink', target, folder]
  const exists = await access(folder, constants.R_OK).then(
    () => true,
    () => false,
  )
  return exists ? ['--ro-bind', folder, folder] : []
}

function tmpfsArgs(folder: string): string[] {
  return ['--perms', '1777', '--size', String(tmpfsBytes), '--tmpfs', folder]
}

/** Without these bwrap copies the modes of the real parents, and a data folder below /root could not be entered. */
function parentFolderArgs(source: string): string[] {
  const parent = dirname(source)
  if (parent === '/' || parent === '/tmp' || parent === '/usr') return []
  return [...parentFolderArgs(parent), '--perms', '0755', '--dir', parent]
}

/** The same for Landlock, which hides nothing but lets nothing else be opened. */
export function landlockRules(
  workDir: string,
  readOnly: readonly string[],
  allowsSocketNames = false,
): readonly FileRule[] {
  const { read, run, writeDevice, writeFolder: work, bindSockets: nameSockets } = fileRights
  const rules = (rights: number, paths: readonly string[]) => paths.map((path): FileRule => [rights, path])
  return [
    ...rules(run, ['/usr', '/bin', '/sbin', '/lib', '/lib64', ...readOnly]),
    ...rules(read, [...readableSystemPaths, ...readableWithoutNamespaces]),
    ...rules(writeDevice, ['/dev/null', '/dev/zero', '/dev/full']),
    // LibreOffice names its socket there, whatever it is told.
    ...(allowsSocketNames ? rules(nameSockets, ['/tmp']) : []),
    ...rules(work, [workDir]),
  ]
}
