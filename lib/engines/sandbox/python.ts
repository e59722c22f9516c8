import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecOptions, Tools } from '../engine.ts'

/** Debian's own Python: only it finds the modules of Debian's packages, such as those of LibreOffice and FontForge. */
export const pythonPath = '/usr/bin/python3'

const programsUrl = new URL('../../../layers/', import.meta.url)

/**
 * Returns the path of `layers/<program>` and the command that starts it. Isolated mode (-I) finds only installed
 * modules, not those in the work folder; a program that needs modules of its own folder adds the folder to `sys.path`.
 */
export function locatePythonProgram(program: string): {
  path: string
  file: string
  args: string[]
  readOnly: string[]
} {
  const path = fileURLToPath(new URL(program, programsUrl))
  return { path, file: pythonPath, args: ['-I', path], readOnly: [dirname(path)] }
}

/** Runs `layers/<program>` in the sandbox. */
export function runPython(
  program: string,
  args: readonly string[],
  tools: Tools,
  options: Omit<ExecOptions, 'readOnly'> = {},
): Promise<{ stdout: string; stderr: string }> {
  const { file, args: start, readOnly } = locatePythonProgram(program)
  // A prestarted process has already run the start command.
  return tools.exec(file, options.prestarted ? args : [...start, ...args], { ...options, readOnly })
}
