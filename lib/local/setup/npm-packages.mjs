import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alone } from './lock.mjs'
import { capture } from './process.mjs'
import { phase } from './progress.mjs'

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

export const nodeBinary = (root) => join(root, 'node_modules/node/bin/node')

/** Package folders that the lockfile wants on this machine, without those of other systems. */
function wantedPackages(root) {
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

/** npm's own list of what it installed: removed before it begins, written when it has finished. */
const installedList = (root) => join(root, 'node_modules/.package-lock.json')
const stamp = (root) => join(root, 'node_modules/.setup')

/** What the lockfile asks for and what npm said that it did. */
function fingerprint(root) {
  const hash = createHash('sha256')
  for (const path of [join(root, 'package-lock.json'), installedList(root)]) hash.update(readFileSync(path))
  return hash.digest('hex')
}

/**
 * Says whether node_modules holds what package-lock.json asks for, be it from a set-up or from an npm install.
 *
 * @param {string} root
 */
function npmPackagesMatch(root) {
  if (!existsSync(installedList(root))) return false
  // A lockfile may name packages that npm ci has no use for; then only the stamp tells that it ran.
  if (existsSync(stamp(root)) && readFileSync(stamp(root), 'utf8') === fingerprint(root)) return true
  const installed = readJson(installedList(root)).packages
  return wantedPackages(root).every(([path, wanted]) => {
    const found = installed[path]
    // An optional package may be missing where its system's variant is chosen by more than os and cpu.
    if (!found) return wanted.optional === true
    return found.version === wanted.version && existsSync(join(root, path, 'package.json'))
  })
}

/** @param {string} root */
function nodeMatches(root) {
  const manifest = join(root, 'node_modules/node/package.json')
  if (!existsSync(manifest) || !existsSync(nodeBinary(root))) return false
  // Asking it also shows a binary that an interrupted installation cut short.
  const answer = spawnSync(nodeBinary(root), ['--version'], { encoding: 'utf8' })
  return answer.stdout?.trim() === `v${readJson(manifest).version}`
}

/**
 * The npm that started this, or the one on the PATH, and its environment. Neither may run on the Node that is
 * about to be replaced, which npm puts first on the PATH of its scripts.
 */
function outerNpm(root, env) {
  const isOuter = (path) => Boolean(path) && !path.startsWith(join(root, 'node_modules'))
  const node = [env.npm_node_execpath, process.execPath].find(isOuter)
  const PATH = env.PATH?.split(':').filter(isOuter).join(':')
  const npm = node && env.npm_execpath ? [node, env.npm_execpath] : ['npm']
  return { npm, npmEnv: { ...env, PATH } }
}

/**
 * Installs the packages of the lockfile and Node 24, where they are not there yet.
 *
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
export async function installNpmPackages(root, env) {
  if (npmPackagesMatch(root) && nodeMatches(root)) return
  await alone(async (lockFd) => {
    const { npm, npmEnv } = outerNpm(root, env)
    const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-progress']
    if (!npmPackagesMatch(root)) {
      const wanted = wantedPackages(root).map(([path]) => join(root, path, 'package.json'))
      await phase('Installing npm packages', async (say) => {
        const count = () => say(`${wanted.filter((path) => existsSync(path)).length} of ${wanted.length}`)
        const counter = setInterval(count, 1000)
        try {
          await capture([...npm, 'ci', ...quiet], { cwd: root, env: npmEnv, lockFd })
          writeFileSync(stamp(root), fingerprint(root))
        } finally {
          clearInterval(counter)
        }
      })
    }
    if (!nodeMatches(root)) {
      // Install scripts are off for all packages; this one's fetches the binary of this system.
      const rebuild = ['rebuild', 'node', '--ignore-scripts=false', ...quiet]
      await phase('Installing Node 24', () =>
        capture([...npm, ...rebuild], { cwd: root, env: npmEnv, lockFd }),
      )
      if (!nodeMatches(root)) throw new Error(`${nodeBinary(root)} does not run on this machine.`)
    }
  })
}
