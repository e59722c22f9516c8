import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'

const policy = fileURLToPath(new URL('../../../layers/imagemagick/policy.xml', import.meta.url))

/**
 * Runs with our policy, which stands in the work folder because a sandbox sees nothing of ours elsewhere.
 * @throws ProcessFailure, also where ImageMagick only warns of damage.
 */
export async function magick(tools: Tools, bin: 'identify' | 'convert', args: readonly string[]) {
  const folder = join(tools.workDir, 'policy')
  await mkdir(folder, { recursive: true })
  await copyFile(policy, join(folder, 'policy.xml'))
  const env = { MAGICK_CONFIGURE_PATH: folder, MAGICK_TEMPORARY_PATH: tools.workDir }
  const done = await tools.exec(bin, args, { env })
  // It goes on after some kinds of damage and calls it a warning.
  if (/unexpected end|premature end|corrupt|insufficient image data|not enough/i.test(done.stderr)) {
    throw new ProcessFailure(bin, 0, done.stderr)
  }
  return done
}
