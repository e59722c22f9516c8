import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { categories, type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url))
const siblingFolder = fileURLToPath(new URL('../../../shared/samples', import.meta.url))

/**
 * Folder with the samples `<category>/s.<extension>`. These files are from third parties and therefore not part of the
 * project.
 */
export const samplesFolder = process.env.SAMPLES_DIR ?? siblingFolder

export const hasSamples = existsSync(samplesFolder)

const listNames = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

const samples = new Map(
  categories.map((category) => [category, new Set(listNames(`${samplesFolder}/${category}`))]),
)
const isTypical = (name: string) => /^(corners|video|tone|letter|three-pages)\./.test(name)
const usableNames = listNames(fixtures).filter((name) => !/password|\.ts$/.test(name))
/** Typical files come first, because all other fixtures are for special cases. */
const fixtureFiles = [...usableNames.filter(isTypical), ...usableNames.filter((name) => !isTypical(name))]

/**
 * Formats whose third-party samples are unsuitable: the workbook is from a beta of Excel, whose records no program
 * reads, and the XPS document contains shapes instead of text.
 */
const formatsWithPoorSamples: readonly FormatId[] = ['xlsb', 'oxps']

/**
 * Returns a sample of a format, preferably from the folder of its category, because `.mod` is both audio and video. For
 * documents made from videos it returns a video with subtitles, and for videos made from images an animated image.
 */
export function findSample(id: FormatId, to?: FormatId): string | undefined {
  const { category, extensions } = formatById(id)
  if (category === 'video' && to !== undefined && formatById(to).category === 'document') {
    const subtitledFile = fixtureFiles.find((name) => name === `subtitled.${id}`)
    if (subtitledFile !== undefined) return `${fixtures}/${subtitledFile}`
  }
  if (category === 'image' && to !== undefined && formatById(to).category === 'video') {
    const animatedFile = fixtureFiles.find((name) => name === `animated.${id}`)
    if (animatedFile !== undefined) return `${fixtures}/${animatedFile}`
  }
  const fixtureFile = fixtureFiles.find((name) => formatByExtension(name)?.id === id)
  if (fixtureFile !== undefined && formatsWithPoorSamples.includes(id)) return `${fixtures}/${fixtureFile}`
  const candidates = [...new Set([id, ...extensions])]
  for (const folder of [category, ...categories.filter((other) => other !== category)]) {
    const extension = candidates.find((candidate) => samples.get(folder)?.has(`s.${candidate}`))
    if (extension !== undefined) return `${samplesFolder}/${folder}/s.${extension}`
  }
  return fixtureFile && `${fixtures}/${fixtureFile}`
}
