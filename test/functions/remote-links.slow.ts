// Run by `npm run test:slow`: tests that engines do not fetch the remote files to which documents link.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { TestSites } from '../capture/site.ts'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { createPrivateUrls } from '../transfer/private-forms.ts'

const sites = new TestSites()
let service: TestService
let client: Client
let trap: Awaited<ReturnType<TestSites['startTrap']>>
let links: string[]
before(async () => {
  service = await startService()
  client = new Client(service)
  // Records requests to any address of this machine.
  trap = await sites.startTrap('::')
  const ownAddresses = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.flatMap(({ address, family }) => (family === 'IPv4' ? [address] : [])),
  )
  links = [
    ...createPrivateUrls(trap.port),
    ...['localhost', ...ownAddresses].map((host) => `http://${host}:${trap.port}/a.png`),
  ]
})
after(async () => {
  sites.close()
  await service.stop()
})

async function createDocx(): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new ZipWriter(new Uint8ArrayWriter())
  const add = (name: string, xml: string) =>
    writer.add(name, new Blob([`<?xml version="1.0"?>${xml}`]).stream())
  const base = 'http://schemas.openxmlformats.org'
  const relationshipsNamespace = `${base}/package/2006/relationships`
  const officeNamespace = `${base}/officeDocument/2006`
  await add(
    '[Content_Types].xml',
    `<Types xmlns="${base}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
  )
  await add(
    '_rels/.rels',
    `<Relationships xmlns="${relationshipsNamespace}"><Relationship Id="r1" Type="${officeNamespace}/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
  )
  const linkedFiles = links.map(
    (link, at) =>
      `<Relationship Id="p${at}" Type="${officeNamespace}/relationships/image" Target="${link}" TargetMode="External"/>`,
  )
  const template = `<Relationship Id="t" Type="${officeNamespace}/relationships/attachedTemplate" Target="${links[0]}" TargetMode="External"/>`
  await add(
    'word/_rels/document.xml.rels',
    `<Relationships xmlns="${relationshipsNamespace}">${linkedFiles.join('')}${template}</Relationships>`,
  )
  const images = links.map(
    (_, at) =>
      `<w:r><w:drawing><wp:inline><wp:extent cx="900000" cy="900000"/><wp:docPr id="${at + 1}" name="p"/><a:graphic><a:graphicData uri="${base}/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="p${at}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`,
  )
  await add(
    'word/document.xml',
    `<w:document xmlns:w="${base}/wordprocessingml/2006/main" xmlns:r="${officeNamespace}/relationships" xmlns:wp="${base}/drawingml/2006/wordprocessingDrawing" xmlns:a="${base}/drawingml/2006/main" xmlns:pic="${base}/drawingml/2006/picture"><w:body><w:p><w:r><w:t>alphamarker</w:t></w:r>${images.join('')}</w:p></w:body></w:document>`,
  )
  return (await writer.close()) as Uint8Array<ArrayBuffer> // as it was made
}

const each = (line: (link: string) => string) => links.map(line).join('\n')

const sources: Readonly<Record<string, () => string | Promise<Uint8Array<ArrayBuffer>>>> = {
  html: () =>
    `<!doctype html><h1>alphamarker</h1>${each((link) => `<img src="${link}"><iframe src="${link}"></iframe><link rel="stylesheet" href="${link}">`)}`,
  svg: () =>
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="90"><style>@import url(${links[0]});</style>${each((link) => `<image width="9" height="9" href="${link}" xlink:href="${link}"/><use href="${link}#a"/>`)}<rect width="40" height="40" fill="red"/></svg>`,
  md: () => `# alphamarker\n\n${each((link) => `![picture](${link})`)}\n`,
  rst: () =>
    `alphamarker\n===========\n\n${each((link) => `.. image:: ${link}\n\n.. include:: ${link}\n`)}\n`,
  fodt: () =>
    `<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>alphamarker${each((link) => `<draw:frame svg:width="2cm" svg:height="2cm" text:anchor-type="as-char"><draw:image xlink:href="${link}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame>`)}</text:p></office:text></office:body></office:document>`,
  docx: createDocx,
}

const targets: Readonly<Record<keyof typeof sources, readonly string[]>> = {
  html: ['pdf', 'png', 'docx', 'epub', 'md'],
  svg: ['png', 'jpg', 'pdf', 'webp'],
  md: ['pdf', 'docx', 'html', 'epub'],
  rst: ['pdf', 'odt'],
  fodt: ['pdf', 'docx'],
  docx: ['pdf', 'html', 'odt', 'md'],
}

for (const [from, allTargets] of Object.entries(targets))
  for (const to of allTargets)
    test(`converting ${from} to ${to} does not fetch remote links`, async () => {
      const sourceBytes = await sources[from]?.()
      assert.ok(sourceBytes)
      const bytes = typeof sourceBytes === 'string' ? new Uint8Array(Buffer.from(sourceBytes)) : sourceBytes
      const job = await client.accepted(
        await client.convert({ name: `links.${from}`, bytes }, { targetFormat: to }),
      )
      assert.equal(job.status, 'completed', JSON.stringify(job.error))
      assert.equal(trap.connections(), 0)
    })

test('the test server for remote links records requests, so an empty record means that none were sent', async () => {
  const socket = connect(trap.port, '127.0.0.1').resume()
  await once(socket, 'close')
  assert.equal(trap.connections(), 1)
})
