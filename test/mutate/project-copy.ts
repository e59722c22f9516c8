import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyBuildInfo } from './type-check.ts'

/** Of the project, what stays behind: what other runs of it made. */
const isExcluded = (name: string) =>
  name === '.git' || name === 'node_modules' || name.startsWith('.data') || name === folder

const folder = '.mutants'

/**
 * A whole project that faults are put into. Its sources are copies; packages are links to the same bytes (60,000
 * files: under a second), which nobody writes.
 */
export class ProjectCopy {
  readonly root: string
  readonly #original: string

  constructor(original: string) {
    this.#original = original
    // Beside its sources: links do not reach other file systems, and Node strips no types below node_modules.
    mkdirSync(join(original, folder), { recursive: true })
    this.root = mkdtempSync(join(original, folder, 'copy-'))
    for (const name of readdirSync(original)) {
      if (!isExcluded(name)) cpSync(join(original, name), join(this.root, name), { recursive: true })
    }
    const linked = spawnSync('cp', ['-al', join(original, 'node_modules'), this.root], { encoding: 'utf8' })
    if (linked.status !== 0) throw new Error(`The packages cannot be linked: ${linked.stderr}`)
    copyBuildInfo(original, this.root)
  }

  /** Puts the fault in while something runs. */
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
    // What was killed may still be writing.
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
    const parent = dirname(this.root)
    if (readdirSync(parent).length === 0) rmSync(parent, { recursive: true })
  }
}
