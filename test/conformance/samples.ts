import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { categories, type FormatId, formatById } from '../../lib/formats/index.ts'

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url))
const beside = fileURLToPath(new URL('../../../shared/samples', import.meta.url))

/** Folder with `<category>/s.<extension>`; files of strangers, so they are no part of the project. */
export const samplesFolder = process.env.SAMPLES_DIR ?? beside

export const hasSamples = existsSync(samplesFolder)

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

const samples = new Map(
  categories.map((category) => [category, new Set(namesIn(`${samplesFolder}/${category}`))]),
)
const ownFiles = namesIn(fixtures)

/** A real file of a format: of its own category first, for `.mod` is a song and a video. */
export function sampleOf(id: FormatId): string | undefined {
  const { category, extensions } = formatById(id)
  const endings = [...new Set([id, ...extensions])]
  for (const folder of [category, ...categories.filter((other) => other !== category)]) {
    const ending = endings.find((one) => samples.get(folder)?.has(`s.${one}`))
    if (ending !== undefined) return `${samplesFolder}/${folder}/s.${ending}`
  }
  const own = ownFiles.find((name) => endings.some((one) => name.endsWith(`.${one}`)))
  return own && `${fixtures}/${own}`
}
