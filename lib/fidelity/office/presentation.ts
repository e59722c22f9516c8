import type { Feature } from '../../model/stored-summary.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { WordCounts } from '../text/word-counts.ts'
import { openZip } from '../zip.ts'
import { countAbsentImages } from './absent-images.ts'
import { readDrawingText } from './drawing-text.ts'

const slideNamePattern = /^ppt\/slides\/slide\d+\.xml$/

/** Summarizes the visible slides of PowerPoint files (ECMA-376), without notes, masters and layouts. */
export async function readPresentation(
  bytes: FileBytes,
  isResult = false,
): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  const names = zip?.names.filter((candidate) => slideNamePattern.test(candidate)) ?? []
  if (!zip || names.length === 0) return undefined
  const words = new WordCounts()
  let slides = 0
  for (const name of names) {
    const xml = (await zip.text(name)) ?? ''
    // The attribute of the root element that hides a slide (19.3.1.38).
    if (/<p:sld\b[^<>]{0,4000}?\sshow="(?:0|false)"/.test(xml.slice(0, 8000))) continue
    slides++
    words.add(readDrawingText(xml))
  }
  const features: Feature[] = [
    ...(zip.names.some((name) => name.startsWith('ppt/media/')) ? (['pictures'] as const) : []),
    ...(zip.names.some((name) => name.startsWith('ppt/notesSlides/')) ? (['notes'] as const) : []),
    ...(zip.names.some((name) => name.startsWith('ppt/comments')) ? (['comments'] as const) : []),
  ]
  const absentImages = isResult ? 0 : await countAbsentImages(zip, names)
  return { words, counts: { slides }, features, absentImages }
}
