import { countSourceTexts } from '../count-source-texts.ts'
import { decodeMarkupEntities, extractHtmlText } from './markup.ts'
import { removeMarkup } from './plain-text.ts'
import { commentPattern } from './skipped-markup.ts'

const textAttributePattern = /\s(?:text|_note)\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)')/g

/** Counts OPML 2.0: the text of an outline is HTML in attributes, and its notes are Markdown. */
export const readOpml = countSourceTexts((source) =>
  [...source.replaceAll(commentPattern, ' ').matchAll(textAttributePattern)].map(
    ([, doubleQuoted, singleQuoted = '']) =>
      removeMarkup('md', extractHtmlText(decodeMarkupEntities(doubleQuoted ?? singleQuoted))),
  ),
)
