/**
 * Decodes ID3 tags of old programs, which declare Latin-1 but write the code page of the author's system. ffmpeg
 * decodes them as declared.
 */

/** Minimum share of characters above ASCII in text of another script; in Latin text, fewer than half have accents. */
const minForeignShare = 0.5
const minForeignCharacters = 4

/**
 * Returns the tags whose text is in another code page, decoded with the code page that is most plausible for all of
 * them.
 */
export async function decodeTags(
  tags: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const misdecodedTags = Object.entries(tags).filter(([, text]) => isLikelyMisdecoded(text))
  if (misdecodedTags.length === 0) return {}
  const [{ guessCharset }, { decodeText }] = await Promise.all([
    import('../shared/text/detect-charset.ts'),
    import('../shared/text/decode.ts'),
  ])
  const toLatin1Bytes = (text: string) => Buffer.from(text, 'latin1')
  const charset = guessCharset(toLatin1Bytes(misdecodedTags.map(([, text]) => text).join('\n')))
  if (charset === 'windows-1252') return {}
  // The same program wrote all tags, also those too short to show it.
  const decodedTags = Object.entries(tags)
    .filter(([, text]) => nonAsciiPattern.test(text) && !nonLatin1Pattern.test(text))
    .map(([name, text]) => [name, decodeText(toLatin1Bytes(text), charset)] as const)
  return Object.fromEntries(decodedTags.filter(([, text]) => !text.includes('\ufffd')))
}

const nonAsciiPattern = /[\x80-\xff]/
const nonLatin1Pattern = /[^\0-\xff]/

function isLikelyMisdecoded(text: string): boolean {
  if (nonLatin1Pattern.test(text)) return false
  const nonAsciiCount = text.match(/[\x80-\xff]/g)?.length ?? 0
  const alphabeticCount = nonAsciiCount + (text.match(/[a-z]/gi)?.length ?? 0)
  return nonAsciiCount >= minForeignCharacters && nonAsciiCount >= alphabeticCount * minForeignShare
}
