import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withSetupLock } from './lock.mjs'
import { runQuietly } from './process.mjs'
import { showPhase } from './progress.mjs'

const aptGet = ['apt-get', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3']
/** `Status-Fd` is 1 because sudo closes other descriptors. Status lines are recognized by their first word. */
const aptInstall = [...aptGet, 'install', '-y', '--no-install-recommends', '-o', 'APT::Status-Fd=1']

/**
 * Returns the Debian packages that are listed in these sections of layers/packages.json and are not installed.
 *
 * @param {string} root
 * @param {(section: string) => boolean} includesSection
 */
export function findMissingDebianPackages(root, includesSection) {
  const sections = JSON.parse(readFileSync(join(root, 'layers/packages.json'), 'utf8'))
  const wanted = new Set(
    Object.keys(sections)
      .filter(includesSection)
      .flatMap((section) => sections[section]),
  )
  const format = `\${Package} \${db:Status-Status}\\n`
  // dpkg-query exits with code 1 if it does not know a package, which then counts as not installed.
  const query = spawnSync('dpkg-query', ['-W', `-f=${format}`, ...wanted], { encoding: 'utf8' })
  const installed = new Set(query.stdout?.split('\n').filter((line) => line.endsWith(' installed')))
  return [...wanted].filter((name) => !installed.has(`${name} installed`))
}

/**
 * Returns the command prefix for becoming root without a password prompt; empty for root, undefined if it is
 * impossible.
 */
function getRootPrefix() {
  if (spawnSync('apt-get', ['--version']).status !== 0) return undefined
  if (process.getuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined
}

/**
 * Returns the systemd units to mask before the installation. Installing openssh-server starts it, now and at each boot,
 * but tests only need the program, which they start with their own settings and port.
 * @param {readonly string[]} names
 */
function findServicesToMask(names) {
  return names.includes('openssh-server') && existsSync('/run/systemd/system')
    ? ['ssh.service', 'ssh.socket']
    : []
}

/**
 * Returns the commands that the user has to run if setup has no permission.
 * @param {readonly string[]} names
 */
export function createInstallCommand(names) {
  const unitsToMask = findServicesToMask(names)
  const first = unitsToMask.length > 0 ? `systemctl mask ${unitsToMask.join(' ')} && ` : ''
  return `${first}apt-get update && apt-get install -y --no-install-recommends ${names.join(' ')}`
}

/**
 * Reads the progress in apt's output.
 * @param {string} line a line of output
 * @returns {string | undefined} the progress, if the line reports it
 */
function parseAptProgress(line) {
  const [kind, , percent, text = ''] = line.split(':')
  if (kind === 'dlstatus') return `downloading, ${Math.round(Number(percent))} %`
  if (kind === 'pmstatus') return `${Math.round(Number(percent))} %, ${text.trim()}`
  return undefined
}

/**
 * Installs the missing packages.
 *
 * @param {string} root
 * @param {(section: string) => boolean} includesSection
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string[]>} packages that this user has no permission to install
 */
export async function installDebianPackages(root, includesSection, env) {
  if (findMissingDebianPackages(root, includesSection).length === 0) return []
  return await withSetupLock(async (lockFd) => {
    const names = findMissingDebianPackages(root, includesSection)
    const rootPrefix = getRootPrefix()
    if (names.length === 0 || !rootPrefix) return names
    // sudo drops the environment, so env(1) sets the variable.
    const commandPrefix = [...rootPrefix, 'env', 'DEBIAN_FRONTEND=noninteractive']
    // Finishes an interrupted installation; if there is none, this is quick.
    await runQuietly([...commandPrefix, 'dpkg', '--configure', '-a'], { env, lockFd })
    await showPhase('Reading the Debian package lists', () =>
      runQuietly([...commandPrefix, ...aptGet, 'update'], { env, lockFd }),
    )
    const unitsToMask = findServicesToMask(names)
    if (unitsToMask.length > 0)
      await runQuietly([...commandPrefix, 'systemctl', 'mask', ...unitsToMask], { env, lockFd })
    await showPhase(`Installing ${names.length} Debian packages`, (report) =>
      runQuietly([...commandPrefix, ...aptInstall, ...names], {
        env,
        lockFd,
        onLine: (line) => {
          const progress = parseAptProgress(line)
          if (progress) report(progress)
        },
      }),
    )
    return []
  })
}
