import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import type { Tools } from './engine.ts'
import { ProcessFailure } from './exec.ts'

export interface PageSize {
  /** Points, as the page is shown. */
  readonly width: number
  readonly height: number
}

export interface OpenPdf {
  /** Needs no password. */
  readonly path: string
  /** One per page. */
  readonly sizes: readonly PageSize[]
}

/** Makes a PDF readable by every tool after it. @throws AppError CORRUPT_FILE, PDF_ENCRYPTED. */
export async function openPdf(source: string, password: string | undefined, tools: Tools): Promise<OpenPdf> {
  const sizes = await pageSizes(source, tools)
  if (sizes !== 'encrypted') return { path: source, sizes }
  if (password === undefined) {
    throw new AppError('PDF_ENCRYPTED', 'The PDF needs a password to open: send it as `password`.', {
      field: 'password',
    })
  }
  const path = await decrypt(source, password, tools)
  const decrypted = await pageSizes(path, tools)
  if (decrypted === 'encrypted') throw wrongPassword()
  return { path, sizes: decrypted }
}

/** The password goes by a file: arguments can be read by others. */
async function decrypt(source: string, password: string, tools: Tools): Promise<string> {
  const secret = join(tools.workDir, 'password')
  const path = join(tools.workDir, 'decrypted.pdf')
  await writeFile(secret, password, { mode: 0o600 })
  try {
    // 3 is a success with warnings.
    const args = [`--password-file=${secret}`, '--decrypt', '--', source, path]
    await tools.exec('qpdf', args, { okCodes: [0, 3] })
    return path
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    throw /invalid password/i.test(error.stderr) ? wrongPassword(error) : damaged(error)
  } finally {
    await rm(secret)
  }
}

async function pageSizes(path: string, tools: Tools): Promise<PageSize[] | 'encrypted'> {
  try {
    const { stdout } = await tools.exec('pdfinfo', ['-f', '1', '-l', '1000000', path])
    const sizes = [...stdout.matchAll(/^Page\s+\d+ size:\s+([\d.e+]+) x ([\d.e+]+) pts/gm)]
    const turns = [...stdout.matchAll(/^Page\s+\d+ rot:\s+(\d+)/gm)]
    const count = Number(/^Pages:\s+(\d+)/m.exec(stdout)?.[1] ?? 0)
    if (count === 0 || sizes.length !== count)
      throw damaged(new Error(`pdfinfo told ${sizes.length} of ${count} sizes`))
    return sizes.map(([, width, height], index) => {
      const turned = Number(turns[index]?.[1] ?? 0) % 180 !== 0
      const size = { width: Number(width), height: Number(height) }
      return turned ? { width: size.height, height: size.width } : size
    })
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    if (/Incorrect password/i.test(error.stderr)) return 'encrypted'
    throw damaged(error)
  }
}

function wrongPassword(cause?: Error): AppError {
  return new AppError(
    'PDF_ENCRYPTED',
    'The password does not open this PDF.',
    { field: 'password' },
    { cause },
  )
}

export function damaged(cause: Error): AppError {
  return new AppError('CORRUPT_FILE', 'The PDF is damaged or incomplete.', undefined, { cause })
}
