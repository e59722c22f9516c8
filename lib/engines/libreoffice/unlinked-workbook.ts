import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CompoundFile } from '../../binary/cfb.ts'
import { openByPath } from '../../binary/random-access.ts'
import type { Tools } from '../engine.ts'

/** Maximum size of a file whose workbook is copied, because its stream is read into memory. */
const maxBytes = 256 * 1024 * 1024

/**
 * Copies the workbook out of an OLE file whose directory tree does not lead to it, so that LibreOffice would not find
 * it. LibreOffice can open the bare stream, because Excel 4 and earlier stored workbooks in this way. Returns undefined
 * if LibreOffice can open the whole file, or if there is no workbook.
 */
export async function extractUnlinkedWorkbook(path: string, tools: Tools): Promise<string | undefined> {
  try {
    const file = await CompoundFile.open(await openByPath(path), maxBytes)
    if ((await file.isLinked('Workbook')) || (await file.isLinked('Book'))) return undefined
    const workbook = (await file.read('Workbook')) ?? (await file.read('Book'))
    if (!workbook) return undefined
    const copyPath = join(tools.workDir, 'workbook.xls')
    await writeFile(copyPath, workbook)
    return copyPath
  } catch (error) {
    // LibreOffice may still be able to read the damaged file.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
