import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { type FileReference, Files, type ObjectInfo } from '../../lib/aws/files.ts'
import type { Config } from '../../lib/config.ts'
import { AppError } from '../../lib/errors.ts'
import type { EffectGate } from './function-instance.ts'

const computeEtag = (bytes: Uint8Array) => `"${createHash('md5').update(bytes).digest('hex')}"`

/** The bucket in memory. */
export class MemoryFiles extends Files {
  readonly #gate: EffectGate
  readonly objects = new Map<string, Uint8Array>()

  constructor(config: Config, gate: EffectGate) {
    super(config)
    this.#gate = gate
  }

  override async putFile(key: string, path: string, contentType: string): Promise<void> {
    await this.putBytes(key, await readFile(path), contentType)
  }

  override async putBytes(key: string, body: Uint8Array, _contentType: string): Promise<void> {
    await this.#gate.effect('object written', async () => {
      this.objects.set(key, body)
    })
  }

  override async getFile({ key, filename }: FileReference, path: string): Promise<void> {
    await this.#gate.observe(async () => {
      const foundObject = this.objects.get(key)
      if (!foundObject) throw new AppError('FILE_GONE', `The file ${filename} is deleted.`)
      await writeFile(path, foundObject)
    })
  }

  override async read(key: string, start: number, end: number): Promise<Uint8Array> {
    return this.#gate.observe(async () => (this.objects.get(key) ?? new Uint8Array()).slice(start, end))
  }

  override async head(key: string): Promise<ObjectInfo | undefined> {
    return this.#gate.observe(async () => {
      const foundObject = this.objects.get(key)
      return (
        foundObject && {
          size: foundObject.length,
          contentType: 'image/png',
          etag: computeEtag(foundObject),
          storedAt: new Date(0),
        }
      )
    })
  }

  override async copy({ key, filename }: FileReference, to: string): Promise<string> {
    const foundObject = this.objects.get(key)
    if (!foundObject) throw new AppError('FILE_GONE', `The file ${filename} is deleted.`)
    await this.#gate.effect('object copied', async () => {
      this.objects.set(to, foundObject)
    })
    return computeEtag(foundObject)
  }

  override async delete(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return
    await this.#gate.effect('objects deleted', async () => {
      for (const key of keys) this.objects.delete(key)
    })
  }

  override async deleteAll(keys: readonly string[], prefix: string): Promise<void> {
    await this.delete([...keys, ...[...this.objects.keys()].filter((key) => key.startsWith(prefix))])
  }
}
