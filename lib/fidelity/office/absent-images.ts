import { posix } from 'node:path'
import { findTags, readRelations } from '../text/count-elements.ts'
import { readAttribute } from '../text/markup.ts'
import type { Zip } from '../zip.ts'

/** Returns the name of the part with the relations of a part of an Office Open XML file (ECMA-376, part 2, 9.3). */
const getRelationsPart = (part: string) => `${posix.dirname(part)}/_rels/${posix.basename(part)}.rels`

/** Returns the relations of a part, from ids to targets, without images that the file does not contain. */
export async function readPresentRelations(zip: Zip, part: string): Promise<ReadonlyMap<string, string>> {
  const absentIds = await findAbsentImageIds(zip, part)
  const relations = readRelations(await zip.text(getRelationsPart(part)))
  return new Map([...relations].filter(([id]) => !absentIds.has(id)))
}

const hasTarget = (zip: Zip, part: string, target: string) =>
  zip.has(posix.resolve('/', posix.dirname(part), target).slice(1))

/** Attributes of an image with relationship ids of its embedded data or of its link; an image may have both. */
const imageIdAttributes = ['r:embed', 'r:id', 'r:pict', 'r:link', 'r:href'] as const

/** Counts the images that parts of an Office Open XML file show, but whose data the file does not contain. */
export async function countAbsentImages(zip: Zip, parts: Iterable<string>): Promise<number> {
  let count = 0
  for (const part of parts) {
    const absentIds = await findAbsentImageIds(zip, part)
    if (absentIds.size === 0) continue
    // Programs store a copy of each drawing for old programs, with the same id.
    const shownIds = new Set<string>()
    for (const tag of findTags((await zip.text(part)) ?? '', ['a:blip', 'v:imagedata'])) {
      const ids = imageIdAttributes.flatMap((name) => readAttribute(tag, name) || [])
      if (ids.length > 0 && ids.every((id) => absentIds.has(id))) shownIds.add(ids.join(' '))
    }
    count += shownIds.size
  }
  return count
}

/** Reads only the relations: most parts show no absent images, and reading them once more takes time. */
async function findAbsentImageIds(zip: Zip, part: string): Promise<ReadonlySet<string>> {
  const relations = [...findTags((await zip.text(getRelationsPart(part))) ?? '', ['Relationship'])]
  const absentImages = relations.filter(
    (relation) =>
      readAttribute(relation, 'Type')?.endsWith('/image') &&
      !hasTarget(zip, part, readAttribute(relation, 'Target') ?? ''),
  )
  return new Set(absentImages.map((relation) => readAttribute(relation, 'Id') ?? ''))
}

/** Counts the images of an OpenDocument file whose data it does not contain. A frame shows one of its images. */
export function countAbsentFrameImages(xml: string, hasImage: (url: string) => boolean): number {
  const frames: boolean[][] = []
  for (const tag of findTags(xml, ['draw:frame', 'draw:image'])) {
    const url = readAttribute(tag, 'xlink:href')
    if (tag.name === 'draw:frame') frames.push([])
    else frames.at(-1)?.push(url === undefined || hasImage(url))
  }
  return frames.filter((images) => images.length > 0 && !images.includes(true)).length
}

/** Returns whether a URL refers to a file in an OpenDocument package, or to a preview, which the office draws again. */
export const createImageFinder =
  (zip: Zip | undefined) =>
  (url: string): boolean =>
    /^(?:\.\/)?ObjectReplacements\//.test(url) || zip?.has(posix.normalize(url)) === true
