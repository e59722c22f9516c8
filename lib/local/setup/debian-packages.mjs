import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { alone } from './lock.mjs'
import { capture } from './process.mjs'
import { phase } from './progress.mjs'

const aptGet = ['apt-get', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3']
/** `Status-Fd` 1: sudo closes every other descriptor. The status lines are told apart by their first word. */
const aptInstall = [...aptGet, 'install', '-y', '--no-install-recommends', '-o', 'APT::Status-Fd=1']

/**
 * Names of the Debian packages of the given parts of layers/packages.json that are not installed.
 *
 * @param {string} root
 * @param {(part: string) => boolean} wantsPart
 */
export function missingDebianPackages(root, wantsPart) {
  const parts = JSON.parse(readFileSync(join(root, 'layers/packages.json'), 'utf8'))
  const wanted = new Set(
    Object.keys(parts)
      .filter(wantsPart)
      .flatMap((part) => parts[part]),
  )
  const format = `\${Package} \${db:Status-Status}\\n`
  // It ends with code 1 when a name is unknown to it, which is one of the answers.
  const query = spawnSync('dpkg-query', ['-W', `-f=${format}`, ...wanted], { encoding: 'utf8' })
  const installed = new Set(query.stdout?.split('\n').filter((line) => line.endsWith(' installed')))
  return [...wanted].filter((name) => !installed.has(`${name} installed`))
}

/** How to become root without a question: nothing for root itself, undefined where there is no way. */
function becomeRoot() {
  if (spawnSync('apt-get', ['--version']).status !== 0) return undefined
  if (process.getuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined
}

/**
 * Installing a server of SSH starts it, and with each boot, where systemd is: only tests need it, with settings and a
 * port of their own.
 *
 * @param {readonly string[]} names
 */
function servicesToMask(names) {
  return names.includes('openssh-server') && existsSync('/run/systemd/system')
    ? ['ssh.service', 'ssh.socket']
    : []
}

/**
 * The commands that a person has to run where the set-up may not.
 *
 * @param {readonly string[]} names
 */
export function installCommand(names) {
  const masked = servicesToMask(names)
  const first = masked.length > 0 ? `systemctl mask ${masked.join(' ')} && ` : ''
  return `${first}apt-get update && apt-get install -y --no-install-recommends ${names.join(' ')}`
}

/**
 * @param {string} line of apt's output
 * @returns {string | undefined} how far apt says that it is
 */
function aptProgress(line) {
  const [kind, , percent, text = ''] = line.split(':')
  if (kind === 'dlstatus') return `downloading, ${Math.round(Number(percent))} %`
  if (kind === 'pmstatus') return `${Math.round(Number(percent))} %, ${text.trim()}`
  return undefined
}

/**
 * Installs what is missing.
 *
 * @param {string} root
 * @param {(part: string) => boolean} wantsPart
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string[]>} names that this user may not install
 */
export async function installDebianPackages(root, wantsPart, env) {
  if (missingDebianPackages(root, wantsPart).length === 0) return []
  return await alone(async (lockFd) => {
    const names = missingDebianPackages(root, wantsPart)
    const asRoot = becomeRoot()
    if (names.length === 0 || !asRoot) return names
    // sudo drops the environment, hence env(1).
    const run = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive']
    // Needed when an earlier installation was cut short, quick when not.
    await capture([...run, 'dpkg', '--configure', '-a'], { env, lockFd })
    await phase('Reading the Debian package lists', () =>
      capture([...run, ...aptGet, 'update'], { env, lockFd }),
    )
    const masked = servicesToMask(names)
    if (masked.length > 0) await capture([...run, 'systemctl', 'mask', ...masked], { env, lockFd })
    await phase(`Installing ${names.length} Debian packages`, (say) =>
      capture([...run, ...aptInstall, ...names], {
        env,
        lockFd,
        onLine: (line) => {
          const howFar = aptProgress(line)
          if (howFar) say(howFar)
        },
      }),
    )
    return []
  })
}
