import { basename, join } from 'node:path'
import { passwordMissing } from '../../formats/locked-pdf.ts'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { damaged, qpdf } from './qpdf.ts'

/** Points, as the page is shown: turned, where it is turned. */
export interface PageSize {
  readonly width: number
  readonly height: number
}

/** What a PDF says of itself. */
export interface PdfAbout {
  readonly title?: string
  readonly author?: string
  readonly subject?: string
  readonly keywords?: string
}

/** A PDF that every tool can read. */
export interface OpenPdf {
  /** Needs no password. */
  readonly path: string
  /** One per page. */
  readonly sizes: readonly PageSize[]
  /** The source needs a password, or restricts what may be done with it. */
  readonly encrypted: boolean
  readonly hasForm: boolean
  /** Readers for the blind find headings and descriptions in it. */
  readonly isTagged: boolean
  readonly about: PdfAbout
}

type Facts = Omit<OpenPdf, 'path'>

/** Makes a PDF readable by every tool after it. @throws AppError CORRUPT_FILE, PDF_ENCRYPTED. */
export async function openPdf(source: string, password: string | undefined, tools: Tools): Promise<OpenPdf> {
  const facts = await factsOf(source, tools)
  if (facts !== 'locked') return { path: source, ...facts }
  if (password === undefined) throw passwordMissing()
  const path = join(tools.workDir, `open-${basename(source)}`)
  await qpdf({ inputFile: source, password, decrypt: '', outputFile: path }, tools)
  const opened = await factsOf(path, tools)
  if (opened === 'locked') throw new Error('qpdf left the encryption.')
  return { path, ...opened, encrypted: true }
}

async function factsOf(path: string, tools: Tools): Promise<Facts | 'locked'> {
  try {
    const { stdout } = await tools.exec('pdfinfo', ['-f', '1', '-l', '1000000', path])
    return {
      sizes: sizesIn(stdout),
      about: aboutIn(stdout),
      encrypted: /^Encrypted:\s+yes/m.test(stdout),
      isTagged: /^Tagged:\s+yes/m.test(stdout),
      hasForm: /^Form:\s+(AcroForm|XFA)/m.test(stdout),
    }
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    if (/Incorrect password/i.test(error.stderr)) return 'locked'
    throw damaged(error)
  }
}

function aboutIn(told: string): PdfAbout {
  const said = ['title', 'author', 'subject', 'keywords'].flatMap((name) => {
    const text = new RegExp(`^${name}:[ \\t]+(\\S.*)$`, 'im').exec(told)?.[1]?.trim()
    return text === undefined ? [] : [[name, text.replaceAll(/\p{Cc}/gu, ' ')]]
  })
  return Object.fromEntries(said)
}

function sizesIn(told: string): PageSize[] {
  const sizes = [...told.matchAll(/^Page\s+\d+ size:\s+([\d.e+]+) x ([\d.e+]+) pts/gm)]
  const turns = [...told.matchAll(/^Page\s+\d+ rot:\s+(\d+)/gm)]
  const count = Number(/^Pages:\s+(\d+)/m.exec(told)?.[1] ?? 0)
  if (count === 0 || sizes.length !== count)
    throw damaged(new Error(`pdfinfo told ${sizes.length} of ${count} sizes`))
  return sizes.map(([, width, height], index) => {
    const turned = Number(turns[index]?.[1] ?? 0) % 180 !== 0
    const size = { width: Number(width), height: Number(height) }
    return turned ? { width: size.height, height: size.width } : size
  })
}
