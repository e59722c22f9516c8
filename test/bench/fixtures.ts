import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FixtureName, makers } from './fixture-makers.ts'

export interface Fixture {
  readonly name: string
  readonly path: string
  readonly bytes: Buffer<ArrayBuffer>
}

/** The inputs of the benchmark, created on first use and deleted after the run. */
export class Fixtures {
  readonly #fixtures = new Map<FixtureName, Promise<Fixture>>()
  readonly #dir = mkdtemp(join(tmpdir(), 'mutabor-bench-'))

  get(name: FixtureName): Promise<Fixture> {
    const fixture = this.#fixtures.get(name) ?? this.#make(name)
    this.#fixtures.set(name, fixture)
    return fixture
  }

  /** Creates a folder for the output of engines. */
  async folder(name: string): Promise<string> {
    const path = join(await this.#dir, name)
    await mkdir(path, { recursive: true })
    return path
  }

  async #make(name: FixtureName): Promise<Fixture> {
    const path = join(await this.#dir, name)
    await makers[name](path, (other) => this.get(other))
    return { name, path, bytes: Buffer.from(await readFile(path)) }
  }

  async remove(): Promise<void> {
    await rm(await this.#dir, { recursive: true, force: true })
  }
}
