import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'

/** As deep in the project as the file that `tsconfig.json` names, since it tells files from where it lies. */
const copiedBuildInfo = '.types/cache/types.tsbuildinfo'
const projectBuildInfo = 'node_modules/.cache/types.tsbuildinfo'

/** What the compiler knows of a project is known of a copy of it, of which then only what is changed is looked at. */
export function copyBuildInfo(original: string, copy: string): void {
  const path = join(original, projectBuildInfo)
  if (existsSync(path)) cpSync(path, join(copy, copiedBuildInfo))
}

/** Whether the compiler takes a copy as it is now; one that has no types is taken. */
export async function compiles(root: string): Promise<boolean> {
  if (!existsSync(join(root, 'tsconfig.json'))) return true
  const args = ['--noEmit', '--tsBuildInfoFile', copiedBuildInfo]
  const [code] = await once(spawn('node_modules/.bin/tsc', args, { cwd: root, stdio: 'ignore' }), 'close')
  return code === 0
}
