import { decoded, textOfPage } from './markup.ts'
import { textOfMarked } from './plain-text.ts'
import { comment } from './skipped-markup.ts'
import { ofSource } from './source-texts.ts'

const texts = /\s(?:text|_note)\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)')/g

/** OPML 2.0: the words of an outline are in attributes, as HTML, and those of its notes as Markdown. */
export const outline = ofSource((source) =>
  [...source.replaceAll(comment, ' ').matchAll(texts)].map(([, double, single = '']) =>
    textOfMarked('md', textOfPage(decoded(double ?? single))),
  ),
)
