import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { type Tree, visitNodes } from './tree.ts'

/** Targets whose writers keep all raw content verbatim. */
const targetsWithRawContent: readonly FormatId[] = ['mmd', 'rst', 'muse', 'pjson', 'native']

/** Targets whose writers keep raw content in these languages, by pandoc's names. */
const rawLanguagesByTarget: Partial<Record<FormatId, readonly string[]>> = {
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

/** Raw HTML is converted elsewhere, and wiki templates have their own warning. */
const languagesHandledElsewhere: readonly string[] = ['html', 'mediawiki']

/**
 * Warns about dropped content that was written for a single format, such as `.. raw:: latex`.
 * @param to undefined when an intermediate format drops all raw content.
 */
export function warnAboutRawContent(tree: Tree, to: FormatId | undefined, tools: Tools): void {
  if (to && targetsWithRawContent.includes(to)) return
  const keptLanguages = (to && rawLanguagesByTarget[to]) ?? []
  const languages: string[] = []
  visitNodes(tree, ({ t, c }) => {
    if ((t !== 'RawBlock' && t !== 'RawInline') || !Array.isArray(c)) return
    const [language, text] = c.map(String)
    if (
      language === undefined ||
      languagesHandledElsewhere.includes(language) ||
      keptLanguages.includes(language)
    )
      return
    if (/\p{L}/u.test(text ?? '')) languages.push(language)
  })
  if (languages.length === 0) return
  const nameList = [...new Set(languages)].filter((name) => /^[\w+-]{1,20}$/.test(name)).join(', ')
  const subject = languages.length === 1 ? 'A part was' : `${languages.length} parts were`
  tools.warn(
    'RAW_PARTS_DROPPED',
    `${subject} left out, because they were written only for another format (${nameList}).`,
  )
}
