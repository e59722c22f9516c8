// Run by `npm run images:test`: the container images convert real files under the conditions of Lambda.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { ImageId } from '../../lib/component-ids.ts'
import { getImageLimits } from '../../lib/deployment/functions.ts'
import { functions } from '../../lib/resources/functions.ts'
import { createScannedPage } from '../engines/support/scan-maker.ts'
import { python3 } from '../support/python.ts'
import { listBuiltImages } from './built-images.ts'
import {
  boxes,
  createRichPage,
  describePdf,
  measureImageDifference,
  readBoxColors,
  renderWithDebian,
} from './rich-page.ts'
import { convertAndWait, openService, type ServiceInImages, type Serving } from './service-in-images.ts'
import { readImageSizeMb, readPeakMemoryMb, writeFigures } from './update-readme-table.ts'

const images = listBuiltImages()

let service: ServiceInImages
let folder: string
const lambdasByImage = new Map<ImageId, Serving>()

before(async () => {
  const loadImageCommand = 'docker save mutabor-image | podman load'
  assert.ok(
    images.length > 0,
    `podman has no image of this commit: run "npm run images" first, or load each image with "${loadImageCommand}".`,
  )
  service = await openService()
  folder = service.folder
  const { environment, network, serve } = service
  for (const image of images) {
    const { memorySize: memoryMb, timeout } = getImageLimits(image)
    const options = { image, memoryMb, environment: { ...environment, IMAGE_ID: image } }
    lambdasByImage.set(image, await serve(image, timeout, options))
  }
  if (images.includes('browser')) {
    const { memoryMb, timeoutS, handler } = functions.capture
    const allowedEnvironment = { ...environment, OUTGOING_ALLOW: `${network.hostAddress}/32` }
    await serve('capture', timeoutS, { image: 'browser', memoryMb, handler, environment: allowedEnvironment })
  }
})

after(async () => {
  writeFigures(
    images.flatMap((image) => {
      const [coldMs, warmMs] = durationsByImage.get(image) ?? []
      const lambda = lambdasByImage.get(image)
      if (coldMs === undefined || warmMs === undefined || !lambda) return []
      return [
        { image, sizeMb: readImageSizeMb(image), coldMs, warmMs, peakMb: readPeakMemoryMb(lambda.container) },
      ]
    }),
  )
  await service.close()
})

/** Durations of the first and the second identical conversion in milliseconds, by image. */
const durationsByImage = new Map<ImageId, number[]>()

/** Measures the first conversion of an image, which includes its start, and the same conversion again. */
async function measureConversion(image: ImageId, ...args: Parameters<typeof convert>) {
  const durationsMs: number[] = []
  durationsByImage.set(image, durationsMs)
  const measureOnce = async () => {
    const startedAtMs = performance.now()
    const result = await convert(...args)
    durationsMs.push(performance.now() - startedAtMs)
    return result
  }
  await measureOnce()
  return measureOnce()
}

async function convert(
  name: string,
  bytes: Buffer<ArrayBuffer>,
  targetFormat: string,
  fields: Record<string, string> = {},
) {
  const job = await convertAndWait(service, { name, bytes }, { targetFormat, ...fields })
  const path = await service.client.saved(job, folder)
  return { path, bytes: Buffer.from(readFileSync(path)), engine: job.result?.engine }
}

function makeFixture(name: string, command: string, ...args: string[]) {
  const path = join(folder, name)
  execFileSync(command, [...args, path], { stdio: 'pipe' })
  return Buffer.from(readFileSync(path))
}

const fixture = (path: string) => Buffer.from(readFileSync(new URL(`../fixtures/${path}`, import.meta.url)))

/** Returns codec and size of an image. Uses ffprobe of this machine instead of a program of the tested container. */
function probeImage(path: string): string {
  const entries = ['-show_entries', 'stream=codec_name,width,height', '-of', 'csv=p=0']
  return execFileSync('ffprobe', ['-v', 'error', ...entries, path], { encoding: 'utf8' }).trim()
}

/** Returns the text of a PDF. Uses pdftotext of this machine instead of a program of the tested container. */
const readPdfText = (path: string) => execFileSync('pdftotext', [path, '-'], { encoding: 'utf8' })

const zipScript = "import sys, zipfile; zipfile.ZipFile(sys.stdout.buffer, 'w').writestr('a.txt', 'narwhal')"
const testVideo = ['-y', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc=size=320x200:duration=2'] as const
const testImage = [...testVideo, '-frames:v', '1'] as const

const skipUnlessBuilt = (image: ImageId) =>
  images.includes(image) ? {} : { skip: `not built; "npm run images -- ${image}" builds it` }

test('the image container converts a JPEG to PNG and WebP', skipUnlessBuilt('image'), async () => {
  const jpg = makeFixture('source.jpg', 'ffmpeg', ...testImage)
  const png = await measureConversion('image', 'photo.jpg', jpg, 'png')
  assert.equal(probeImage(png.path), 'png,320,200')
  const webp = await convert('photo.png', png.bytes, 'webp')
  assert.equal(probeImage(webp.path), 'webp,320,200')
})

test('the image container converts heic to jpg', skipUnlessBuilt('image'), async () => {
  makeFixture('source.png', 'ffmpeg', ...testImage)
  const heic = makeFixture('source.heic', 'heif-enc', join(folder, 'source.png'), '-o')
  const jpg = await convert('photo.heic', heic, 'jpg')
  assert.equal(probeImage(jpg.path), 'mjpeg,320,200')
})

test('the office container converts docx to pdf', skipUnlessBuilt('office'), async () => {
  const { path } = await measureConversion('office', 'report.docx', fixture('office/report.docx'), 'pdf')
  assert.match(readPdfText(path), /Quarterly report/)
  assert.match(readPdfText(path), /àéîõü Ωμέγα/)
})

test('the office container converts xlsx to pdf', skipUnlessBuilt('office'), async () => {
  const { path } = await convert('workbook.xlsx', fixture('office/workbook.xlsx'), 'pdf')
  assert.match(readPdfText(path), /Otters.*Ünïcödé/s)
})

test('the av container converts mp4 to mp3', skipUnlessBuilt('av'), async () => {
  const audio = ['-f', 'lavfi', '-i', 'sine=duration=2', '-c:a', 'aac', '-shortest']
  const mp4 = makeFixture('source.mp4', 'ffmpeg', ...testVideo, ...audio)
  const { path } = await measureConversion('av', 'video.mp4', mp4, 'mp3')
  assert.match(execFileSync('file', ['--brief', path], { encoding: 'utf8' }), /MPEG ADTS, layer III|ID3/)
})

test('the pdf container converts pdf to png', skipUnlessBuilt('pdf'), async () => {
  makeFixture('source.png', 'ffmpeg', ...testImage)
  const pdf = makeFixture('source.pdf', 'img2pdf', '--imgsize', '3in', join(folder, 'source.png'), '-o')
  const { path } = await measureConversion('pdf', 'page.pdf', pdf, 'png')
  assert.match(probeImage(path), /^png,\d{3},\d{3}$/)
})

test('the document container converts md to docx', skipUnlessBuilt('document'), async () => {
  const { path } = await measureConversion(
    'document',
    'notes.md',
    Buffer.from('# Heading\n\nokapi *here*\n'),
    'docx',
  )
  assert.match(
    execFileSync('unzip', ['-p', path, 'word/document.xml'], { encoding: 'utf8' }),
    /Heading.*okapi/s,
  )
})

test('the document container converts html to azw3', skipUnlessBuilt('document'), async () => {
  const { path } = await convert('page.html', fixture('page.html'), 'azw3')
  assert.equal(readFileSync(path).toString('latin1', 60, 68), 'BOOKMOBI')
})

test('the archive container converts zip to 7z', skipUnlessBuilt('archive'), async () => {
  const zip = execFileSync(python3, ['-c', zipScript])
  const { path } = await measureConversion('archive', 'files.zip', zip as Buffer<ArrayBuffer>, '7z')
  assert.match(execFileSync('bsdtar', ['-xOf', path], { encoding: 'utf8' }), /narwhal/)
})

test('the font container converts ttf to woff2', skipUnlessBuilt('font'), async () => {
  const ttf = Buffer.from(readFileSync('/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'))
  const { path } = await measureConversion('font', 'mono.ttf', ttf, 'woff2')
  assert.equal(readFileSync(path).toString('latin1', 0, 4), 'wOF2')
})

/** Conversions with engines that the tests above do not use. */
const otherOptions = [
  { image: 'image', engine: 'imagemagick', name: 'corners.psd', to: 'png' },
  { image: 'image', engine: 'vtracer', name: 'corners.png', to: 'svg' },
  { image: 'image', engine: 'potrace', name: 'corners.png', to: 'eps' },
  { image: 'pdf', engine: 'ghostscript', name: 'letter.ps', to: 'pdf' },
] as const
/** Checks of results with other programs than those that created them. */
const outputChecks = {
  png: (path: string) => assert.match(probeImage(path), /^png,\d+,\d+$/),
  svg: (path: string) => assert.match(readFileSync(path, 'utf8'), /<path d="/),
  eps: (path: string) => assert.match(readFileSync(path, 'utf8'), /^%!PS-Adobe-3.0 EPSF-3.0/),
  pdf: (path: string) => assert.match(readPdfText(path), /\p{L}{3}/u),
}
for (const { image, engine, name, to } of otherOptions)
  test(
    `the ${image} container converts ${name} to ${to} with ${engine}`,
    skipUnlessBuilt(image),
    async () => {
      const convertedFile = await convert(name, fixture(name), to, { engine })
      assert.equal(convertedFile.engine, engine)
      outputChecks[to](convertedFile.path)
    },
  )

test('the pdf container recognizes the text of a scan', skipUnlessBuilt('pdf'), async () => {
  const scan = Buffer.from(
    await createScannedPage(['The keeper of the old lighthouse', 'wrote many letters.']),
  )
  const { path } = await convert('scan.jpg', scan, 'txt')
  assert.match(readFileSync(path, 'utf8'), /keeper of the old lighthouse/)
})

test('the browser container converts html to pdf', skipUnlessBuilt('browser'), async () => {
  const { path } = await measureConversion('browser', 'page.html', Buffer.from('<h1>axolotl</h1>'), 'pdf')
  assert.match(readPdfText(path), /axolotl/)
})

test(
  'the browser container prints a page in many writing systems as the Chromium of Debian does',
  skipUnlessBuilt('browser'),
  async () => {
    const lambdaPdf = await convert('rich.html', Buffer.from(createRichPage()), 'pdf')
    assert.match(readPdfText(lambdaPdf.path), /歡迎光臨.*안녕하세요.*😀.*In a font of its own/s)
    await renderWithDebian(folder, 'pdf', (path) =>
      assert.deepEqual(describePdf(lambdaPdf.path), describePdf(path)),
    )
  },
)

test(
  'the browser container takes the same screenshot of a page in many writing systems as the Chromium of Debian',
  skipUnlessBuilt('browser'),
  async () => {
    const { path, bytes } = await convert('rich.html', Buffer.from(createRichPage()), 'png')
    assert.deepEqual(await readBoxColors(bytes), boxes)
    await renderWithDebian(folder, 'png', async (otherPath) => {
      assert.ok((await measureImageDifference(path, otherPath)) < 2)
    })
  },
)

test('the browser container creates no font cache at run time', skipUnlessBuilt('browser'), async () => {
  await convert('page.html', Buffer.from('<h1>axolotl</h1>'), 'png')
  const script = `
    const { existsSync, readdirSync } = require('node:fs')
    const homes = readdirSync('/tmp').filter((name) => name.startsWith('mutabor-browser-'))
    console.log(homes.map((home) => existsSync('/tmp/' + home + '/.cache/fontconfig')).join())`
  assert.equal(lambdasByImage.get('browser')?.inside(script), 'false')
})

test('the browser container captures a website and runs its script', skipUnlessBuilt('browser'), async () => {
  const website = createHttpServer((_request, response) => {
    const script = 'document.body.append(navigator.languages.join())'
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>pangolin <script>${script}</script>`)
  })
  website.listen(0, service.network.hostAddress)
  await once(website, 'listening')
  try {
    const { port } = website.address() as AddressInfo // a TCP server's address is an AddressInfo
    const url = `http://${service.network.hostAddress}:${port}/`
    const page = { operation: 'capture-website', url, output_format: 'pdf' }
    const tasks = { page, out: { operation: 'export/url', input: 'page' } }
    const { client } = service
    const job = await client.accepted(await client.post('/v1/jobs', { tasks }))
    assert.match(readPdfText(await client.saved(job, folder)), /pangolin\s+en-US,en/)
  } finally {
    website.close()
  }
})

for (const image of images) {
  test(`the ${image} container starts its engines with seccomp filters`, () => {
    const script = `import('/var/task/functions/sandbox-probe.mjs').then(async ({ handler }) => console.log(JSON.stringify(await handler())))`
    const { level, tried } = JSON.parse(lambdasByImage.get(image)?.inside(script) ?? '')
    assert.equal(level, 'filtered')
    const bestLauncher = tried.find(({ level }: { level: string }) => level === 'filtered')
    // Process ids and the network are not isolated again, because they already belong to the container.
    assert.deepEqual(bestLauncher.open, ['pid', 'net'])
  })

  test(`the ${image} container runs without capabilities, cannot write to /var/task and has no network access`, () => {
    const script = `
      const { readFileSync, writeFileSync } = require('node:fs')
      const attempt = (action) => { try { action(); return 'done' } catch (error) { return error.code } }
      const status = readFileSync('/proc/self/status', 'utf8')
      const report = {
        user: process.getuid(),
        capabilities: /CapEff:\\s+(\\w+)/.exec(status)[1],
        task: attempt(() => writeFileSync('/var/task/x', '')),
        home: attempt(() => writeFileSync(process.env.HOME + '/x', '')),
      }
      require('node:net').connect(53, '9.9.9.9').on('error', ({ code }) => console.log(JSON.stringify({ ...report, network: code })))`
    assert.deepEqual(JSON.parse(lambdasByImage.get(image)?.inside(script) ?? ''), {
      user: 993,
      capabilities: '0000000000000000',
      task: 'EROFS',
      home: 'done',
      network: 'ENETUNREACH',
    })
  })
}
