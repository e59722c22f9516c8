/**
 * Tries every declared pair of every engine on a real file of the source format, and judges each result:
 * `node test/engines/pairs.slow.ts [engine] [from,from…] [to,to…]`. It takes minutes, so `npm test` leaves it out.
 */
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { engines } from '../../lib/engines/index.ts'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import { casesOf } from './conformance.ts'
import { assertSound } from './judge.ts'
import { convert, removeRuns } from './run-engine.ts'

const samples = process.env.SAMPLES_DIR ?? fileURLToPath(new URL('../../../shared/samples', import.meta.url))
if (!existsSync(samples)) {
  console.error(`There are no samples in ${samples}; SAMPLES_DIR names another folder.`)
  process.exit(1)
}

const [engineId = '', fromList = '', toList = ''] = process.argv.slice(2)
const chosen = (list: string, id: string) => list === '' || list.split(',').includes(id)

function sampleOf(id: FormatId): string | undefined {
  const { category, extensions } = formatById(id)
  const folder = `${samples}/${category}`
  const names = new Set(readdirSync(folder))
  const name = [id, ...extensions].map((extension) => `s.${extension}`).find((file) => names.has(file))
  return name && `${folder}/${name}`
}

let tried = 0
const failed: string[] = []
const started = Date.now()
for (const engine of engines.filter(({ id }) => chosen(engineId, id))) {
  const sources = new Set(engine.capabilities.flatMap((capability) => capability.from))
  const fixtures = Object.fromEntries([...sources].map((id) => [id, sampleOf(id)]))
  for (const id of sources) if (!fixtures[id]) console.log(`no sample of ${id}`)
  for (const { source, from, to } of casesOf(
    engine,
    fixtures,
    (from, to) => chosen(fromList, from) && chosen(toList, to),
  )) {
    tried++
    try {
      const run = await convert(engine, source, to, { from })
      await assertSound(run.path, run.format)
    } catch (error) {
      const cause =
        error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message.slice(-300)})` : ''
      failed.push(`${engine.id} ${from} ${to}: ${error instanceof Error ? error.message : error}${cause}`)
      console.log(failed.at(-1))
    }
    await removeRuns()
    if (tried % 100 === 0)
      console.log(`${tried} tried, ${failed.length} failed, ${Math.round((Date.now() - started) / 1000)} s`)
  }
  await engine.close?.()
}
console.log(`${tried} pairs tried, ${failed.length} failed, ${Math.round((Date.now() - started) / 1000)} s`)
process.exit(failed.length > 0 ? 1 : 0)
