import { execFile } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { convertAlongRoutes } from '../../engines/support/convert-along-routes.ts'
import { createOfficeProfile } from '../../support/office-profile.ts'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { Writer } from './blocks.ts'
import { documents, toPage } from './documents.ts'
import { type Files, judge, type Verdict } from './judge.ts'

const run = promisify(execFile)

export interface JudgedDocument extends Verdict {
  readonly name: string
  readonly files: Files
}

/**
 * Makes the documents, converts their PDFs to Word, and prints and judges the results.
 *
 * @param only names of the documents; all documents if empty
 */
export async function convertAll(folder: string, only: readonly string[] = []): Promise<JudgedDocument[]> {
  const selectedDocuments = documents
    .filter(({ name }) => only.length === 0 || only.includes(name))
    .map((document) => {
      const { html, blocks } = document.write(new Writer(createSeededRandom(document.name)))
      const pathIn = (kind: string, extension: string) => join(folder, kind, `${document.name}.${extension}`)
      const files = {
        pdf: pathIn('source', 'pdf'),
        docx: pathIn('word', 'docx'),
        printed: pathIn('printed', 'pdf'),
      }
      return {
        ...document,
        page: pathIn('pages', 'html'),
        html: toPage(document.css ?? '', html),
        blocks,
        files,
      }
    })
  for (const name of ['pages', 'source', 'word', 'printed'])
    await mkdir(join(folder, name), { recursive: true })
  const printWithOffice = (target: string, paths: readonly string[]) =>
    run('soffice', [
      ...[createOfficeProfile(folder), '--headless', '--convert-to', 'pdf', '--outdir'],
      ...[join(folder, target), ...paths],
    ])
  const convert = async (source: string, to: 'pdf' | 'docx', target: string) =>
    copyFile((await convertAlongRoutes(source, to, { within: folder })).path, target)
  const officeSources: string[] = []
  for (const { page, html, isFromOffice = false, files } of selectedDocuments) {
    await writeFile(page, await embedImages(html))
    const source = page.replace(/html$/, 'docx')
    if (!isFromOffice) await convert(page, 'pdf', files.pdf)
    else {
      await run('pandoc', ['--from=html', '--to=docx', '-o', source, page])
      officeSources.push(source)
    }
  }
  if (officeSources.length > 0) await printWithOffice('source', officeSources)
  for (const { files } of selectedDocuments) await convert(files.pdf, 'docx', files.docx)
  await printWithOffice(
    'printed',
    selectedDocuments.map(({ files }) => files.docx),
  )
  const judgedDocuments: JudgedDocument[] = []
  for (const { name, files, blocks } of selectedDocuments)
    judgedDocuments.push({ name, files, ...(await judge(files, blocks)) })
  return judgedDocuments
}

async function embedImages(html: string): Promise<string> {
  let text = html
  for (const [attribute, svg = ''] of html.matchAll(/data-svg="([^"]*)"/g)) {
    const png = await sharp(Buffer.from(svg, 'base64')).png().toBuffer()
    text = text.replace(attribute, () => `src="data:image/png;base64,${png.toString('base64')}"`)
  }
  return text
}
