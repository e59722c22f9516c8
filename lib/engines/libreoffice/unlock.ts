import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { getFamily } from '../../formats/detect/families.ts'
import type { FormatId } from '../../formats/index.ts'
import {
  canBeLocked,
  createDocumentKindMismatchError,
  createDocumentPasswordWrongError,
  createDocumentProtectionUnknownError,
  isOpenXml,
} from '../../formats/locked-office.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { runPython } from '../sandbox/python.ts'
import { UnlockOptions } from './unlock-options.ts'

/** Exit codes of `layers/office/unlock.py`. */
const exitCodes = { unlocked: 0, wrongPassword: 3, notLocked: 4, odf: 5, unknownLock: 6 } as const

/**
 * Removes the password of a document; a document without a password is returned unchanged. OpenDocument files go
 * through LibreOffice; Microsoft formats are only decrypted.
 * @param unlockInOffice opens the document with the password and saves it without the password.
 * @throws AppError FILE_ENCRYPTED, CORRUPT_FILE, FILE_TOO_LARGE; UNSUPPORTED_FORMAT if the content does not match the
 * file extension.
 */
export async function unlock(
  { inputs: [input], from, outDir, options }: EngineWork,
  tools: Tools,
  unlockInOffice: (password: string) => Promise<EngineResult>,
): Promise<EngineResult> {
  if (!input) throw new Error('unlock was called without an input.')
  const { password = '' } = UnlockOptions.parse(options)
  const path = join(outDir, `unlocked.${from}`)
  const code = await decrypt(input.path, path, password, tools)
  switch (code) {
    case exitCodes.wrongPassword:
      throw createDocumentPasswordWrongError()
    case exitCodes.unknownLock:
      throw createDocumentProtectionUnknownError()
    case exitCodes.notLocked:
      return { files: [{ path: input.path }] }
    case exitCodes.odf: {
      const result = await unlockInOffice(password)
      warnAboutRemovedPassword(tools)
      return result
    }
    default:
      await requireFormat(from, path)
      warnAboutRemovedPassword(tools)
      return { files: [{ path }] }
  }
}

/** Checks the decrypted format: an encrypted Office Open XML file reveals nothing, so its extension was trusted. */
async function requireFormat(expectedFormat: FormatId, path: string): Promise<void> {
  if (!isOpenXml(expectedFormat)) return
  const [{ detectZipFormat }, { openByteSource: openFile, createReader }] = await Promise.all([
    import('../../formats/detect/zip.ts'),
    import('../../formats/detect/byte-source.ts'),
  ])
  await using file = await open(path)
  const { size } = await file.stat()
  const source = { filename: `open.${expectedFormat}`, size, read: createReader(file) }
  const { format } = await detectZipFormat(await openFile(source))
  if (canBeLocked(format) && !getFamily(expectedFormat).includes(format))
    throw createDocumentKindMismatchError(expectedFormat, format)
}

const warnAboutRemovedPassword = (tools: Tools) =>
  tools.warn('ENCRYPTION_REMOVED', 'The document was protected by a password; the result is not protected.')

async function decrypt(
  inputPath: string,
  outputPath: string,
  password: string,
  tools: Tools,
): Promise<number> {
  try {
    // Passes the password via stdin, because other processes can read arguments.
    await runPython('office/unlock.py', [inputPath, outputPath], tools, { stdin: password, timeoutS: 120 })
    return exitCodes.unlocked
  } catch (error) {
    const knownCode = Object.values(exitCodes).find(
      (code) => error instanceof ProcessFailure && error.exitCode === code,
    )
    if (knownCode !== undefined) return knownCode
    if (!(error instanceof ProcessFailure || error instanceof EngineCrash)) throw error
    const message = 'The document could not be decrypted because it is damaged. Open it and save it again.'
    throw new AppError('CORRUPT_FILE', message, { field: 'file' }, { cause: error })
  }
}
