import type { Category, FormatId } from '../../../lib/formats/index.ts'

/** A valid file that few programs write. */
export interface Variant {
  readonly area: Category
  /** The file name with the extension of its format. */
  readonly name: string
  /** Commands that run one after another; `{out}` is the file's path, `{in}` a folder of small files. */
  readonly commands: readonly (readonly string[])[]
  readonly options?: Readonly<Record<string, unknown>>
  /** Targets to try; by default one that is usual for the format. */
  readonly targets?: readonly FormatId[]
  /** Path of the file to compare the result with, if no other program can read the variant; may contain `{out}`. */
  readonly comparisonPath?: string
  /** Text of the variant, if other programs cannot read it. */
  readonly words?: string
  /** Whether the words must be in the result even if a warning says that something else was lost. */
  readonly mustKeepWords?: boolean
  /** Markup that no result may show as text. */
  readonly markup?: string
}

export const fixture = (name: string) => new URL(`../../fixtures/${name}`, import.meta.url).pathname

/** Combines every element of the first list with every element of the second. */
export const each = <A, B>(
  firstVariants: Readonly<Record<string, A>>,
  secondVariants: Readonly<Record<string, B>>,
): readonly (readonly [name: string, A, B])[] =>
  Object.entries(firstVariants).flatMap(([one, a]) =>
    Object.entries(secondVariants).map(([other, b]) => [`${one}-${other}`, a, b] as const),
  )
