import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { detectFile } from '../../formats/detect-file.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const scratch = scratchFolder('mail-test')

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function createPage(...lines: readonly string[]) {
  const path = join(scratch, 'mail.eml')
  await writeFile(path, lines.join('\r\n'))
  const { path: htmlPath, warnings } = await convert(pandoc, path, 'html')
  return { html: await readFile(htmlPath, 'utf8'), warnings }
}

const createHtmlEmail = (...body: readonly string[]) =>
  createPage('From: a@example.org', 'Subject: x', 'Content-Type: text/html; charset=utf-8', '', ...body)

const richEmail = [
  'From: =?utf-8?Q?J=C3=BCrgen?= <jurgen@example.org>',
  'To: =?iso-8859-1?Q?Ren=E9?= <rene@example.org>,',
  ' second@example.org',
  'Subject: =?utf-8?B?UmVwb3J0IOKAkyBmb3VuZA==?=',
  'Date: Thu, 2 Jan 2025 10:00:00 +0100',
  'Content-Type: multipart/mixed; boundary=outer',
  '',
  '--outer',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/plain',
  '',
  'plainmarker',
  '--inner',
  'Content-Type: text/html; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p style=3D"color: red">htmlmarker caf=E9 <img src=3D"cid:dot@x"></p>',
  '--inner--',
  '--outer',
  'Content-Type: image/png',
  'Content-ID: <dot@x>',
  'Content-Transfer-Encoding: base64',
  '',
  dot,
  '--outer',
  'Content-Type: application/pdf',
  'Content-Disposition: attachment; filename="=?utf-8?Q?Rechnung_=C3=84.pdf?="',
  '',
  '%PDF',
  '--outer--',
  '',
]

describe('an email', () => {
  test('an email becomes a page with its headers, its richest text, its images and the names of its attachments', async () => {
    const { html, warnings } = await createPage(...richEmail)
    assert.match(html, /<h1>Report – found<\/h1>/)
    assert.match(html, /<th>From<\/th><td>Jürgen &lt;jurgen@example\.org&gt;<\/td>/)
    assert.match(html, /<th>To<\/th><td>René &lt;rene@example\.org&gt;, second@example\.org<\/td>/)
    assert.match(html, /<th>Date<\/th><td>Thu, 2 Jan 2025/)
    assert.match(html, /<p style="color: red">htmlmarker café <img src="data:image\/png;base64,iVBOR/)
    assert.match(html, /<li>Rechnung Ä\.pdf<\/li>/)
    assert.doesNotMatch(html, /plainmarker|<li>dot/)
    assert.deepEqual(warnings, ['ATTACHMENTS_DROPPED'])
  })

  test('a plain text email converted to HTML keeps its line breaks, except the soft line breaks of format=flowed', async () => {
    const type = 'Content-Type: text/plain; charset=utf-8; format=flowed'
    const { html } = await createPage(
      'From: a@example.org',
      type,
      '',
      'a <b> ',
      'grün',
      'second',
      '',
      '  next',
    )
    assert.match(html, /<h1>No subject<\/h1>/)
    assert.match(html, /<p>a &lt;b&gt; grün<br>\nsecond<\/p>\n<p>\u00a0\u00a0next<\/p>/)
  })

  test('the HTML of an email contains no scripts and loads no external files', async () => {
    const { html, warnings } = await createHtmlEmail(
      '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">',
      '<style>p { background: url(https://evil.example/s) }</style><link rel=stylesheet href="//evil.example">',
      '<body onload="evil()" background="https://evil.example/b"><script>evil()</script>',
      '<p style="color: red; background: url(//evil.example); width: expression(evil()); border: u\\72l(//evil)">kept</p>',
      '<img src="https://evil.example/t.gif"><img src="data:image/svg+xml;base64,PHN2Zz4=">',
      '<a href=" java\tscript:evil()">first</a><a href="https://good.example/?a=1&amp;b=2">second</a>',
      '<svg onload="evil()"><script>evil()</script></svg><iframe src="//evil.example"></iframe>',
      '<form action="//evil.example"><button>sent</button></form><object data="//evil.example"></object>',
      '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=evil()&gt;">',
    )
    assert.doesNotMatch(html, /evil|<script|<svg|<iframe|<form|<meta http-equiv="refresh/)
    assert.match(html, /Content-Security-Policy" content="default-src 'none'/)
    assert.match(html, /<p style="color: red">kept<\/p>/)
    assert.match(html, /<a>first<\/a><a href="https:\/\/good\.example\/\?a=1&amp;b=2">second<\/a>/)
    assert.deepEqual(warnings, ['PICTURES_DROPPED'])
  })

  test('an email is detected by its first lines, but is treated as plain text if its file is named .txt', async () => {
    const bytes = Buffer.from(['x-info: 1', 'MIME-Version: 1.0', ...richEmail].join('\r\n'))
    assert.equal(await detectFile('upload', bytes), 'eml')
    assert.equal(await detectFile('mail.eml', bytes), 'eml')
    assert.equal(await detectFile('mail.txt', bytes), 'txt')
  })

  test('an email in UTF-16 is read even if it declares the charset iso-8859-1', async () => {
    const text =
      'From: a@example.org\r\nSubject: Grüße\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\nÄpfel\r\n'
    const littleEndian = Buffer.from(`\ufeff${text}`, 'utf16le')
    for (const bytes of [littleEndian, littleEndian.subarray(2), Buffer.from(littleEndian).swap16()]) {
      assert.equal(await detectFile('mail.eml', bytes), 'eml')
      const path = join(scratch, 'wide.eml')
      await writeFile(path, bytes)
      const html = await readFile((await convert(pandoc, path, 'html')).path, 'utf8')
      assert.match(html, /<h1>Grüße<\/h1>[\s\S]*<p>Äpfel<\/p>/)
    }
  })

  test('an email in UTF-16 is read even if its Content-Transfer-Encoding header contains a non-ASCII character', async () => {
    const path = join(scratch, 'odd.eml')
    const text = '\ufeffSubject: Zebra\r\nContent-Transfer-Encoding: 8bité\r\n\r\notters\r\n'
    await writeFile(path, Buffer.from(text, 'utf16le'))
    assert.match(await readFile((await convert(pandoc, path, 'html')).path, 'utf8'), /<p>otters<\/p>/)
  })

  test('an email converted to text contains its subject once', async () => {
    for (const to of ['md', 'txt', 'docx'] as const) {
      await createPage('From: a@example.org', 'Subject: Zebra', '', 'otters')
      const html = await convert(pandoc, join(scratch, 'mail.eml'), 'html')
      const { path } = await convert(pandoc, html.path, to, { from: 'html' })
      const text =
        to === 'docx'
          ? await readStdout('unzip', '-p', path, 'word/document.xml')
          : await readFile(path, 'utf8')
      assert.equal(text.match(/Zebra/g)?.length, 1, to)
      if (to === 'docx')
        assert.match(await readStdout('unzip', '-p', path, 'docProps/core.xml'), /<dc:title>Zebra</)
    }
  })

  test('an email file without any email header is refused', async () => {
    await assert.rejects(createPage('Just some text.'), { code: 'CORRUPT_FILE' })
  })
})
