import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { makeCompoundFile } from '../../binary/make-cfb.ts'
import { detectFile } from '../../formats/detect-file.ts'
import { makeOutlookMessage, type OutlookFields, storeRtf } from '../../support/make-outlook-message.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const scratch = scratchFolder('outlook-test')
const fixture = new URL('../../fixtures/message.msg', import.meta.url).pathname

async function createPage(fields: OutlookFields) {
  const path = join(scratch, 'item.msg')
  await writeFile(path, makeOutlookMessage(fields))
  const { path: htmlPath, warnings } = await convert(pandoc, path, 'html')
  return { html: await readFile(htmlPath, 'utf8'), warnings }
}

describe('an Outlook message', () => {
  test('an Outlook message becomes a page with its headers, text, images and the names of its attachments', async () => {
    const { path, warnings } = await convert(pandoc, fixture, 'html')
    const html = await readFile(path, 'utf8')
    assert.match(html, /<h1>Fruit report – März<\/h1>/)
    assert.match(html, /<th>From<\/th><td>Jürgen Müller &lt;jurgen@example\.org&gt;<\/td>/)
    assert.match(html, /<th>To<\/th><td>Sol &lt;sol@example\.org&gt;<\/td>/)
    assert.match(html, /<th>Cc<\/th><td>"Doe, John"<\/td>/)
    assert.match(html, /<th>Date<\/th><td>Thu, 02 Jan 2025 09:00:00 GMT<\/td>/)
    assert.match(html, /<b>apple<\/b> and the pear, café <img src="data:image\/png;base64,iVBOR/)
    assert.match(html, /<li>Rechnung Ä\.pdf<\/li>/)
    assert.doesNotMatch(html, /<li>dot/)
    assert.deepEqual(warnings, ['ATTACHMENTS_DROPPED'])
  })

  test('an Outlook message converted to EML can be read by another program and keeps its attachments', async () => {
    const { path, warnings } = await convert(pandoc, fixture, 'eml')
    assert.deepEqual(warnings, [])
    const script = `
import email, email.policy, json, sys
mail = email.message_from_file(open(sys.argv[1], encoding="utf-8"), policy=email.policy.default)
parts = [[part.get_content_type(), part.get_filename(), part["Content-ID"]] for part in mail.walk()]
body = mail.get_body(('html',)).get_content()
print(json.dumps([mail["Subject"], mail["From"].addresses[0].display_name, mail["Date"], mail["Message-ID"], parts, body]))`
    const [subject, sender, date, id, parts, body] = JSON.parse(
      await readStdout('/usr/bin/python3', '-c', script, path),
    )
    assert.deepEqual(
      [subject, sender, date, id],
      ['Fruit report – März', 'Jürgen Müller', 'Thu, 02 Jan 2025 09:00:00 +0000', null],
    )
    assert.deepEqual(parts.slice(2), [
      ['text/html', null, null],
      ['image/png', 'dot.png', '<dot@x>'],
      ['application/pdf', 'Rechnung Ä.pdf', null],
    ])
    assert.match(body, /<b>apple<\/b>/)
  })

  test('an Outlook message without HTML is read from its RTF, which may encapsulate HTML', async () => {
    const encapsulated =
      "{\\rtf1\\ansi\\ansicpg1251\\fromhtml1 \\deff0{\\fonttbl{\\f0\\fcharset204 Arial;}}{\\*\\htmltag64 <p>}\\htmlrtf{\\htmlrtf0 \\f0\\'cf\\'f0\\'e8\\'e2\\'e5\\'f2{\\*\\htmltag84 <b>}\\htmlrtf\\b\\htmlrtf0 otters{\\*\\htmltag92 </b>}\\htmlrtf\\par}\\htmlrtf0{\\*\\htmltag72 </p>}}"
    const { html } = await createPage({ '0037001F': 'x', '10090102': storeRtf(encapsulated) })
    assert.match(html, /<p>Привет<b>otters<\/b><\/p>/)
    // The example of [MS-OXRTFCP] 4.1.1, "hello world".
    const compressedHex =
      '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0'
    const exampleRun = await createPage({ '0037001F': 'x', '10090102': Buffer.from(compressedHex, 'hex') })
    assert.match(exampleRun.html, /<p>hello world<\/p>/)
  })

  test('text of an Outlook message that is not Unicode is decoded with the code pages that the message names', async () => {
    const { html } = await createPage({
      '0037001E': Buffer.from([0xcf, 0xf0, 0xe8]),
      '10130102': Buffer.concat([Buffer.from('<p>'), Buffer.from([0xf0, 0xd2, 0xc9]), Buffer.from('</p>')]),
      '3FFD0003': 1251,
      '3FDE0003': 20866,
    })
    assert.match(html, /<h1>При<\/h1>[\s\S]*<p>При<\/p>/)
  })

  test('an Outlook message converted to HTML shows the date from its Date header and keeps its plain text lines', async () => {
    const { html, warnings } = await createPage({
      '007D001F': 'Received: x\r\nDate: Thu, 2 Jan 2025 10:00:00 +0100\r\n',
      '1000001F': 'first <a>\r\nsecond',
    })
    assert.match(html, /<td>Thu, 2 Jan 2025 10:00:00 \+0100<\/td>[\s\S]*<p>first &lt;a&gt;<br>\nsecond<\/p>/)
    assert.deepEqual(warnings, [])
  })

  test('an Outlook item that is not an email is converted with a warning', async () => {
    const { html, warnings } = await createPage({ '001A001F': 'IPM.Appointment', '1000001F': 'otters' })
    assert.match(html, /<p>otters<\/p>/)
    assert.deepEqual(warnings, ['DATA_DROPPED'])
  })

  test('line breaks in the subject or the sender of an Outlook message add no headers to its page', async () => {
    const { html } = await createPage({
      '0037001F': 'a\r\nCc: evil@example.org',
      '0C1A001F': 'b\r\nBcc: evil@example.org',
      '1000001F': 'x',
    })
    assert.doesNotMatch(html, /<th>B?[Cc]c/)
  })

  test('an Outlook message is detected by the streams in the root of its OLE file', async () => {
    assert.equal(await detectFile('upload', await readFile(fixture)), 'msg')
    // The root has no link to the Outlook stream, as if it belonged to a message embedded in the document.
    const document = { WordDocument: Buffer.alloc(4096), '__properties_version1.0': Buffer.alloc(64) }
    assert.equal(await detectFile('upload', makeCompoundFile(document).bytes), 'doc')
  })

  test('an Outlook message that is truncated, or whose directory contains a loop, is refused', async () => {
    const intactBytes = await readFile(fixture)
    const entry = intactBytes.indexOf(Buffer.from('__properties_version1.0', 'utf16le'))
    const loop = Buffer.from(intactBytes)
    // Makes a loop: the entry of a stream links to the root.
    loop.writeUInt32LE(0, entry + 72)
    for (const bytes of [loop, intactBytes.subarray(0, 2048)]) {
      const path = join(scratch, 'damaged.msg')
      await writeFile(path, bytes)
      await assert.rejects(convert(pandoc, path, 'html'), { code: 'CORRUPT_FILE' })
    }
  })
})
