import type { Format } from '../formats/index.ts'

/** What people ask for most, the most wanted first; also of files of another category: a film as MP3, a page as PNG. */
const popularTargets: Readonly<Record<Format['category'], readonly string[]>> = {
  video: ['mp4', 'webm', 'mov', 'mkv', 'avi'],
  audio: ['mp3', 'wav', 'm4a', 'aac', 'flac', 'ogg', 'opus'],
  image: ['jpg', 'png', 'webp', 'avif', 'gif', 'tiff', 'svg', 'bmp'],
  document: ['pdf', 'docx', 'odt', 'rtf', 'txt', 'html', 'md'],
  ebook: ['epub', 'mobi', 'azw3', 'fb2'],
  archive: ['zip', '7z', 'tgz', 'tar'],
  font: ['woff2', 'ttf', 'otf', 'woff'],
}

/** Documents that are no running text: what they become among documents. */
const documentKinds = [
  {
    of: [
      ...['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm', 'xls', 'xlt', 'ods', 'ots', 'fods', 'sxc', 'uos'],
      ...['xmlss', 'et', 'wk1', 'wk4', '123', 'wb1', 'wb2', 'wb3'],
      ...['csv', 'tsv', 'dif', 'slk', 'numbers'],
    ],
    becomes: ['pdf', 'html', 'md', 'txt'],
  },
  {
    of: [
      ...['pptx', 'pptm', 'ppsx', 'potx', 'potm', 'ppt', 'pps', 'pot', 'odp', 'otp', 'fodp', 'sxi'],
      ...['key', 'dps', 'uop'],
    ],
    becomes: ['pdf', 'html', 'txt'],
  },
  {
    of: ['srt', 'vtt', 'ass', 'ssa', 'sub', 'smi', 'ttml', 'lrc', 'scc', 'mpl2', 'jss', 'pjs', 'aqt'],
    becomes: ['txt'],
  },
  { of: ['odg', 'otg', 'fodg', 'vsd', 'vsdx', 'pub', 'dxf'], becomes: ['pdf'] },
]

/** What is said in a film. */
const subtitleFormats = ['srt', 'vtt', 'ass']

/** Text becomes slides, where its headings are their titles. */
const slideFormats = ['pptx', 'odp']

/** Worth a longer way within their category, though not a place in a list: the tables of a text as a sheet. */
const worthSeveralSteps: readonly string[] = [
  ...['doc', 'xlsx', 'xls', 'ods', 'csv', 'pptx', 'ppt', 'odp', 'tex', 'rst', 'adoc'],
  ...['heic', 'jxl', 'jp2', 'ico', 'psd', 'tga', 'hdr', 'exr', 'dds', 'pcx', 'apng', 'eps', 'svgz'],
]

/** Every id that a rule names. */
export const formatIdsInRules: readonly string[] = [
  ...Object.values(popularTargets).flat(),
  ...documentKinds.flatMap(({ of, becomes }) => [...of, ...becomes]),
  ...slideFormats,
  ...subtitleFormats,
  ...worthSeveralSteps,
]

/**
 * Whether a conversion that works is also shown among the targets of its source. One that is not is still made when it
 * is asked for by name; in a list of two hundred it would hide what is wanted.
 */
export function isListedTarget(from: Format, to: Format): boolean {
  if (from.id === to.id) return false
  if (from.category === 'video' && subtitleFormats.includes(to.id)) return true
  if (from.category !== to.category) return popularTargets[to.category].includes(to.id)
  if (from.category !== 'document') return true
  const [kind, other] = [from, to].map(({ id }) => documentKinds.find(({ of }) => of.includes(id)))
  if (kind === other) return true
  return kind ? kind.becomes.includes(to.id) : slideFormats.includes(to.id)
}

/** Whether a way of several steps is worth its loss of time and content. */
export const isWorthSeveralSteps = (from: Format, to: Format) =>
  popularTargets[to.category].includes(to.id) ||
  (kindOf(from) === kindOf(to) && worthSeveralSteps.includes(to.id))

/** A book is a document that is read elsewhere. */
const kindOf = ({ category }: Format) => (category === 'ebook' ? 'document' : category)

/** The most wanted of its category is 0; all that nobody asks for is the same. */
export function rankOf({ id, category }: Format): number {
  const place = popularTargets[category].indexOf(id)
  return place < 0 ? popularTargets[category].length : place
}
