import { countSourceTexts } from '../count-source-texts.ts'
import { decodeMarkupEntities, extractHtmlText } from './markup.ts'
import { removeMarkup } from './plain-text.ts'
import { comment } from './skipped-markup.ts'

const textAttributes = /\s(?:text|_note)\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)')/g

/** Counts OPML 2.0: the text of an outline is HTML in attributes, and its notes are Markdown. */
export const readOpml = countSourceTexts((source) =>
  [...source.replaceAll(comment, ' ').matchAll(textAttributes)].map(([, doubleQuoted, singleQuoted = '']) =>
    removeMarkup('md', extractHtmlText(decodeMarkupEntities(doubleQuoted ?? singleQuoted))),
  ),
)
