import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { scratchFolder } from '../support/scratch-folder.ts'

test('the types of the client allow only the options of the target format or tool', async () => {
  const config = join(scratchFolder('option-types'), 'tsconfig.json')
  const compilerOptions = {
    incremental: false,
    tsBuildInfoFile: null,
    typeRoots: [resolve('node_modules/@types')],
  }
  await writeFile(
    config,
    JSON.stringify({
      extends: resolve('tsconfig.json'),
      compilerOptions,
      files: [resolve('test/client/option-types.ts')],
      include: [],
    }),
  )
  const command = ['node_modules/typescript/bin/tsc', '-p', config]
  await promisify(execFile)(process.execPath, command).catch((error: { stdout: string }) =>
    assert.fail(error.stdout),
  )
})
