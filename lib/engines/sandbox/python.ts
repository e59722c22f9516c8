import { fileURLToPath } from 'node:url'
import type { ExecOptions, Tools } from '../engine.ts'

/** Debian's own: only it has the modules of Debian's packages, those of LibreOffice and FontForge among them. */
export const python = '/usr/bin/python3'

const programs = new URL('../../../layers/', import.meta.url)

/** Runs `layers/<program>` in the sandbox, out of reach (-I) of modules that lie in the work folder. */
export function runPython(
  program: string,
  args: readonly string[],
  tools: Tools,
  options: Omit<ExecOptions, 'readOnly'> = {},
): Promise<{ stdout: string; stderr: string }> {
  const path = fileURLToPath(new URL(program, programs))
  return tools.exec(python, ['-I', path, ...args], { ...options, readOnly: [path] })
}
