import { countSourceTexts } from './count-source-texts.ts'
import { decodeEntities, htmlText } from './markup.ts'
import { markupLanguageText } from './plain-text.ts'
import { comment } from './skipped-markup.ts'

const textAttributes = /\s(?:text|_note)\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)')/g

/** OPML 2.0: the text of an outline is HTML in attributes, that of its notes Markdown. */
export const opmlText = countSourceTexts((source) =>
  [...source.replaceAll(comment, ' ').matchAll(textAttributes)].map(([, double, single = '']) =>
    markupLanguageText('md', htmlText(decodeEntities(double ?? single))),
  ),
)
