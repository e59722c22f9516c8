import assert from 'node:assert/strict'
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { pdf } from '../../../lib/engines/pdf.ts'
import { encryptsOnlyAttachments } from '../../../lib/formats/locked-attachments.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { readUncompressed } from '../support/inspect-pdf.ts'
import { readPdfText, readStdout } from '../support/inspect-result.ts'
import { createPdf, writeFiles } from '../support/pdf-maker.ts'
import { convert, fixture } from '../support/run-engine.ts'
import { createToolRunner } from '../support/run-pdf-tool.ts'

const encrypt = (key: Buffer, iv: Buffer, data: Buffer, hasPadding: boolean) => {
  const cipher = createCipheriv('aes-256-cbc', key, iv).setAutoPadding(hasPadding)
  return Buffer.concat([cipher.update(data), cipher.final()])
}

/** Creates a PDF whose only attachment is encrypted with AES-256, while its pages are readable. */
function createLockedAttachment(password: string): Buffer {
  const key = randomBytes(32)
  const hash = (...chunks: readonly Uint8Array[]) =>
    createHash('sha256').update(Buffer.concat(chunks)).digest()
  // Encrypts the file key with the password (ISO 32000-2, 7.6.4.4, with the plain hash of Adobe's extension level 3).
  const encryptKey = (...rest: readonly Uint8Array[]) => {
    const [check, salt] = [randomBytes(8), randomBytes(8)]
    const words = Buffer.from(password)
    const entry = Buffer.concat([hash(words, check, ...rest), check, salt])
    return { entry, key: encrypt(hash(words, salt, ...rest), Buffer.alloc(16), key, false) }
  }
  const user = encryptKey()
  const owner = encryptKey(user.entry)
  const permissions = Buffer.alloc(16, 'x')
  permissions.writeInt32LE(-4)
  permissions.writeInt32LE(-1, 4)
  permissions.write('Tadb', 8)
  const encryptPermissions = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const toHex = (bytes: Buffer) => `<${bytes.toString('hex')}>`
  const iv = randomBytes(16)
  const encryptedAttachment = Buffer.concat([iv, encrypt(key, iv, Buffer.from('attached words'), true)])
  return createPdf(
    {
      1: '<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(a.txt) 6 0 R] >> >> >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 200 100] >>',
      3: '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
      4: { dict: '<< >>', data: Buffer.from('BT /F 12 Tf 10 50 Td (readable words) Tj ET') },
      5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      6: '<< /Type /Filespec /F (a.txt) /UF (a.txt) /EF << /F 7 0 R >> >>',
      7: {
        dict: '<< /Type /EmbeddedFile /Filter /Crypt /DecodeParms << /Type /CryptFilterDecodeParms /Name /StdCF >> >>',
        data: encryptedAttachment,
      },
      8: `<< /Filter /Standard /V 5 /R 5 /Length 256 /P -4 /O ${toHex(owner.entry)} /U ${toHex(user.entry)}
        /OE ${toHex(owner.key)} /UE ${toHex(user.key)} /Perms ${toHex(encryptPermissions.update(permissions))}
        /CF << /StdCF << /Type /CryptFilter /CFM /AESV3 /AuthEvent /EFOpen /Length 32 >> >>
        /StmF /Identity /StrF /Identity /EFF /StdCF >>`,
    },
    '/Encrypt 8 0 R /ID [<00> <00>]',
  )
}

const getPath = await writeFiles({ 'locked.pdf': createLockedAttachment('secret') })
const lockedPath = getPath('locked.pdf')
const run = createToolRunner(lockedPath)

test('a PDF that encrypts only its attachments is converted without a password', async () => {
  await assert.rejects(readStdout('qpdf', '--check', lockedPath), /invalid password/)
  assert.match(await readStdout('pdfdetach', '-upw', 'secret', '-list', lockedPath), /a\.txt/)
  const text = await convert(pdf, lockedPath, 'txt')
  assert.match(await readFile(text.path, 'utf8'), /readable words/)
  assert.deepEqual(text.warnings, [])
  assert.deepEqual((await convert(pdf, lockedPath, 'json', { operation: 'pdf-info' })).warnings, [])
})

test('PDF tools leave out attachments that they cannot decrypt, with a warning', async () => {
  for (const operation of ['rotate-pdf', 'linearize-pdf', 'merge'] as const) {
    const otherPaths = operation === 'merge' ? [fixture('three-pages.pdf')] : []
    const { path, warnings } = await run(operation, {}, lockedPath, { more: otherPaths })
    assert.deepEqual(warnings, ['ATTACHMENTS_DROPPED'], operation)
    assert.match(await readPdfText(path), /readable words/)
    assert.doesNotMatch(await readUncompressed(path), /a\.txt|Filespec|StdCF/, operation)
  }
  const decryptedRun = await run('decrypt-pdf', { password: 'secret' })
  assert.deepEqual(decryptedRun.warnings, [])
  assert.match(await readUncompressed(decryptedRun.path), /attached words/)
  await assertRefused(run('decrypt-pdf'), 'PDF_ENCRYPTED', /is encrypted/)
})

test('encryptsOnlyAttachments is false for a PDF that encrypts more than its attachments', async () => {
  const readText = (path: string) => readFile(path, 'latin1')
  assert.ok(encryptsOnlyAttachments(await readText(lockedPath)))
  for (const name of ['needs-password.pdf', 'owner-password.pdf', 'three-pages.pdf'])
    assert.ok(!encryptsOnlyAttachments(await readText(fixture(name))), name)
  const text = await readText(lockedPath)
  for (const filter of ['StmF', 'StrF'])
    assert.ok(!encryptsOnlyAttachments(text.replace(`/${filter} /Identity`, `/${filter} /StdCF`)), filter)
  // Without a limit, each entry could cause a search of the whole file.
  const manyEncryptEntries = Array.from({ length: 100 }, (_, at) => `/Encrypt ${at + 100} 0 R`)
  assert.ok(!encryptsOnlyAttachments(`${text}${manyEncryptEntries.join('\n')}`))
  assert.ok(encryptsOnlyAttachments(`${text}${'/Encrypt 8 0 R\n'.repeat(100)}`))
})
