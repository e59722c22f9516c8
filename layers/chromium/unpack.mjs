// node unpack.mjs FOLDER: unpacks the browser of @sparticuz/chromium into the folder while an image is built. The
// package itself is made for functions without an image and would unpack into /tmp at run time. Its fonts and libraries
// are left out, because the image contains Debian's.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

const source = new URL('node_modules/@sparticuz/chromium/bin/', import.meta.url)
const decompress = (name) => brotliDecompressSync(readFileSync(new URL(name, source)))

const [folder] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'chromium-headless-shell'), decompress('chromium.br'), { mode: 0o755 })
// SwiftShader renders WebGL without a GPU.
const tar = ['--extract', '--no-same-owner', '--directory', folder]
const { status } = spawnSync('tar', tar, { input: decompress('swiftshader.tar.br'), stdio: ['pipe', 2, 2] })
process.exit(status ?? 1)
