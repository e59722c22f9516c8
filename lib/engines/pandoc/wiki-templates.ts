import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { type Tree, visitNodes } from './tree.ts'

/** Targets whose writers keep templates verbatim. */
const targetsWithTemplates: readonly FormatId[] = ['mmd', 'muse', 'pjson', 'native']

/** Warns about dropped templates such as `{{convert|200|kg}}`, which only the wiki itself can expand. */
export function warnAboutTemplates(tree: Tree, to: FormatId, tools: Tools): void {
  if (targetsWithTemplates.includes(to)) return
  let count = 0
  visitNodes(tree, ({ t, c }) => {
    if ((t === 'RawBlock' || t === 'RawInline') && Array.isArray(c) && c[0] === 'mediawiki') count++
  })
  if (count === 0) return
  const subject = count === 1 ? 'A wiki template was' : `${count} wiki templates were`
  tools.warn('TEMPLATES_DROPPED', `${subject} left out: only the wiki itself can expand {{…}}.`)
}
