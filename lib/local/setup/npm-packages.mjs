import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withSetupLock } from './lock.mjs'
import { runQuietly } from './process.mjs'
import { showPhase } from './progress.mjs'

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

export const getNodeBinary = (root) => join(root, 'node_modules/node/bin/node')

/** Returns the package folders in the lockfile that this machine needs, without packages for other systems. */
function listWantedPackages(root) {
  const allows = (list, value) =>
    !list ||
    (!list.includes(`!${value}`) && (list.every((item) => item.startsWith('!')) || list.includes(value)))
  return Object.entries(readJson(join(root, 'package-lock.json')).packages).filter(
    ([path, entry]) =>
      path !== '' &&
      allows(entry.os, process.platform) &&
      allows(entry.cpu, process.arch) &&
      allows(entry.libc, 'glibc'),
  )
}

/** npm's own list of installed packages, which it deletes before an installation and writes at its end. */
const getInstalledListPath = (root) => join(root, 'node_modules/.package-lock.json')
const getStampPath = (root) => join(root, 'node_modules/.setup')

/** Returns a hash of the lockfile and of npm's list of installed packages. */
function computeFingerprint(root) {
  const hash = createHash('sha256')
  for (const path of [join(root, 'package-lock.json'), getInstalledListPath(root)])
    hash.update(readFileSync(path))
  return hash.digest('hex')
}

/**
 * Returns true if node_modules matches package-lock.json, whether installed by setup or by npm.
 *
 * @param {string} root
 */
function npmPackagesMatch(root) {
  if (!existsSync(getInstalledListPath(root))) return false
  // A lockfile may list packages that npm ci does not install, in which case only the stamp shows that it ran.
  if (existsSync(getStampPath(root)) && readFileSync(getStampPath(root), 'utf8') === computeFingerprint(root))
    return true
  const installed = readJson(getInstalledListPath(root)).packages
  return listWantedPackages(root).every(([path, wanted]) => {
    const found = installed[path]
    // An optional package may be missing if its variant depends on more than os and cpu.
    if (!found) return wanted.optional === true
    return found.version === wanted.version && existsSync(join(root, path, 'package.json'))
  })
}

/**
 * Whether the Node in node_modules has the wanted version.
 * @param {string} root
 */
function nodeMatches(root) {
  const manifestPath = join(root, 'node_modules/node/package.json')
  if (!existsSync(manifestPath) || !existsSync(getNodeBinary(root))) return false
  // Running the binary also detects a binary that was truncated by an interrupted installation.
  const answer = spawnSync(getNodeBinary(root), ['--version'], { encoding: 'utf8' })
  return answer.stdout?.trim() === `v${readJson(manifestPath).version}`
}

/**
 * Returns the npm that started this process, or the one on the PATH, and its environment. It must not run on the Node
 * in node_modules, which npm puts first on the PATH of its scripts and which is about to be replaced.
 */
function findOuterNpm(root, env) {
  const isOuter = (path) => Boolean(path) && !path.startsWith(join(root, 'node_modules'))
  const node = [env.npm_node_execpath, process.execPath].find(isOuter)
  const PATH = env.PATH?.split(':').filter(isOuter).join(':')
  const npm = node && env.npm_execpath ? [node, env.npm_execpath] : ['npm']
  return { npm, npmEnv: { ...env, PATH } }
}

/**
 * Installs the packages of the lockfile and Node 24, unless they are already installed.
 *
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
export async function installNpmPackages(root, env) {
  if (npmPackagesMatch(root) && nodeMatches(root)) return
  await withSetupLock(async (lockFd) => {
    const { npm, npmEnv } = findOuterNpm(root, env)
    const quietFlags = ['--loglevel=error', '--no-audit', '--no-fund', '--no-progress']
    if (!npmPackagesMatch(root)) {
      const wanted = listWantedPackages(root).map(([path]) => join(root, path, 'package.json'))
      await showPhase('Installing npm packages', async (report) => {
        const count = () => report(`${wanted.filter((path) => existsSync(path)).length} of ${wanted.length}`)
        const counter = setInterval(count, 1000)
        try {
          await runQuietly([...npm, 'ci', ...quietFlags], { cwd: root, env: npmEnv, lockFd })
          writeFileSync(getStampPath(root), computeFingerprint(root))
        } finally {
          clearInterval(counter)
        }
      })
    }
    if (!nodeMatches(root)) {
      // Install scripts are off, except that of the package `node`, which fetches the binary for this system.
      const rebuildArgs = ['rebuild', 'node', '--ignore-scripts=false', ...quietFlags]
      await showPhase('Installing Node 24', () =>
        runQuietly([...npm, ...rebuildArgs], { cwd: root, env: npmEnv, lockFd }),
      )
      if (!nodeMatches(root)) throw new Error(`${getNodeBinary(root)} does not run on this machine.`)
    }
  })
}
