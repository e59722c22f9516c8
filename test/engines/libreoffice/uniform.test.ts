import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readPdfText, readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const folder = scratchFolder('uniform-test')
const office = createLibreOffice({ processes: 1 })
after(() => office.close?.())

/** The document as LibreOffice itself writes it: its page size has no width and height. */
const text = `<?xml version="1.0" encoding="UTF-8"?>
<uof:UOF xmlns:uof="http://schemas.uof.org/cn/2003/uof" xmlns:字="http://schemas.uof.org/cn/2003/uof-wordproc" uof:language="cn" uof:version="1.0" uof:mimetype="vnd.uof.text">
<uof:式样集><uof:字体集><uof:字体声明 uof:名称="Cambria" uof:标识符="Cambria" uof:字体族="Roman"/></uof:字体集></uof:式样集>
<uof:文字处理><字:公用处理规则/><字:主体>
<字:分节 字:名称="Standard"><字:节属性><字:页边距 uof:上="" uof:左="" uof:下="" uof:右=""/><字:纸张 uof:宽度="" uof:高度="" uof:纸型="使用者"/></字:节属性></字:分节>
<字:段落><字:句><字:文本串>alphamarker</字:文本串></字:句></字:段落>
</字:主体></uof:文字处理></uof:UOF>`

test('a Uniform Office document without a page size is printed on A4', async () => {
  const path = join(folder, 'text.uot')
  await writeFile(path, text)
  const { path: pdf } = await convert(office, path, 'pdf')
  assert.match(await readPdfText(pdf), /alphamarker/)
  assert.match(await readStdout('pdfinfo', pdf), /Page size:\s+595\S* x 841\S* pts \(A4\)/)
})
