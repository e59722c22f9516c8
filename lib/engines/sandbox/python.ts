import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecOptions, Tools } from '../engine.ts'

/** Debian's own: only it has the modules of Debian's packages, those of LibreOffice and FontForge among them. */
export const python = '/usr/bin/python3'

const programs = new URL('../../../layers/', import.meta.url)

/**
 * Where `layers/<program>` lies, and how it is started out of reach (-I) of modules that lie in the work folder. It sees
 * those beside it.
 */
export function pythonProgram(program: string): {
  path: string
  file: string
  args: string[]
  readOnly: string[]
} {
  const path = fileURLToPath(new URL(program, programs))
  return { path, file: python, args: ['-I', path], readOnly: [dirname(path)] }
}

/** Runs `layers/<program>` in the sandbox. */
export function runPython(
  program: string,
  args: readonly string[],
  tools: Tools,
  options: Omit<ExecOptions, 'readOnly'> = {},
): Promise<{ stdout: string; stderr: string }> {
  const { file, args: start, readOnly } = pythonProgram(program)
  // One that waits was started so.
  return tools.exec(file, options.prestarted ? args : [...start, ...args], { ...options, readOnly })
}
