import { glob } from 'node:fs/promises'
import type { Metafile } from 'esbuild'
import { type FunctionName, rowOf } from '../resources/functions.ts'
import { packagesWithout, unbundled } from './bundle.ts'

/** What a function reads beside its code. */
const ofFunctions: Partial<Readonly<Record<FunctionName, readonly string[]>>> = {
  api: ['functions/web/icon.svg'],
}

/** What is needed of packages that cannot be put into a bundle. */
const ofPackages: Partial<Readonly<Record<(typeof unbundled)[number], readonly string[]>>> = {
  wasmagic: ['node_modules/wasmagic/{package.json,dist/*.js,dist/*.wasm}'],
}

/** Paths from the root of the checkout, which are those in the package too; `code` are those of its bundle. */
export async function filesBeside(
  name: FunctionName,
  code: readonly string[],
  { outputs }: Metafile,
): Promise<string[]> {
  const imported = code.flatMap((path) => outputs[path]?.imports.map((one) => one.path) ?? [])
  const without = packagesWithout(rowOf(name) ?? {})
  const packages = unbundled.filter((id) => imported.includes(id) && !without.includes(id))
  const patterns = [...(ofFunctions[name] ?? []), ...packages.flatMap((id) => ofPackages[id] ?? [])]
  const cwd = new URL('../..', import.meta.url).pathname
  const paths: string[] = []
  for await (const path of glob(patterns, { cwd })) paths.push(path)
  return paths
}
