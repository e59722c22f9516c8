import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Tools } from '../../engine.ts'
import { toPdfError } from '../qpdf.ts'

/**
 * Runs one of our scripts with MuPDF's command-line program, which stays separate because of its license (AGPL). The
 * script is copied, because the sandbox only sees the work folder.
 * @returns the lines it printed.
 * @throws AppError CORRUPT_FILE.
 */
export async function runMutoolScript(
  name: 'metadata' | 'outlines',
  args: readonly string[],
  tools: Tools,
): Promise<string[]> {
  const scriptPath = join(tools.workDir, `${name}.js`)
  await copyFile(fileURLToPath(new URL(`../../../../layers/pdf/${name}.js`, import.meta.url)), scriptPath)
  try {
    const { stdout } = await tools.exec('mutool', ['run', scriptPath, ...args])
    return stdout.split('\n').filter((line) => line !== '')
  } catch (error) {
    throw toPdfError(error)
  }
}
