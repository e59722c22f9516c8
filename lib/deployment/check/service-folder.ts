import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Fills a folder in which the Serverless Framework packages a stage with these settings. It consists of symlinks, so
 * that files written next to serverless.yml are not written into the checkout.
 */
export function fillServiceFolder(folder: string, stage: string, settings: object): void {
  // The framework does not accept a symlink as its config file.
  copyFileSync(join(root, 'serverless.yml'), join(folder, 'serverless.yml'))
  for (const name of ['package.json', 'node_modules', 'functions', 'lib', 'layers', 'events'])
    symlinkSync(join(root, name), join(folder, name))
  mkdirSync(join(folder, 'stages'))
  writeFileSync(join(folder, 'stages', `${stage}.json`), JSON.stringify(settings))
}
