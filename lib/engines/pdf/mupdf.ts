import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecOptions, Tools } from '../engine.ts'

const programs = fileURLToPath(new URL('../../../layers/pdf/', import.meta.url))
const packageFolder = fileURLToPath(new URL('../../../node_modules/mupdf', import.meta.url))

/**
 * Runs `layers/pdf/<name>.mjs` in the sandbox; its first argument is the folder of the package mupdf. MuPDF is
 * under the AGPL, so it stays in programs of its own and nothing here imports it.
 */
export function runMupdf(
  name: string,
  args: readonly string[],
  tools: Tools,
  options: ExecOptions = {},
): Promise<{ stdout: string; stderr: string }> {
  const program = join(programs, `${name}.mjs`)
  // V8 reserves gigabytes of address space to check WebAssembly's bounds, more than the sandbox grants.
  const node = ['--disable-wasm-trap-handler', '--max-old-space-size=1024']
  return tools.exec(process.execPath, [...node, program, packageFolder, ...args], {
    ...options,
    readOnly: [process.execPath, programs, packageFolder, ...(options.readOnly ?? [])],
  })
}
