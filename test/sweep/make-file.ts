import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { convertAlongRoutes } from '../engines/support/convert-along-routes.ts'
import type { Case } from './cases.ts'
import { mutations } from './mutations.ts'
import { createSeededRandom } from './seeded-random.ts'
import { fixture, type Variant } from './variants/variant.ts'

const run = promisify(execFile)

/**
 * The file could not be created, because a program is missing or does not support it; this says nothing about the
 * service.
 */
export class FixtureUnavailable extends Error {}

export interface MadeFile {
  readonly path: string
  /** The file to compare the result with, if it is not the file at `path`. */
  readonly comparisonPath: string | undefined
}

/** Creates the file of a case in `folder`, which belongs to this case alone. */
export async function makeFile(sweepCase: Case, folder: string, sharedFolder: string): Promise<MadeFile> {
  const path = join(folder, sweepCase.name)
  const { kind } = sweepCase
  const originPath = await createOrigin(sweepCase, path, folder, sharedFolder)
  const mutation = mutations[kind]
  if (mutation) await writeFile(path, mutation(await readFile(path), createSeededRandom(sweepCase.id)))
  else if (kind !== 'whole' && kind !== 'wrong extension') throw new Error(`${kind} is not a mutation`)
  return { path, comparisonPath: originPath }
}

async function createOrigin(
  { origin, name, kind }: Case,
  path: string,
  folder: string,
  sharedFolder: string,
) {
  if ('fixture' in origin) {
    await copyFile(fixture(origin.fixture), path)
    return undefined
  }
  if ('variant' in origin) return makeVariant(origin.variant, path, sharedFolder, kind)
  const source = join(sharedFolder, origin.source)
  try {
    const doneRoute = await convertAlongRoutes(source, origin.as, { within: folder })
    await copyFile(doneRoute.path, path)
  } catch (error) {
    throw new FixtureUnavailable(`${name}: ${error instanceof Error ? error.message : error}`)
  }
  return kind === 'whole' ? source.replace(/\.epub$/, '.html') : undefined
}

async function makeVariant(variant: Variant, path: string, sharedFolder: string, kind: string) {
  const fillPlaceholders = (word: string) =>
    word.replaceAll('{out}', path).replace('{in}', join(sharedFolder, 'in'))
  for (const command of variant.commands) {
    const [bin = '', ...args] = command.map(fillPlaceholders)
    await run(bin, args, { timeout: 60_000, maxBuffer: 16 * 1024 * 1024 }).catch((error: unknown) => {
      throw new FixtureUnavailable(
        `${variant.name}: ${error instanceof Error ? error.message.slice(0, 300) : error}`,
      )
    })
  }
  const isEncryptedArchive = variant.area === 'archive' && variant.options !== undefined
  if (kind !== 'whole') return undefined
  return isEncryptedArchive
    ? join(sharedFolder, 'in.tar')
    : variant.comparisonPath && fillPlaceholders(variant.comparisonPath)
}

const storyHtml = `<!doctype html><html><head><title>The orchard</title></head><body><h1>The orchard in autumn</h1>
${['apples', 'pears', 'plums', 'cherries', 'quinces', 'medlars']
  .map(
    (fruit, at) => `<h2>About ${fruit}</h2>
<p>Early in the morning somebody gathered ${fruit} under the trees, counted baskets and wrote numbers into a small notebook.
Afterwards <b>everybody</b> walked home through wet grass, <i>slowly</i>, because carrying ${fruit} makes tired.</p>
<ul><li>first basket of ${fruit}</li><li>second basket</li></ul>
<table><tr><td>${fruit}</td><td>${100 + at}</td></tr><tr><td>remainder</td><td>${at}</td></tr></table>`,
  )
  .join('\n')}
</body></html>\n`
const list = `name,amount,remark\n${Array.from({ length: 60 }, (_, at) => `article${'abcdefghij'[at % 10]}${'klmnop'[at % 6]},${at * 7},"remark, quoted number${'qrstuv'[at % 6]}"`).join('\n')}\n`

/** Creates the source files that several cases share. */
export async function makeShared(sharedFolder: string): Promise<void> {
  const folder = join(sharedFolder, 'in')
  await mkdir(join(folder, 'below'), { recursive: true })
  await writeFile(join(sharedFolder, 'story.html'), storyHtml)
  await writeFile(join(sharedFolder, 'list.csv'), list)
  const book = await convertAlongRoutes(join(sharedFolder, 'story.html'), 'epub', { within: sharedFolder })
  await copyFile(book.path, join(sharedFolder, 'story.epub'))
  await copyFile(fixture('office/slides.odp'), join(sharedFolder, 'slides.odp'))
  await copyFile(fixture('subtitles.srt'), join(sharedFolder, 'subtitles.srt'))
  await writeFile(join(folder, 'letters.txt'), storyHtml.repeat(3))
  await writeFile(join(folder, 'Grüße.txt'), 'Grüße aus dem Garten\n')
  await writeFile(join(folder, 'empty.txt'), '')
  await writeFile(join(folder, 'below', 'list.csv'), list)
  await copyFile(fixture('corners.png'), join(folder, 'below', 'corners.png'))
  await run('tar', ['-C', folder, '-cf', join(sharedFolder, 'in.tar'), '.'])
}
