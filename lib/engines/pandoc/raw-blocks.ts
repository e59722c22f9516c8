import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { type Tree, visit } from './tree.ts'

/** Whose writers pass on whatever is there as it was written. */
const keeping: readonly FormatId[] = ['mmd', 'rst', 'muse', 'pjson', 'native']

/** Whose writers pass on parts in these languages, in pandoc's words. */
const passing: Partial<Record<FormatId, readonly string[]>> = {
  md: ['markdown'],
  ipynb: ['markdown'],
  adoc: ['asciidoc'],
  org: ['latex', 'tex', 'org'],
  textile: ['textile'],
  tex: ['latex', 'tex'],
  ctx: ['context', 'tex'],
  texi: ['texinfo', 'latex', 'tex'],
  man: ['man'],
  ms: ['ms'],
  dbk: ['docbook'],
  xml: ['docbook'],
  jats: ['jats'],
}

/** HTML is read for what it says, and of templates of a wiki another warning tells. */
const elsewhere: readonly string[] = ['html', 'mediawiki']

/**
 * Parts that an author wrote for one format alone, as `.. raw:: latex`, are left out of all others.
 * @param to without one, the tree goes through a format that has no place for any of them.
 */
export function tellRawParts(tree: Tree, to: FormatId | undefined, tools: Tools): void {
  if (to && keeping.includes(to)) return
  const passed = (to && passing[to]) ?? []
  const languages: string[] = []
  visit(tree, ({ t, c }) => {
    if ((t !== 'RawBlock' && t !== 'RawInline') || !Array.isArray(c)) return
    const [language, text] = c.map(String)
    if (language === undefined || elsewhere.includes(language) || passed.includes(language)) return
    if (/\p{L}/u.test(text ?? '')) languages.push(language)
  })
  if (languages.length === 0) return
  const names = [...new Set(languages)].filter((name) => /^[\w+-]{1,20}$/.test(name)).join(', ')
  const parts = languages.length === 1 ? 'A part was' : `${languages.length} parts were`
  tools.warn('RAW_PARTS_DROPPED', `${parts} left out, written for another format alone (${names}).`)
}
