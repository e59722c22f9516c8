import { stat } from 'node:fs/promises'

/** Remembers the data of the last file, because `run` follows `split` in the same process if the work is not split. */
export class LastFile<Value> {
  #lastFile: { readonly fileKey: string; readonly value: Value } | undefined

  /**
   * Returns the remembered data if the file is unchanged, and otherwise that of `read`.
   * @param isCacheable whether a value stays valid after its step, when the other files of the step are deleted.
   */
  async read(
    path: string,
    read: () => Promise<Value>,
    isCacheable: (value: Value) => boolean = () => true,
  ): Promise<Value> {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true })
    const fileKey = [path, ino, mtimeNs, size].join(' ')
    if (this.#lastFile?.fileKey === fileKey) return this.#lastFile.value
    const value = await read()
    if (isCacheable(value)) this.#lastFile = { fileKey, value }
    return value
  }
}
