import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'

const policyPath = fileURLToPath(new URL('../../../layers/imagemagick/policy.xml', import.meta.url))

/**
 * Runs ImageMagick with our policy file, which is copied to the work folder because the sandbox shows no other files of
 * ours.
 * @throws ProcessFailure, even when ImageMagick only warns about damage.
 */
export async function runMagick(tools: Tools, bin: 'identify' | 'convert', args: readonly string[]) {
  const folder = join(tools.workDir, 'policy')
  await mkdir(folder, { recursive: true })
  await copyFile(policyPath, join(folder, 'policy.xml'))
  const env = { MAGICK_CONFIGURE_PATH: folder, MAGICK_TEMPORARY_PATH: tools.workDir }
  const execResult = await tools.exec(bin, args, { env })
  // ImageMagick treats some kinds of damage as a warning and continues. Its warning about a corrupt profile is ignored,
  // because valid XMP in a WebP also causes it.
  const stderr = execResult.stderr.replaceAll(/^.*CorruptImageProfile.*$/gm, '')
  if (/unexpected end|premature end|corrupt|insufficient image data|not enough/i.test(stderr)) {
    throw new ProcessFailure(bin, 0, execResult.stderr)
  }
  return execResult
}
