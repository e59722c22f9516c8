import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Finds the folder that contains `functions/web` and `node_modules`: the checkout, or the root of a function's package.
 */
function findAssetRoot(from: string): string {
  if (existsSync(join(from, 'functions/web'))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error('functions/web is missing from the package')
  return findAssetRoot(parent)
}

const root = findAssetRoot(import.meta.dirname)

export const webFolder = join(root, 'functions/web')
