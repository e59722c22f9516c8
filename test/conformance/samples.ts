import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { categories, type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url))
const siblingFolder = fileURLToPath(new URL('../../../shared/samples', import.meta.url))

/** Folder with `<category>/s.<extension>`; files of strangers, so they are no part of the project. */
export const samplesFolder = process.env.SAMPLES_DIR ?? siblingFolder

export const hasSamples = existsSync(samplesFolder)

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

const samples = new Map(
  categories.map((category) => [category, new Set(namesIn(`${samplesFolder}/${category}`))]),
)
const isTypical = (name: string) => /^(corners|film|tone|letter|three-pages)\./.test(name)
const usable = namesIn(fixtures).filter((name) => !/password|\.ts$/.test(name))
/** The plain ones first: others are there for one odd thing. */
const fixtureFiles = [...usable.filter(isTypical), ...usable.filter((name) => !isTypical(name))]

/**
 * What the samples of strangers show too little of: the workbook is of a beta of Excel, whose records nobody reads
 * now, and the paper is drawn of shapes.
 */
const preferFixtures: readonly FormatId[] = ['xlsb', 'oxps']

/**
 * A real file of a format: of its own category first, for `.mod` is a song and a video. Most films hold no words to
 * read, so that documents are made of one that does; and most pictures do not move, so that films are.
 */
export function sampleOf(id: FormatId, to?: FormatId): string | undefined {
  const { category, extensions } = formatById(id)
  if (category === 'video' && to !== undefined && formatById(to).category === 'document') {
    const subtitled = fixtureFiles.find((name) => name === `subtitled.${id}`)
    if (subtitled !== undefined) return `${fixtures}/${subtitled}`
  }
  if (category === 'image' && to !== undefined && formatById(to).category === 'video') {
    const moving = fixtureFiles.find((name) => name === `animated.${id}`)
    if (moving !== undefined) return `${fixtures}/${moving}`
  }
  const own = fixtureFiles.find((name) => formatByExtension(name)?.id === id)
  if (own !== undefined && preferFixtures.includes(id)) return `${fixtures}/${own}`
  const endings = [...new Set([id, ...extensions])]
  for (const folder of [category, ...categories.filter((other) => other !== category)]) {
    const ending = endings.find((one) => samples.get(folder)?.has(`s.${one}`))
    if (ending !== undefined) return `${samplesFolder}/${folder}/s.${ending}`
  }
  return own && `${fixtures}/${own}`
}
