import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyBuildInfo } from './type-check.ts'

/** Returns whether a file or folder is not copied, such as generated data. */
const isExcluded = (name: string) =>
  name === '.git' || name === 'node_modules' || name.startsWith('.data') || name === folder

const folder = '.mutants'

/**
 * A copy of the whole project in which faults are inserted. Sources are copied; packages are hard links (60,000 files
 * in less than a second), which are never written to.
 */
export class ProjectCopy {
  readonly root: string
  readonly #original: string

  constructor(originalRoot: string) {
    this.#original = originalRoot
    // The copy is inside the project, because hard links need the same file system, but not in node_modules, where Node
    // strips no types.
    mkdirSync(join(originalRoot, folder), { recursive: true })
    this.root = mkdtempSync(join(originalRoot, folder, 'copy-'))
    for (const name of readdirSync(originalRoot)) {
      if (!isExcluded(name)) cpSync(join(originalRoot, name), join(this.root, name), { recursive: true })
    }
    const linkedModules = spawnSync('cp', ['-al', join(originalRoot, 'node_modules'), this.root], {
      encoding: 'utf8',
    })
    if (linkedModules.status !== 0)
      throw new Error(`Could not create hard links to the packages: ${linkedModules.stderr}`)
    copyBuildInfo(originalRoot, this.root)
  }

  /** Inserts the fault while `run` runs, then restores the file. */
  async withMutant<T>(file: string, text: string, run: () => Promise<T>): Promise<T> {
    const path = join(this.root, file)
    try {
      writeFileSync(path, text)
      return await run()
    } finally {
      cpSync(join(this.#original, file), path)
    }
  }

  remove(): void {
    // Killed processes can still be writing, so retry.
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
    const parent = dirname(this.root)
    if (readdirSync(parent).length === 0) rmSync(parent, { recursive: true })
  }
}
