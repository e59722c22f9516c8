/** How each style is written: in SubRip and WebVTT as a tag, in ASS as an override. The TTML encoder writes none. */
const stylePatterns = {
  'bold text': /<b>|\\b1/,
  italics: /<i>|\\i1/,
  underlines: /<u>|\\u1/,
  colors: /<font[^<>]{0,500}\bcolor=|\\1?c&H/i,
} as const

/** Colors of WebVTT, which ffmpeg does not read: classes of colored text, and style sheets. */
const webVttColorPattern =
  /<c\.(?:[\w-]{1,50}\.){0,10}(?:lime|cyan|red|yellow|magenta|blue|black)\b|::cue[^{}]{0,60}\{[^{}]{0,2000}\bcolor\s{0,20}:/i

/**
 * Returns the styles that the result lacks.
 * @param styledText the subtitles as SubRip with their styles
 * @param sourceText the subtitles as the client sent them
 */
export function findDroppedStyles(styledText: string, sourceText: string, result: string): string[] {
  return Object.entries(stylePatterns).flatMap(([name, pattern]) => {
    const isInSource = pattern.test(styledText) || (name === 'colors' && webVttColorPattern.test(sourceText))
    return isInSource && !pattern.test(result) ? [name] : []
  })
}

const listFormat = new Intl.ListFormat('en', { type: 'disjunction' })

export const describeDroppedStyles = (styles: readonly string[]) =>
  `Styles of the subtitles were dropped: the result has no ${listFormat.format(styles)}.`
