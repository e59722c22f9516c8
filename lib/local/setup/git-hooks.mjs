import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Makes git run `.githooks/commit-msg`, which checks the subjects of commits. Does nothing outside a git checkout,
 * without git, or if hooks are already in use: the user's own, or those in another folder that is configured.
 * @param {string} root
 */
export function installGitHooks(root) {
  if (!existsSync(join(root, '.git')) || !existsSync(join(root, '.githooks'))) return
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8', timeout: 10_000 })
  const { status, stdout } = git('rev-parse', '--git-path', 'hooks')
  // git is missing, or refuses to read a checkout of another user.
  if (status !== 0) return
  const hooksFolder = resolve(root, stdout.trim())
  const isInUse =
    existsSync(hooksFolder) && readdirSync(hooksFolder).some((name) => !name.endsWith('.sample'))
  const unsetExitCode = 1
  if (!isInUse && git('config', '--get', 'core.hooksPath').status === unsetExitCode)
    git('config', 'core.hooksPath', '.githooks')
}
