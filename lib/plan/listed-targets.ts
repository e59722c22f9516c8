import type { Format } from '../formats/index.ts'

/**
 * Targets per category, most popular first. They include targets for sources of other categories, such as a video as
 * MP3 or a page as PNG.
 */
const popularTargets: Readonly<Record<Format['category'], readonly string[]>> = {
  video: ['mp4', 'webm', 'mov', 'mkv', 'avi'],
  audio: ['mp3', 'wav', 'm4a', 'aac', 'flac', 'ogg', 'opus'],
  image: ['jpg', 'png', 'webp', 'avif', 'gif', 'tiff', 'svg', 'bmp'],
  document: ['pdf', 'docx', 'odt', 'rtf', 'txt', 'html', 'md'],
  ebook: ['epub', 'mobi', 'azw3', 'fb2'],
  archive: ['zip', '7z', 'tgz', 'tar'],
  font: ['woff2', 'ttf', 'otf', 'woff'],
}

/** Kinds of documents without running text, and the document formats listed as their targets. */
const documentKinds = [
  {
    formats: [
      ...['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm', 'xls', 'xlt', 'ods', 'ots', 'fods', 'sxc', 'uos'],
      ...['xmlss', 'et', 'wk1', 'wk4', '123', 'wb1', 'wb2', 'wb3'],
      ...['csv', 'tsv', 'dif', 'slk', 'numbers'],
    ],
    targets: ['pdf', 'html', 'md', 'txt'],
  },
  {
    formats: [
      ...['pptx', 'pptm', 'ppsx', 'potx', 'potm', 'ppt', 'pps', 'pot', 'odp', 'otp', 'fodp', 'sxi'],
      ...['key', 'dps', 'uop'],
    ],
    targets: ['pdf', 'html', 'txt'],
  },
  {
    formats: ['srt', 'vtt', 'ass', 'ssa', 'sub', 'smi', 'ttml', 'lrc', 'scc', 'mpl2', 'jss', 'pjs', 'aqt'],
    targets: ['txt'],
  },
  { formats: ['odg', 'otg', 'fodg', 'vsd', 'vsdx', 'pub', 'dxf'], targets: ['pdf'] },
]

/** Formats for the subtitles of a video. */
const subtitleFormats = ['srt', 'vtt', 'ass']

/** Formats for slides made from text, with headings as titles. */
const slideFormats = ['pptx', 'odp']

/**
 * Targets that are worth several steps within their category, but are not listed, such as the tables of a text as a
 * spreadsheet.
 */
const targetsWorthSeveralSteps: readonly string[] = [
  ...['doc', 'xlsx', 'xls', 'ods', 'csv', 'pptx', 'ppt', 'odp', 'tex', 'rst', 'adoc'],
  ...['heic', 'jxl', 'jp2', 'ico', 'psd', 'tga', 'hdr', 'exr', 'dds', 'pcx', 'apng', 'eps', 'svgz'],
]

/** Ids of all formats that the rules of this module contain. */
export const formatIdsInRules: readonly string[] = [
  ...Object.values(popularTargets).flat(),
  ...documentKinds.flatMap(({ formats: of, targets: becomes }) => [...of, ...becomes]),
  ...slideFormats,
  ...subtitleFormats,
  ...targetsWorthSeveralSteps,
]

/**
 * Whether a supported target is listed for its source. Other targets can still be requested; a list of two hundred
 * would hide the useful ones.
 */
export function isListedTarget(from: Format, to: Format): boolean {
  if (from.id === to.id) return false
  if (from.category === 'video' && subtitleFormats.includes(to.id)) return true
  if (from.category !== to.category) return popularTargets[to.category].includes(to.id)
  if (from.category !== 'document') return true
  const [kind, otherKind] = [from, to].map(({ id }) =>
    documentKinds.find(({ formats: of }) => of.includes(id)),
  )
  if (kind === otherKind) return true
  return kind ? kind.targets.includes(to.id) : slideFormats.includes(to.id)
}

/** Whether the target is useful enough for a route of several steps, which costs time and content. */
export const isWorthSeveralSteps = (from: Format, to: Format) =>
  popularTargets[to.category].includes(to.id) ||
  (getKind(from) === getKind(to) && targetsWorthSeveralSteps.includes(to.id))

/** Treats ebooks as documents. */
const getKind = ({ category }: Format) => (category === 'ebook' ? 'document' : category)

/** Returns 0 for the most popular target of its category; all targets without a position share the last rank. */
export function getRank({ id, category }: Format): number {
  const rank = popularTargets[category].indexOf(id)
  return rank < 0 ? popularTargets[category].length : rank
}
