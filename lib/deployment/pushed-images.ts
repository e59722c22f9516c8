import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../../.images.json', import.meta.url))

/** Returns the URIs of pushed images by target, such as `registry/mutabor-av@sha256:…`; empty before the first push. */
export function readPushedImages(path = file): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, string> // written below
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}

/** Adds image URIs to the stored ones. */
export function savePushedImages(images: Readonly<Record<string, string>>, path = file): void {
  writeFileSync(path, `${JSON.stringify({ ...readPushedImages(path), ...images }, undefined, 2)}\n`)
}
