import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'
import { findSample } from '../conformance/samples.ts'
import { convertAlongRoutes } from '../engines/support/convert-along-routes.ts'
import { createBook, createPhotoPage } from '../engines/support/pdf-maker.ts'
import { createScannedPage, createScannedPdf } from '../engines/support/scan-maker.ts'
import { addEncodedByte, makeOptionSource } from './option-sources.ts'
import type { SpecialSource, Trial } from './option-trials.ts'

export const fixturePath = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname

const fixedSources: Partial<Record<FormatId, string>> = {
  // A converted image has only one frame, which makes it a PNG.
  apng: fixturePath('animated.apng'),
  xlsx: fixturePath('office/workbook.xlsx'),
  odp: fixturePath('office/slides.odp'),
  odg: fixturePath('office/drawing.odg'),
}
/** For each locked fixture, the formats that have the same container and are read by the same code. */
const lockedFamilies: Readonly<Record<string, readonly FormatId[]>> = {
  docx: ['docx', 'docm', 'dotx', 'dotm'],
  doc: ['doc', 'dot'],
  odt: ['odt', 'ott'],
  xlsx: ['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm'],
  xls: ['xls', 'xlt'],
  ods: ['ods', 'ots'],
  pptx: ['pptx', 'pptm', 'ppsx', 'potx', 'potm'],
  ppt: ['ppt', 'pps', 'pot'],
  odp: ['odp', 'otp', 'odg', 'otg'],
}

/** A file that shows the effect of options. Sources in other formats of its categories are converted from it. */
interface BaseFile {
  readonly name: string
  readonly categories: readonly string[]
  make(path: string, run: Run): unknown
}
type Run = (bin: string, ...args: string[]) => void

const fontPath = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'
const joinFontsScript = `import sys
from fontTools.ttLib import TTFont, TTCollection
from fontTools.subset import Subsetter
fonts = [TTFont(path) for path in sys.argv[2:]]
for font in fonts:
    subsetter = Subsetter()
    subsetter.populate(text='abcdefghijklmnopqrstuvwxyz ')
    subsetter.subset(font)
if len(fonts) == 1: fonts[0].save(sys.argv[1])
else:
    collection = TTCollection()
    collection.fonts = fonts
    collection.save(sys.argv[1])`
const pythonPath = '/usr/bin/python3'

const baseFiles: readonly BaseFile[] = [
  {
    name: 'image.png',
    categories: ['image'],
    make: (path, run) => run('convert', '-size', '400x300', '-seed', '7', 'plasma:red-blue', path),
  },
  {
    name: 'clip.mp4',
    categories: ['video'],
    make: (path, run) =>
      run(
        'ffmpeg',
        ...['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=10:duration=1.2'],
        ...['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100:duration=1.2'],
        ...['-ac', '2', '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac', path],
      ),
  },
  {
    name: 'tone.wav',
    categories: ['audio'],
    make: (path, run) =>
      run(
        'ffmpeg',
        ...['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100:duration=2'],
        ...['-f', 'lavfi', '-i', 'anoisesrc=amplitude=0.3:seed=7:sample_rate=44100:duration=2'],
        ...['-filter_complex', '[0][1]join=inputs=2:channel_layout=stereo', path],
      ),
  },
  {
    name: 'font.ttc',
    categories: [],
    make: (path, run) =>
      run(pythonPath, '-c', joinFontsScript, path, fontPath, fontPath.replace('DejaVuSans', 'DejaVuSerif')),
  },
  {
    name: 'font.ttf',
    categories: ['font'],
    make: (path, run) => run(pythonPath, '-c', joinFontsScript, path, fontPath),
  },
  {
    name: 'files.zip',
    categories: ['archive'],
    make: (path, run) => {
      const contentPath = `${path}.content`
      mkdirSync(contentPath, { recursive: true })
      const lines = Array.from({ length: 8000 }, (_, at) => `line ${at} of many ${at * 7919}`)
      writeFileSync(join(contentPath, 'lines.txt'), lines.join('\n'))
      writeFileSync(join(contentPath, 'page.md'), '# A page\n')
      run('7zz', 'a', '-mtm=off', path, `${contentPath}/lines.txt`, `${contentPath}/page.md`)
    },
  },
]

const specialSources = {
  book: async () => createBook('Alpha'),
  photo: createPhotoPage,
  /** The detection of signatures looks for the key of the signed byte range. */
  signed: async () =>
    Buffer.from(createBook('Alpha').toString('latin1').replace('/Type /Annot', '/ByteRange[]'), 'latin1'),
  scan: async () => createScannedPdf([await createScan(), await createScannedPage(['second page'])]),
} as const satisfies Record<SpecialSource, () => Promise<Buffer>>

const createScan = () =>
  createScannedPage(['Über süße Äpfel größer', 'façade naïve 0O1lI garçon', 'Straße Übung'], { rotation: 2 })

export interface SourceRequest {
  readonly operation: string
  readonly from: FormatId
  readonly option: string
  readonly trial: Trial
  readonly folder: string
}

/** Returns a source of the format that shows the effect of the option; undefined if no program here writes it. */
export async function findOptionSource(request: SourceRequest): Promise<string | undefined> {
  const { from, option, folder } = request
  const source = await findSource(request)
  if (option === 'strip' && source !== undefined) return addAuthor(source, folder)
  const isFixture = request.trial.fixtures?.some((name) => fixturePath(name) === source)
  if (option === 'metadata' && source !== undefined && !isFixture) return addAuthorIfPossible(source, folder)
  const isOfficeDocument = from !== 'pdf' && formatById(from).category === 'document'
  if (request.operation === 'compress' && source !== undefined && isOfficeDocument)
    return addImage(source, from, folder)
  return source
}

function addAuthorIfPossible(source: string, folder: string): string {
  try {
    return addAuthor(source, folder)
  } catch {
    // ExifTool does not write this format.
    return source
  }
}

const authorProperties = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>`

function addAuthor(source: string, folder: string): string {
  const path = join(folder, `author-${basename(source)}`)
  if (existsSync(path)) return path
  const { id, category } = formatByExtension(source) ?? { id: undefined, category: undefined }
  // ExifTool 12.57 does not write WebP.
  if (id === 'webp') {
    const properties = join(folder, 'author.xmp')
    writeFileSync(properties, authorProperties)
    execFileSync('webpmux', ['-set', 'xmp', properties, source, '-o', path], { stdio: 'ignore' })
    return path
  }
  const [bin, ...args] =
    category === 'video' || category === 'audio'
      ? [
          'ffmpeg',
          '-i',
          source,
          '-map',
          '0',
          '-c',
          'copy',
          '-metadata',
          'artist=Ada',
          ...(id === 'weba' ? ['-f', 'webm'] : []),
          path,
        ]
      : [
          'exiftool',
          '-api',
          'PNGEarlyXMP=1',
          '-Artist=Ada',
          '-Author=Ada',
          '-XMP-dc:Creator=Ada',
          '-o',
          path,
          source,
        ]
  execFileSync(bin, args, { stdio: 'ignore' })
  return path
}

/** Adds an image where the format stores them; the text does not refer to it. */
function addImage(source: string, from: FormatId, folder: string): string {
  const path = copy(source, join(folder, `image.${from}`))
  const mediaFolders = { d: 'word/media', x: 'xl/media', p: 'ppt/media', o: 'Pictures' } as const
  const imageFolder = mediaFolders[from[0] as keyof typeof mediaFolders]
  mkdirSync(join(folder, imageFolder), { recursive: true })
  const image = join(imageFolder, 'image.jpg')
  execFileSync('convert', ['-quality', '100', makeBaseFile('image.png', folder), join(folder, image)])
  execFileSync('zip', ['-q', path, image], { cwd: folder })
  return path
}

async function findSource(request: SourceRequest): Promise<string | undefined> {
  const { from, option, trial, folder } = request
  const { fixtures = [], make } = trial
  const fixture = fixtures.find((name) => formatByExtension(name)?.id === from)
  if (fixture !== undefined) return fixturePath(fixture)
  if (option === 'password') {
    const lockedSource = await findLockedSource(from, folder)
    if (lockedSource !== undefined) return lockedSource
  }
  if (make !== undefined && from === 'pdf') return makeSpecialSource(make, folder)
  if (make === 'scan') return makeScannedImage(from, folder)
  const subtitles = fixturePath(`subtitles.${from}`)
  if (option === 'encoding' && existsSync(subtitles))
    return addEncodedByte(copy(subtitles, join(folder, `made.${from}`)))
  const document = makeOptionSource(from, join(folder, from))
  if (document !== undefined) return option === 'encoding' ? addEncodedByte(document) : document
  return fixedSources[from] ?? (await convertBaseFile(from, folder)) ?? findSample(from)
}

async function findLockedSource(from: FormatId, folder: string): Promise<string | undefined> {
  const family = Object.keys(lockedFamilies).find((name) => lockedFamilies[name]?.includes(from))
  if (family !== undefined) return fixturePath(`office/locked.${family}`)
  if (from === 'pdf') return fixturePath('needs-password.pdf')
  const path = join(folder, `locked.${from}`)
  if (!(['zip', 'jar', 'zipx', '7z'] as const).some((id) => id === from)) return undefined
  const base = await makeBaseFile('files.zip', folder)
  const type = from === '7z' ? '7z' : 'zip'
  if (!existsSync(path))
    execFileSync('7zz', ['a', `-t${type}`, '-psecret', path, `${base}.content/lines.txt`], {
      stdio: 'ignore',
    })
  return path
}

async function makeSpecialSource(make: SpecialSource, folder: string): Promise<string> {
  const path = join(folder, `${make}.pdf`)
  if (!existsSync(path)) writeFileSync(path, await specialSources[make]())
  return path
}

async function makeScannedImage(from: FormatId, folder: string): Promise<string> {
  const path = join(folder, 'scan.jpg')
  if (!existsSync(path)) writeFileSync(path, await createScan())
  return from === 'jpg' ? path : convertFile(path, from, folder)
}

function makeBaseFile(name: string, folder: string): string {
  const path = join(folder, name)
  const base = baseFiles.find((one) => one.name === name)
  const run: Run = (bin, ...args) => execFileSync(bin, args, { cwd: folder, stdio: 'ignore' })
  if (!existsSync(path)) base?.make(path, run)
  return path
}

/** Converts the base file of the format's category to the format. */
async function convertBaseFile(to: FormatId, folder: string): Promise<string | undefined> {
  const { category } = formatById(to)
  const base = baseFiles.find(
    ({ name, categories }) => name === `font.${to}` || categories.includes(category),
  )
  if (!base) return undefined
  const path = makeBaseFile(base.name, folder)
  if (formatByExtension(base.name)?.id === to) return path
  return convertFile(path, to, folder).catch(() => undefined)
}

async function convertFile(path: string, to: FormatId, folder: string): Promise<string> {
  const convertedPath = join(
    folder,
    `${basename(path, extname(path))}-as-${to}.${formatById(to).extensions[0]}`,
  )
  if (existsSync(convertedPath)) return convertedPath
  const { path: result, format } = await convertAlongRoutes(path, to, { within: folder })
  if (format !== to) throw new Error(`the conversion made ${format} instead of ${to}`)
  return copy(result, convertedPath)
}

function copy(from: string, to: string): string {
  copyFileSync(from, to)
  return to
}
