import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'

/** In a folder of the same depth as the build info file of `tsconfig.json`, because the paths in it are relative. */
const copiedBuildInfo = '.types/cache/types.tsbuildinfo'
const projectBuildInfo = 'node_modules/.cache/types.tsbuildinfo'

/** Copies the compiler's build info, so that only changed files are checked in the copy. */
export function copyBuildInfo(originalRoot: string, copy: string): void {
  const path = join(originalRoot, projectBuildInfo)
  if (existsSync(path)) cpSync(path, join(copy, copiedBuildInfo))
}

/** Returns whether a copy compiles; true for a project without types. */
export async function compilesWithoutErrors(root: string): Promise<boolean> {
  if (!existsSync(join(root, 'tsconfig.json'))) return true
  const args = ['--noEmit', '--tsBuildInfoFile', copiedBuildInfo]
  const [code] = await once(spawn('node_modules/.bin/tsc', args, { cwd: root, stdio: 'ignore' }), 'close')
  return code === 0
}
