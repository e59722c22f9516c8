import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import { buildStartCommand } from '../../../lib/engines/sandbox/preloaded-libraries.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

test('FFmpeg starts with 11 preloaded libraries, all of which exist', async () => {
  const signal = new AbortController().signal
  const limits = { memoryMb: 1000, diskMb: 10, timeoutS: 60 }
  const tools = createTools({ workDir: scratchFolder('linking'), signal, limits })
  for (const bin of ['ffmpeg', 'ffprobe']) {
    assert.match((await buildStartCommand(bin)).join(' '), new RegExp(`--preload \\S+ /usr/bin/${bin}$`))
    assert.equal((await buildStartCommand(bin))[2]?.split(':').length, 11)
    const { stdout, stderr } = await tools.exec(bin, ['-v', 'error', '-version'])
    assert.match(stdout, new RegExp(`^${bin} version 5`))
    assert.equal(stderr, '')
  }
})

test('programs other than FFmpeg start without preloaded libraries', async () => {
  assert.deepEqual(await buildStartCommand('pdftoppm'), ['pdftoppm'])
})

test('FFmpeg starts without preloaded libraries if the dynamic linker is missing', async () => {
  assert.deepEqual(await buildStartCommand('ffmpeg', '/lib64/linker-of-another-processor'), ['ffmpeg'])
})
