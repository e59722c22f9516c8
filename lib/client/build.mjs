// Builds what `npm pack` publishes: JavaScript for Node 20, browsers and Deno, and its types. This file is plain
// JavaScript because it has to run in Node 20.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
const distFolder = join(here, 'dist')

rmSync(distFolder, { recursive: true, force: true })
const sharedOptions = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  outdir: distFolder,
  logLevel: 'warning',
}
await build({ ...sharedOptions, entryPoints: [join(here, 'index.ts')], platform: 'neutral' })
await build({
  ...sharedOptions,
  entryPoints: { mutabor: join(here, 'command/main.ts') },
  platform: 'node',
  splitting: true,
  chunkNames: '[name]-[hash]',
  external: ['@modelcontextprotocol/sdk'],
  banner: { js: '#!/usr/bin/env node' },
})
const typescriptFolder = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
execFileSync(process.execPath, [join(typescriptFolder, 'bin/tsc'), '-p', here], { stdio: 'inherit' })
