import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Tools } from '../../engine.ts'
import { toPdfError } from '../qpdf.ts'

/**
 * Runs one of our scripts in MuPDF's own program, which stays apart from this code as its license (AGPL) asks.
 * The script is copied: a sandbox sees nothing of ours outside of the work folder.
 * @returns what it printed, by line.
 * @throws AppError CORRUPT_FILE.
 */
export async function runMutoolScript(
  name: 'appearances' | 'facts' | 'outlines' | 'redact',
  args: readonly string[],
  tools: Tools,
): Promise<string[]> {
  const script = join(tools.workDir, `${name}.js`)
  await copyFile(fileURLToPath(new URL(`../../../../layers/pdf/${name}.js`, import.meta.url)), script)
  try {
    const { stdout } = await tools.exec('mutool', ['run', script, ...args])
    return stdout.split('\n').filter((line) => line !== '')
  } catch (error) {
    throw toPdfError(error)
  }
}
