import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecOptions, Tools } from '../engine.ts'

const programsFolder = fileURLToPath(new URL('../../../layers/pdf/', import.meta.url))
const packageFolder = fileURLToPath(new URL('../../../node_modules/mupdf', import.meta.url))

/**
 * Runs `layers/pdf/<name>.mjs` in the sandbox; the first argument is the folder of the mupdf package. MuPDF is licensed
 * under the AGPL, so it runs in separate programs and nothing here imports it.
 */
export function runMupdf(
  name: string,
  args: readonly string[],
  tools: Tools,
  options: ExecOptions = {},
): Promise<{ stdout: string; stderr: string }> {
  const programPath = join(programsFolder, `${name}.mjs`)
  // V8 reserves gigabytes of address space for WebAssembly bounds checks, more than the sandbox allows.
  const nodeArgs = ['--disable-wasm-trap-handler', '--max-old-space-size=1024']
  return tools.exec(process.execPath, [...nodeArgs, programPath, packageFolder, ...args], {
    ...options,
    readOnly: [process.execPath, programsFolder, packageFolder, ...(options.readOnly ?? [])],
  })
}
