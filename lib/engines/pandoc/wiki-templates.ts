import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { type Tree, visit } from './tree.ts'

/** Whose writers pass them on as they were written. */
const keeping: readonly FormatId[] = ['mmd', 'muse', 'pjson', 'native']

/** What a template of a wiki becomes is up to the wiki, so that readers leave it as it stands: `{{convert|200|kg}}`. */
export function tellTemplates(tree: Tree, to: FormatId, tools: Tools): void {
  if (keeping.includes(to)) return
  let count = 0
  visit(tree, ({ t, c }) => {
    if ((t === 'RawBlock' || t === 'RawInline') && Array.isArray(c) && c[0] === 'mediawiki') count++
  })
  if (count === 0) return
  const many = count === 1 ? 'A template of the wiki was' : `${count} templates of the wiki were`
  tools.warn('TEMPLATES_DROPPED', `${many} left out: what {{…}} stands for is known to the wiki alone.`)
}
