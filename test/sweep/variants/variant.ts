import type { Category } from '../../../lib/formats/index.ts'

/** A whole file that few programs write. */
export interface Variant {
  readonly area: Category
  /** With the extension of its format; the file is named so. */
  readonly name: string
  /** Programs with their arguments, one after the other; `{out}` is the file, `{in}` a folder of small files. */
  readonly commands: readonly (readonly string[])[]
  readonly options?: Readonly<Record<string, unknown>>
  /** What it was made of, where no other program can look into it. */
  readonly made?: string
  /** What can be read in it, where its letters are encoded. */
  readonly words?: string
}

export const fixture = (name: string) => new URL(`../../fixtures/${name}`, import.meta.url).pathname

/** Every one of the first with every one of the second. */
export const each = <A, B>(
  first: Readonly<Record<string, A>>,
  second: Readonly<Record<string, B>>,
): readonly (readonly [name: string, A, B])[] =>
  Object.entries(first).flatMap(([one, a]) =>
    Object.entries(second).map(([other, b]) => [`${one}-${other}`, a, b] as const),
  )
