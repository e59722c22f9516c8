// npm run images:test: the container images convert real files as Lambda would have them do.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { environment as deployedEnvironment, imageLimits } from '../../lib/deployment/functions.ts'
import type { ImageId } from '../../lib/engines/engine.ts'
import { type Embedded, openEmbedded } from '../../lib/local/embedded.ts'
import { apiHandlers, httpRoutes, zipFunctions } from '../../lib/local/functions.ts'
import { createHttpApi } from '../../lib/local/gateway/http-api.ts'
import { createGateway } from '../../lib/local/gateway.ts'
import { Lambda } from '../../lib/local/lambda/runtime.ts'
import { close, listen } from '../../lib/local/listen.ts'
import { provision } from '../../lib/local/provision.ts'
import { QueueMapping } from '../../lib/local/queue-mapping.ts'
import { createLog } from '../../lib/log.ts'
import { functions } from '../../lib/resources/functions.ts'
import { queueMapping } from '../../lib/resources/queue-functions.ts'
import type { QueueId } from '../../lib/resources/queues.ts'
import { Client } from '../service.ts'
import { builtImages } from './built-images.ts'
import { peakOf, sizeOf, writeFigures } from './figures.ts'
import { type LambdaOptions, openNetwork, startLambda } from './lambda.ts'
import { boxes, boxesIn, byDebian, difference, partsOf, richPage } from './rich-page.ts'

const images = builtImages()

const region = 'eu-central-1'
const credentials = { accessKeyId: 'AKIAIMAGESTEST000000', secretAccessKey: 'a'.repeat(40) }
const log = createLog({ LOG_LEVEL: 'error', LOG_FILE: undefined })

let folder: string
let network: ReturnType<typeof openNetwork>
let client: Client
const lambdas = new Map<ImageId, Awaited<ReturnType<typeof startLambda>>>()
const ends: (() => unknown)[] = []

/** The embedded DynamoDB listens on loopback only, where no container comes. */
async function passOn(host: string, target: URL): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(Number(target.port), target.hostname)
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on('error', () => end.destroy()).on('close', () => sockets.delete(end))
    }
    pipeline(socket, onward, socket).catch(() => {})
  })
  server.listen(0, host)
  await once(server, 'listening')
  ends.push(() => {
    server.close()
    // What is still open when the network goes would never hear of the other side's end.
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as AddressInfo // it listens on a port, not on a path
  return `http://${host}:${port}`
}

async function environmentOf(embedded: Embedded, host: string) {
  const endpoints = Object.entries({
    ...embedded.urls,
    DYNAMODB: await passOn(host, new URL(embedded.urls.DYNAMODB)),
  })
  const access = {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...Object.fromEntries(endpoints.map(([service, url]) => [`AWS_ENDPOINT_URL_${service}`, url])),
  }
  Object.assign(process.env, access)
  const names = { tableName: 'mutabor', bucketName: 'mutabor', busName: 'mutabor', queuePrefix: 'mutabor-' }
  const { queues } = await provision({ region, ...names })
  const environment = {
    ...access,
    TABLE_NAME: names.tableName,
    BUCKET_NAME: names.bucketName,
    BUS_NAME: names.busName,
    QUEUE_URL_PREFIX: queues.image.url.slice(0, -'image'.length),
    SERVICE_SECRET: 'x'.repeat(40),
  }
  return { environment, queues }
}

before(async () => {
  const bring = 'docker save mutabor-image | podman load'
  assert.ok(
    images.length > 0,
    `podman has no image of this commit: run "npm run images" first, or bring each by "${bring}".`,
  )
  folder = mkdtempSync(join(tmpdir(), 'mutabor-images-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  network = openNetwork()
  ends.push(network.close)
  const host = network.hostAddress
  const invoke = () => Promise.resolve()
  const embedded = await openEmbedded({ dir: folder, host, region, credentials, invoke, log })
  ends.push(embedded.close)
  const { environment, queues } = await environmentOf(embedded, host)
  const serve = async (queue: QueueId, timeoutS: number, options: Omit<LambdaOptions, 'network'>) => {
    const lambda = await startLambda({ ...options, network })
    ends.push(lambda.close)
    const { url: queueUrl, arn: queueArn } = queues[queue]
    const mapping = new QueueMapping({
      ...{ queueUrl, queueArn, region, concurrency: 1, settings: queueMapping, log },
      invoke: async (event) => {
        const outcome = await lambda.invoke(event, timeoutS)
        if ('error' in outcome) throw new Error(JSON.stringify(outcome.error))
        return outcome.response
      },
    })
    ends.push(() => mapping.close())
    return lambda
  }
  for (const image of images) {
    const { memorySize: memoryMb, timeout } = imageLimits(image)
    const options = { image, memoryMb, environment: { ...environment, IMAGE_ID: image } }
    lambdas.set(image, await serve(image, timeout, options))
  }
  if (images.includes('browser')) {
    const { memoryMb, timeoutS, handler } = functions.capture
    const allowed = { ...environment, OUTGOING_ALLOW: `${host}/32` }
    await serve('capture', timeoutS, { image: 'browser', memoryMb, handler, environment: allowed })
  }
  const { createApi } = await import('../../functions/whole-api.ts')
  const { MIN_FREE_DISK_GB } = deployedEnvironment
  const settings = { ...environment, MIN_FREE_DISK_GB, LOG_LEVEL: 'error' }
  const handlers = apiHandlers(createApi(settings))
  const zipped = zipFunctions({ api: functions.api }, handlers, {})
  const options = { routes: httpRoutes({ api: functions.api }), streamed: ['api'], log }
  const http = createHttpApi({ ...options, lambda: new Lambda({ functions: zipped, region, log }) })
  const gateway = createGateway({ http })
  client = new Client({ url: `http://127.0.0.1:${await listen(gateway, 0, '127.0.0.1')}` })
  ends.push(() => close(gateway))
})

after(async () => {
  writeFigures(
    images.flatMap((image) => {
      const [coldMs, warmMs] = times.get(image) ?? []
      const lambda = lambdas.get(image)
      if (coldMs === undefined || warmMs === undefined || !lambda) return []
      return [{ image, sizeMb: sizeOf(image), coldMs, warmMs, peakMb: peakOf(lambda.container) }]
    }),
  )
  for (const end of ends.reverse()) await end()
})

/** Milliseconds from a wish to its result, by image; of the first two conversions that are alike. */
const times = new Map<ImageId, number[]>()

/** The first of an image, which starts it, and the same again. */
async function measured(image: ImageId, ...wish: Parameters<typeof convert>) {
  const took: number[] = []
  times.set(image, took)
  const timed = async () => {
    const beganMs = performance.now()
    const result = await convert(...wish)
    took.push(performance.now() - beganMs)
    return result
  }
  await timed()
  return timed()
}

async function convert(name: string, bytes: Buffer<ArrayBuffer>, targetFormat: string) {
  const accepted = await client.convert({ name, bytes }, { targetFormat })
  const { data } = (await accepted.json()) as { data: { jobId: string } }
  assert.equal(accepted.status, 202, JSON.stringify(data))
  const job = await client.finished(data.jobId)
  assert.equal(job.status, 'completed', JSON.stringify(job))
  const bytesOut = await client.download(data.jobId)
  const path = join(folder, `result.${targetFormat}`)
  writeFileSync(path, bytesOut)
  return { path, bytes: bytesOut }
}

function made(name: string, command: string, ...args: string[]) {
  const path = join(folder, name)
  execFileSync(command, [...args, path], { stdio: 'pipe' })
  return Buffer.from(readFileSync(path))
}

const fixture = (path: string) => Buffer.from(readFileSync(new URL(`../fixtures/${path}`, import.meta.url)))

/** By ffmpeg, which is in neither of the two images. */
function picture(path: string): string {
  const entries = ['-show_entries', 'stream=codec_name,width,height', '-of', 'csv=p=0']
  return execFileSync('ffprobe', ['-v', 'error', ...entries, path], { encoding: 'utf8' }).trim()
}

/** By poppler, which is in neither of the two images. */
const text = (path: string) => execFileSync('pdftotext', [path, '-'], { encoding: 'utf8' })

const zipOfOne = "import sys, zipfile; zipfile.ZipFile(sys.stdout.buffer, 'w').writestr('a.txt', 'narwhal')"
const testFilm = ['-y', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc=size=320x200:duration=2'] as const
const testPicture = [...testFilm, '-frames:v', '1'] as const

const unless = (image: ImageId) =>
  images.includes(image) ? {} : { skip: `not built; "npm run images -- ${image}" builds it` }

test('image: jpg to png to webp', unless('image'), async () => {
  const jpg = made('source.jpg', 'ffmpeg', ...testPicture)
  const png = await measured('image', 'photo.jpg', jpg, 'png')
  assert.equal(picture(png.path), 'png,320,200')
  const webp = await convert('photo.png', png.bytes as Buffer<ArrayBuffer>, 'webp')
  assert.equal(picture(webp.path), 'webp,320,200')
})

test('image: heic to jpg', unless('image'), async () => {
  made('source.png', 'ffmpeg', ...testPicture)
  const heic = made('source.heic', 'heif-enc', join(folder, 'source.png'), '-o')
  const jpg = await convert('photo.heic', heic, 'jpg')
  assert.equal(picture(jpg.path), 'mjpeg,320,200')
})

test('office: docx to pdf', unless('office'), async () => {
  const { path } = await measured('office', 'report.docx', fixture('office/report.docx'), 'pdf')
  assert.match(text(path), /Quarterly report/)
  assert.match(text(path), /àéîõü Ωμέγα/)
})

test('office: xlsx to pdf', unless('office'), async () => {
  const { path } = await convert('workbook.xlsx', fixture('office/workbook.xlsx'), 'pdf')
  assert.match(text(path), /Otters.*Ünïcödé/s)
})

test('av: mp4 to mp3', unless('av'), async () => {
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=2', '-c:a', 'aac', '-shortest']
  const mp4 = made('source.mp4', 'ffmpeg', ...testFilm, ...sound)
  const { path } = await measured('av', 'film.mp4', mp4, 'mp3')
  assert.match(execFileSync('file', ['--brief', path], { encoding: 'utf8' }), /MPEG ADTS, layer III|ID3/)
})

test('pdf: pdf to png', unless('pdf'), async () => {
  made('source.png', 'ffmpeg', ...testPicture)
  const pdf = made('source.pdf', 'img2pdf', '--imgsize', '3in', join(folder, 'source.png'), '-o')
  const { path } = await measured('pdf', 'page.pdf', pdf, 'png')
  assert.match(picture(path), /^png,\d{3},\d{3}$/)
})

test('document: md to docx', unless('document'), async () => {
  const { path } = await measured('document', 'notes.md', Buffer.from('# Heading\n\nokapi *here*\n'), 'docx')
  assert.match(
    execFileSync('unzip', ['-p', path, 'word/document.xml'], { encoding: 'utf8' }),
    /Heading.*okapi/s,
  )
})

test('document: html to azw3', unless('document'), async () => {
  const { path } = await convert('page.html', fixture('page.html'), 'azw3')
  assert.equal(readFileSync(path).toString('latin1', 60, 68), 'BOOKMOBI')
})

test('archive: zip to 7z', unless('archive'), async () => {
  const zip = execFileSync('python3', ['-c', zipOfOne])
  const { path } = await measured('archive', 'files.zip', zip as Buffer<ArrayBuffer>, '7z')
  assert.match(execFileSync('bsdtar', ['-xOf', path], { encoding: 'utf8' }), /narwhal/)
})

test('font: ttf to woff2', unless('font'), async () => {
  const ttf = Buffer.from(readFileSync('/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'))
  const { path } = await measured('font', 'mono.ttf', ttf, 'woff2')
  assert.equal(readFileSync(path).toString('latin1', 0, 4), 'wOF2')
})

test('browser: html to pdf', unless('browser'), async () => {
  const { path } = await measured('browser', 'page.html', Buffer.from('<h1>axolotl</h1>'), 'pdf')
  assert.match(text(path), /axolotl/)
})

test(
  'browser: a page in many scripts becomes what Debian’s browser makes of it',
  unless('browser'),
  async () => {
    const ours = await convert('rich.html', Buffer.from(richPage()), 'pdf')
    assert.match(text(ours.path), /歡迎光臨.*안녕하세요.*😀.*In a font of its own/s)
    await byDebian(folder, 'pdf', (path) => assert.deepEqual(partsOf(ours.path), partsOf(path)))
  },
)

test('browser: a page in many scripts looks as in Debian’s browser', unless('browser'), async () => {
  const { path, bytes } = await convert('rich.html', Buffer.from(richPage()), 'png')
  assert.deepEqual(await boxesIn(bytes), boxes)
  await byDebian(folder, 'png', async (other) => {
    assert.ok((await difference(path, other)) < 2)
  })
})

test('browser: its fonts were read when the image was built', unless('browser'), async () => {
  await convert('page.html', Buffer.from('<h1>axolotl</h1>'), 'png')
  const script = `
    const { existsSync, readdirSync } = require('node:fs')
    const homes = readdirSync('/tmp').filter((name) => name.startsWith('mutabor-browser-'))
    console.log(homes.map((home) => existsSync('/tmp/' + home + '/.cache/fontconfig')).join())`
  assert.equal(lambdas.get('browser')?.inside(script), 'false')
})

test('browser: a website is captured as it looks', unless('browser'), async () => {
  const website = createHttpServer((_request, response) => {
    const script = 'document.body.append(navigator.languages.join())'
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>pangolin <script>${script}</script>`)
  })
  website.listen(0, network.hostAddress)
  await once(website, 'listening')
  try {
    const { port } = website.address() as AddressInfo // it listens on a port, not on a path
    const url = `http://${network.hostAddress}:${port}/`
    const page = { operation: 'capture-website', url, output_format: 'pdf' }
    const tasks = { page, out: { operation: 'export/url', input: 'page' } }
    const job = await client.accepted(await client.post('/v1/jobs', { tasks }))
    assert.match(text(await client.saved(job, folder)), /pangolin\s+en-US,en/)
  } finally {
    website.close()
  }
})

for (const image of images) {
  test(`${image} holds its engines by filters, and an intruder in it finds nothing`, () => {
    const script = `import('/var/task/functions/probe.mjs').then(async ({ handler }) => console.log(JSON.stringify(await handler())))`
    const { level, tried } = JSON.parse(lambdas.get(image)?.inside(script) ?? '')
    assert.equal(level, 'filtered')
    const best = tried.find(({ level }: { level: string }) => level === 'filtered')
    // The number of the process and the network are the container's.
    assert.deepEqual(best.open, ['pid', 'net'])
  })

  test(`${image} runs without rights, writes to /tmp only and reaches nothing outside`, () => {
    const script = `
      const { readFileSync, writeFileSync } = require('node:fs')
      const tried = (what) => { try { what(); return 'done' } catch (error) { return error.code } }
      const status = readFileSync('/proc/self/status', 'utf8')
      const report = {
        user: process.getuid(),
        capabilities: /CapEff:\\s+(\\w+)/.exec(status)[1],
        task: tried(() => writeFileSync('/var/task/x', '')),
        home: tried(() => writeFileSync(process.env.HOME + '/x', '')),
      }
      require('node:net').connect(53, '9.9.9.9').on('error', ({ code }) => console.log(JSON.stringify({ ...report, network: code })))`
    assert.deepEqual(JSON.parse(lambdas.get(image)?.inside(script) ?? ''), {
      user: 993,
      capabilities: '0000000000000000',
      task: 'EROFS',
      home: 'done',
      network: 'ENETUNREACH',
    })
  })
}
