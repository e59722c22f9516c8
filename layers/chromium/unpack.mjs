// node unpack.mjs FOLDER: puts the browser of @sparticuz/chromium there; used while an image is built. What the package does
// by itself is made for functions without an image: it unpacks into /tmp at run time. Its fonts and libraries stay
// packed, as Debian's are in the image.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

const packed = new URL('node_modules/@sparticuz/chromium/bin/', import.meta.url)
const unpacked = (name) => brotliDecompressSync(readFileSync(new URL(name, packed)))

const [folder] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'chromium'), unpacked('chromium.br'), { mode: 0o755 })
// What draws WebGL where there is no graphics card.
const tar = ['--extract', '--no-same-owner', '--directory', folder]
const { status } = spawnSync('tar', tar, { input: unpacked('swiftshader.tar.br'), stdio: ['pipe', 2, 2] })
process.exit(status ?? 1)
